/** Parameters of PostgreSQL URLs: each is honoured or refused, with what to do instead. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { translateJdbc } from '../../../../src/boot/config/jdbc.ts'
import { urlParameterProblems, urlProblem } from '../../../../src/boot/config/url.ts'
import { readLocation } from '../../../../src/database/postgres/wire/location.ts'
import { startTestService } from '../../../support/service.ts'

/** Every keyword of libpq 18 (PQconndefaults), and what older and other clients know. */
const keywords =
  `service servicefile user password passfile channel_binding connect_timeout dbname host hostaddr port client_encoding
  options application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
  sslmode sslnegotiation sslcompression sslcert sslkey sslcertmode sslpassword sslrootcert sslcrl sslcrldir sslsni requirepeer
  require_auth min_protocol_version max_protocol_version ssl_min_protocol_version ssl_max_protocol_version gssencmode krbsrvname
  gsslib gssdelegation replication target_session_attrs load_balance_hosts scram_client_key scram_server_key sslkeylogfile requiressl
  ssl statement_timeout query_timeout lock_timeout idle_in_transaction_session_timeout uselibpqcompat`.split(/\s+/)

test('every parameter that libpq or the driver knows is honoured or refused by its name [S20]', () => {
  for (const name of keywords) {
    for (const value of ['', '1', 'require', 'any', 'prefer', 'x']) {
      const problems = urlParameterProblems(`postgres://h/db?${name}=${value}`)
      for (const problem of problems) ok(!problem.includes('is not known'), `${name}: ${problem}`)
    }
  }
})

const honoured = [
  'sslmode=disable',
  'sslmode=prefer',
  'sslmode=require',
  'sslmode=verify-full',
  'sslmode=verify-ca&sslrootcert=/ca.pem',
  'sslrootcert=/ca.pem',
  'sslmode=require&sslnegotiation=direct',
  'sslmode=require&sslcert=/c.pem&sslkey=/k.pem&sslpassword=x',
  'sslmode=require&ssl_min_protocol_version=TLSv1.2',
  'ssl=true',
  'ssl=0',
  'target_session_attrs=any',
  'channel_binding=disable',
  'channel_binding=prefer',
  'gssencmode=prefer',
  'gssencmode=disable',
  'application_name=crm',
  'options=-c%20search_path%3Dcrm',
  'keepalives=1',
  'keepalives_idle=60',
  'client_encoding=UTF8',
  'user=me&password=x',
  'host=/run/pg',
  'port=5433',
  'load_balance_hosts=disable',
  'load_balance_hosts=random',
  'target_session_attrs=read-write',
  'host=a,b',
  'sslsni=1',
  'sslcompression=0',
  '',
]
for (const query of honoured) {
  test(`honoured: ${query} [S20]`, () => deepStrictEqual(urlParameterProblems(`postgresql://h/db?${query}`), []))
}

const refused: readonly (readonly [query: string, cure: RegExp])[] = [
  ['sslmode=allow', /sslmode .*expected disable, prefer, require, verify-ca or verify-full/],
  ['sslmode=REQUIRE', /sslmode .*expected disable/],
  ['sslmode=no-verify', /sslmode/],
  ['sslmode=', /sslmode/],
  ['sslmode=verify-ca', /needs sslrootcert/],
  ['sslmode=disable&sslrootcert=/ca.pem', /sslrootcert has no effect without encryption/],
  ['sslpassword=x', /no effect without encryption/],
  ['ssl=false', /write sslmode/],
  ['ssl=true&sslmode=disable', /ssl has no effect beside sslmode/],
  ['sslmode=require&sslcert=/c.pem', /sslcert and sslkey must be given together/],
  ['sslmode=require&sslkey=/c.pem', /sslcert and sslkey must be given together/],
  ['sslmode=prefer&sslnegotiation=direct', /needs sslmode=require/],
  ['sslmode=verify-full&sslrootcert=system', /name the file/],
  ['sslmode=require&sslcrl=/crl.pem', /sslcrl is not supported/],
  ['target_session_attrs=master', /target_session_attrs .*primary/],
  ['channel_binding=require', /channel_binding .*verify-full/],
  ['gssencmode=require', /Kerberos/],
  ['connect_timeout=3s', /connect_timeout .*whole number of seconds/],
  ['connect_timeout=1.5', /connect_timeout .*whole number/],
  ['connect_timeout=', /connect_timeout .*whole number/],
  ['connect_timeout=1&connect_timeout=2', /occurs twice/],
  ['keepalives=0', /always on/],
  ['keepalives_idle=0', /seconds/],
  ['keepalives_interval=3', /sysctl/],
  ['tcp_user_timeout=3', /sysctl/],
  ['statement_timeout=3', /statement_timeout_seconds/],
  ['lock_timeout=3', /options=-c%20lock_timeout%3D/],
  ['dbname=x', /path of the URL/],
  ['passfile=/x', /password_env/],
  ['hostaddr=10.0.0.1', /as the host/],
  ['client_encoding=LATIN1', /UTF8/],
  ['host=', /parameter host .*name one host/],
  ['user=', /parameter user .*leave it out/],
  ['aplication_name=x', /did you mean application_name/],
  ['sslMode=require', /did you mean sslmode/],
  ['targetServerType=primary', /write target_session_attrs instead/],
  ['loadBalanceHosts=true', /write load_balance_hosts=random instead/],
  ['currentSchema=crm', /options=-c%20search_path%3D/],
  ['schema=crm', /options=-c%20search_path%3D/],
  ['sslaccept=strict', /sslmode=verify-full/],
  ['TimeZone=UTC', /time_zone of the datasource/],
  ['connection_limit=3', /max_connections/],
  ['zzz=1', /"zzz" is not known/],
  ['application_name=a&application_name=b', /occurs twice/],
]
for (const [query, cure] of refused) {
  test(`refused: ${query} [S20]`, () => {
    match(urlParameterProblems(`postgres://h/db?${query}`).join('; '), cure)
  })
}

test('a URL is read to its end: nothing stands behind a "#" [S20]', () => {
  for (const url of ['postgres://h/db#?sslmode=verify-full', 'postgres://h/db?sslmode=require#x', 'postgres://h/d#b']) {
    match(urlProblem(url) ?? '', /^a URL with a "#", .* \(write %23 for it\)$/)
  }
  strictEqual(urlProblem('postgres://h/d%23b'), undefined)
  strictEqual(urlProblem('sqlite:a#b.db'), undefined)
})

test('no value and no piece of a password is ever told [S20]', () => {
  const secret = 'Zq7hunter'
  const name = fc.constantFrom(...keywords, 'unknown')
  fc.assert(
    fc.property(name, fc.string(), (key, tail) => {
      const value = encodeURIComponent(secret + tail.toWellFormed())
      const url = `postgres://h/db?${key}=${value}`
      ok(!urlParameterProblems(url).join().includes(secret), url)
    }),
  )
  ok(!urlParameterProblems(`postgres://h/db?password=a&${secret}=1&x${secret}`).join().includes(secret))
})

test('connect_timeout means what it means to libpq: seconds for each server, and no limit from 0 down [F9]', () => {
  const seconds = (query: string): unknown => readLocation(`postgres://h,i/db?${query}`).connectTimeoutSeconds
  strictEqual(seconds('connect_timeout=3'), 3)
  strictEqual(seconds('connect_timeout=1'), 1)
  for (const none of ['', 'connect_timeout=0', 'connect_timeout=-1']) strictEqual(seconds(none), undefined)
  // A timer that is longer would end at once.
  strictEqual(seconds('connect_timeout=999999999'), 2_147_483)
})

test('login and database are those that the URL escapes, whatever stands beside them [F9]', () => {
  for (const rest of [
    '',
    '?application_name=my app',
    '?application_name=50%',
    '?connect_timeout=3&options=-c a.b=%zz',
  ]) {
    const { user, password, database } = readLocation(`postgres://a%2Fb:p%2Fw%3A%25@h,i/d%2Be%2F%40%20f${rest}`)
    deepStrictEqual([user, password, database], ['a/b', 'p/w:%', 'd+e/@ f'], rest)
  }
  strictEqual(readLocation('postgres://h/50%?application_name=50%').startup['application_name'], '50%')
  strictEqual(readLocation('postgres://h/50%').database, '50%')
  strictEqual(readLocation('postgres://me@h').database, 'me')
})

test('what is honoured reaches the connection [S20]', () => {
  const ssl = (query: string): unknown => readLocation(`postgres://h/db?${query}`).ssl
  strictEqual(ssl('sslmode=disable'), false)
  strictEqual(ssl('ssl=0'), false)
  deepStrictEqual(ssl('sslmode=require'), { rejectUnauthorized: false })
  deepStrictEqual(ssl('sslmode=verify-full'), {})
  deepStrictEqual(ssl('sslmode=verify-full&ssl_min_protocol_version=TLSv1.3&sslpassword=x'), {
    passphrase: 'x',
    minVersion: 'TLSv1.3',
  })
  strictEqual(readLocation('postgres://h/db?channel_binding=prefer').enableChannelBinding, true)
  strictEqual(readLocation('postgres://h/db?channel_binding=disable').enableChannelBinding, false)
  strictEqual(readLocation('postgres://h/db?keepalives_idle=60').keepaliveSeconds, 60)
  const options = String.raw`-c search_path=crm,public --lock-timeout=3s -cwork_mem=4MB -c app.name=a\ b\\c`
  deepStrictEqual(readLocation(`postgres://h/db?options=${encodeURIComponent(options)}`).options, [
    { name: 'search_path', value: 'crm,public' },
    { name: 'lock_timeout', value: '3s' },
    { name: 'work_mem', value: '4MB' },
    { name: 'app.name', value: String.raw`a b\c` },
  ])
})

test('of a JDBC URL, what asks for a server or for security is carried over and judged there [S20]', () => {
  const problems = (query: string): string =>
    urlParameterProblems(translateJdbc(`jdbc:postgresql://h/db?${query}`)?.url ?? '').join()
  match(problems('targetServerType=preferPrimary'), /target_session_attrs/)
  match(problems('channelBinding=require'), /channel_binding/)
  match(problems('gssEncMode=require'), /gssencmode/)
  match(problems('sslmode=allow'), /sslmode/)
  for (const query of [
    'targetServerType=any',
    'channelBinding=prefer',
    'gssEncMode=prefer',
    'ssl=true',
    'sslmode=require',
  ]) {
    strictEqual(problems(query), '')
  }
  deepStrictEqual(translateJdbc('jdbc:postgresql://h/db?socketTimeout=3')?.dropped, ['socketTimeout'])
})

test('the start is refused in one line that names the field and the cure [S20]', async () => {
  const datasource = { url: 'postgres://h/db?target_session_attrs=master&sslmode=allow' }
  const error = (await startTestService({ kind: 'postgres', files: {}, datasource }).catch(
    (each: unknown) => each,
  )) as Error
  match(error.message, /datasources\[0\]\.url: parameter target_session_attrs .*; .*; parameter sslmode .*/)
})
