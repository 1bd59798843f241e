/**
 * Which servers a PostgreSQL URL names, in which order they are tried, and which one is taken: nothing here connects.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { translateJdbc } from '../../../../src/boot/config/jdbc.ts'
import { injectCredentials, maskUrl, urlParameterProblems, urlProblem } from '../../../../src/boot/config/url.ts'
import { type Host, hostsOf } from '../../../../src/database/postgres/hosts.ts'
import { readLocation } from '../../../../src/database/postgres/wire/location.ts'
import { nameOf, ServerOrder } from '../../../../src/database/postgres/wire/server-order.ts'
import {
  expectsWrites,
  Standing,
  type Target,
  targets,
  whyNot,
} from '../../../../src/database/postgres/wire/standing.ts'

/** As libpq reads them. */
const named: readonly (readonly [url: string, hosts: string])[] = [
  ['postgres://a/crm', 'a:5432'],
  ['postgres://a:1,b:2/crm', 'a:1 b:2'],
  ['postgres://a,b:2/crm', 'a:5432 b:2'],
  ['postgres://a:1,b/crm', 'a:1 b:5432'],
  ['postgres://a,b,c/crm?port=6000', 'a:6000 b:6000 c:6000'],
  ['postgres://a,b/crm?port=1,2', 'a:1 b:2'],
  ['postgres://a,b/crm?port=,2', 'a:5432 b:2'],
  ['postgres:///crm?host=a,b&port=1,2', 'a:1 b:2'],
  ['postgres:///crm?host=a,b', 'a:5432 b:5432'],
  ['postgres://x:9/crm?host=a,b', 'a:9 b:9'],
  ['postgres:///crm?host=a,,b', 'a:5432 localhost:5432 b:5432'],
  ['postgres://,b/crm', 'localhost:5432 b:5432'],
  ['postgres://[::1]:1,[fe80::2],c/crm', '[::1]:1 [fe80::2]:5432 c:5432'],
  ['postgres:///crm?host=::1,10.0.0.1', '[::1]:5432 10.0.0.1:5432'],
  ['postgres://%2Frun%2Fpg,b:2/crm', '/run/pg:5432 b:2'],
  ['postgres:///crm?host=/run/pg,/run/other&port=1,2', '/run/pg:1 /run/other:2'],
  ['postgres://me:p%2Cw@a:1,b:2/crm?sslmode=require', 'a:1 b:2'],
  ['postgres://me:@a,b', 'a:5432 b:5432'],
  ['postgresql://a,b?target_session_attrs=any', 'a:5432 b:5432'],
  ['postgres://', 'localhost:5432'],
  ['postgres://a:1,b:65535/crm', 'a:1 b:65535'],
  ['postgres://a,b/crm?host=c,d,e', 'c:5432 d:5432 e:5432'],
]
for (const [url, hosts] of named) {
  test(`${url} names ${hosts} [O4.1]`, () => {
    strictEqual(urlProblem(url), undefined)
    deepStrictEqual(urlParameterProblems(url), [])
    strictEqual(hostsOf(url).map(nameOf).join(' '), hosts)
  })
}

const unreadable: readonly (readonly [url: string, problem: RegExp])[] = [
  ['postgres://a:1,b:2,c:3/crm?port=1,2', /2 ports for 3 hosts/],
  ['postgres://a:1,b:2/crm?host=c', /2 ports for 1 host /],
  ['postgres://a:0,b/crm', /not a number from 1 to 65535/],
  ['postgres://a,b:65536/crm', /not a number from 1 to 65535/],
  ['postgres://a:x,b/crm', /cannot be read/],
  ['postgres://a,b:x:1/crm', /cannot be read/],
  ['postgres://::1/crm', /IPv6 address without brackets/],
  ['postgres://a,fe80::1:5432/crm', /IPv6 address without brackets/],
  ['postgres://me:hunter2@a/crm,postgres://me:hunter2@b/crm', /^several URLs in one \(write one, with its hosts/],
  ['postgres://a/crm postgres://b/crm', /^several URLs in one/],
  ['postgres://a, b/crm', /a host with a space or a semicolon \(write only commas/],
  ['postgres://a;b/crm', /a host with a space or a semicolon/],
  ['postgres:///crm?host=a,%20b', /a host with a space or a semicolon/],
  ['postgres://[::1/crm', /cannot be read/],
  ['postgres://a,%zz/crm', /cannot be read/],
  ['postgres:///crm?host=[::1],b', /cannot be read/],
]
for (const [url, problem] of unreadable) {
  test(`${url} is refused [O4.1]`, () => ok(problem.test(urlProblem(url) ?? ''), url))
}

test('parameters for several hosts: what libpq takes is honoured, anything else refused [O4.1] [S20]', () => {
  const problems = (query: string): string => urlParameterProblems(`postgres://a,b/crm?${query}`).join()
  for (const target of targets) strictEqual(problems(`target_session_attrs=${target}`), '')
  for (const order of ['disable', 'random']) strictEqual(problems(`load_balance_hosts=${order}`), '')
  ok(/expected any, read-write/.test(problems('target_session_attrs=master')))
  ok(/expected any, read-write/.test(problems('target_session_attrs=')))
  ok(/expected disable or random/.test(problems('load_balance_hosts=round-robin')))
  ok(/not a number from 1/.test(urlProblem('postgres://a,b/crm?port=1,x') ?? ''))
  ok(/port .*expected a number/.test(problems('port=,')))
})

test('all but the hosts is read as with a single one [O4.1]', () => {
  const rest = '/crm?sslmode=verify-full&application_name=x&options=-c%20a%3Db'
  const { hosts, ...several } = readLocation(`postgres://me:p%40w@a:1,b:2${rest}&target_session_attrs=any`)
  const { hosts: single, ...one } = readLocation(`postgres://me:p%40w@a:1${rest}`)
  deepStrictEqual(several, one)
  deepStrictEqual([hosts.length, single.length], [2, 1])
  deepStrictEqual([several.user, several.password, several.database], ['me', 'p@w', 'crm'])
})

test('keepalives_idle of a URL takes the place of keepalive_seconds [O4.1]', () => {
  const seconds = ['', '?keepalives_idle=60'].map(
    (query) => readLocation(`postgres://a${query}`, { keepaliveSeconds: 7 }).keepaliveSeconds,
  )
  deepStrictEqual(seconds, [7, 60])
  strictEqual(readLocation('postgres://a').keepaliveSeconds, 20)
})

const masked: readonly (readonly [url: string, shown: string])[] = [
  ['postgres://a:1,b:2/crm', 'postgres://a:1,b:2/crm'],
  ['postgres://[::1]:1,b/crm', 'postgres://[::1]:1,b/crm'],
  ['postgres://me:secret@a:1,b:2/crm', 'postgres://me:*****@a:1,b:2/crm'],
  ['postgres://me:se,cret@a:1,b:2/crm', 'postgres://me:*****@a:1,b:2/crm'],
  ['postgres://a:1,me:secret', 'postgres://a:1,me:*****'],
  ['postgres://a,b:1,me:secret/crm', 'postgres://a,b:1,me:*****'],
  ['postgres://[::1]:secret,b/crm', 'postgres://[::1]:*****'],
]
for (const [url, shown] of masked) test(`mask ${url} [O4.1] [D1.2]`, () => strictEqual(maskUrl(url), shown))

test('credentials come into a URL of several hosts as they are, and out of no message [O4.1] [D6.3]', () => {
  const word = fc.string({ minLength: 1, unit: 'grapheme' })
  fc.assert(
    fc.property(word, word, (user, secret) => {
      const url = injectCredentials('postgres://a:1,[::1],c:3/crm?target_session_attrs=primary', user, `Zq${secret}Zq`)
      const location = readLocation(url)
      deepStrictEqual([location.user, location.password], [user, `Zq${secret}Zq`])
      strictEqual(location.hosts.map(nameOf).join(), 'a:1,[::1]:5432,c:3')
      strictEqual(urlProblem(url), undefined)
      ok(user.includes('Zq') || !maskUrl(url).includes('Zq'))
    }),
  )
})

test('reading hosts never throws where no problem was found [O4.1]', () => {
  const piece = fc.constantFrom(
    'a',
    ':',
    ',',
    '[',
    ']',
    '::1',
    '5432',
    '%2F',
    '%',
    '@',
    '/',
    '?',
    '&',
    'host=',
    'port=',
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const url = `postgres://${pieces.join('')}`
      if (urlProblem(url) !== undefined || urlParameterProblems(url).length > 0) return
      for (const { host, port } of hostsOf(url)) ok(host !== '' && port >= 1 && port <= 65_535, url)
    }),
    { numRuns: 3000 },
  )
})

test('kinds of servers of JDBC URLs become those of libpq [O4.1]', () => {
  const url = (query: string): string => translateJdbc(`jdbc:postgresql://a:1,b:2/crm?${query}`)?.url ?? ''
  const kinds = { primary: 'primary', master: 'primary', secondary: 'standby', slave: 'standby', any: 'any' }
  for (const [kind, target] of Object.entries({ ...kinds, preferSecondary: 'prefer-standby' })) {
    const translated = url(`targetServerType=${kind}&loadBalanceHosts=true`)
    deepStrictEqual(urlParameterProblems(translated), [])
    const { hosts, target: wanted, isRandom } = readLocation(translated)
    deepStrictEqual([hosts.map(nameOf).join(), wanted, isRandom], ['a:1,b:2', target, true])
  }
  ok(urlParameterProblems(url('targetServerType=preferPrimary')).join().includes('target_session_attrs'))
})

describe('a server', () => {
  const standing = (isStandby: boolean | undefined, isReadOnly: boolean | undefined): Standing =>
    Object.assign(new Standing(), { isStandby, isReadOnly })
  const servers = {
    primary: standing(false, false),
    'primary that only reads': standing(false, true),
    standby: standing(true, false),
  }
  const wanted: Readonly<Record<Target, readonly (keyof typeof servers)[]>> = {
    any: ['primary', 'primary that only reads', 'standby'],
    'read-write': ['primary'],
    'read-only': ['primary that only reads', 'standby'],
    primary: ['primary', 'primary that only reads'],
    standby: ['standby'],
    'prefer-standby': ['primary', 'primary that only reads', 'standby'],
  }
  for (const target of targets) {
    test(`that is ${target}: ${wanted[target].join(', ')} [O4.1]`, () => {
      const fitting = Object.entries(servers).filter(([, server]) => whyNot(target, server) === undefined)
      deepStrictEqual(
        fitting.map(([name]) => name),
        wanted[target],
      )
    })
  }

  test('that is not wanted: the message says why [O4.1]', () => {
    const { primary, standby } = servers
    deepStrictEqual(
      [
        whyNot('read-write', standby),
        whyNot('read-write', servers['primary that only reads']),
        whyNot('read-only', primary),
        whyNot('primary', standby),
        whyNot('standby', primary),
        // One that says nothing of itself counts as a primary that writes.
        whyNot('read-write', new Standing()),
        whyNot('standby', new Standing()),
      ],
      [
        'only reads, as a standby',
        'only reads',
        'takes writes',
        'is a standby',
        'is a primary',
        undefined,
        'is a primary',
      ],
    )
  })

  test('that refuses a write says something where writes are expected [O4.1]', () => {
    deepStrictEqual(targets.filter(expectsWrites), ['any', 'read-write', 'primary'])
    strictEqual(targets.length, 6)
  })

  test('says by settings what it is [O4.1]', () => {
    const server = new Standing()
    server.take('in_hot_standby', 'on')
    strictEqual(server.isKnown, false)
    server.take('default_transaction_read_only', 'off')
    server.take('TimeZone', 'on')
    deepStrictEqual([server.isKnown, server.isStandby, server.isReadOnly], [true, true, false])
    server.take('in_hot_standby', 'off')
    strictEqual(server.isStandby, false)
    server.take('default_transaction_read_only', 'on')
    strictEqual(server.isReadOnly, true)
  })
})

describe('servers are tried', () => {
  const hosts: readonly Host[] = ['a', 'b', 'c'].map((host) => ({ host, port: 1 }))
  const names = (order: ServerOrder, isRandom = false): string =>
    order
      .sort(hosts, isRandom)
      .map(({ host }) => host)
      .join('')

  test('in the order of the URL [O4.1]', () => strictEqual(names(new ServerOrder()), 'abc'))

  test('behind the others where one was silent lately, and all of them still [O4.1]', () => {
    const order = new ServerOrder(Infinity)
    order.noteSilent('a:1')
    strictEqual(names(order), 'bca')
    order.noteSilent('b:1')
    order.noteSilent('c:1')
    strictEqual(names(order), 'abc')
  })

  test('in their place again when that is long ago [O4.1]', () => {
    const order = new ServerOrder(0)
    order.noteSilent('a:1')
    strictEqual(names(order), 'abc')
  })

  test('behind the others where one refused to write, until another one does [O4.1]', () => {
    const order = new ServerOrder()
    order.noteRefusal('a:1')
    strictEqual(names(order), 'bca')
    for (const since = performance.now(); performance.now() === since;);
    order.noteRefusal('b:1')
    strictEqual(names(order), 'cab')
  })

  test('in every order of chance with load_balance_hosts=random [O4.1]', () => {
    const order = new ServerOrder()
    const seen = new Set<string>()
    while (seen.size < 6) seen.add(names(order, true))
    strictEqual(seen.size, 6)
  })
})
