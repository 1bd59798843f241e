/**
 * URLs of PostgreSQL: each parameter that libpq or the driver knows is honoured or refused, none is ignored. What
 * honouring means is wire/location.ts's; the servers that it names are hosts.ts's.
 */
import type { ParameterRule, UrlRules } from '../url-rules.ts'
import { hostsProblem, namelessHosts, withOneHost } from './hosts.ts'

const any: ParameterRule = {}
const refused = (cure: string): ParameterRule => ({ values: 'none', cure })
const only = (values: RegExp, cure: string): ParameterRule => ({ values, cure })

const ofMachine = 'set it for the machine, in the sysctl settings net.ipv4.tcp_*'
const ofOptions = (name: string): string => `write options=-c%20${name}%3D.. instead`
const noKerberos = 'Kerberos is not supported; use a password or a client certificate'
const noMethod = 'the method cannot be demanded; use sslmode=verify-full, which proves who the server is'
const tlsVersion = only(/^TLSv1(?:\.[123])?$/, 'expected TLSv1, TLSv1.1, TLSv1.2 or TLSv1.3')

/** Those that name files. */
export const fileParameters: readonly string[] = ['sslrootcert', 'sslcert', 'sslkey']

const parameters: Readonly<Record<string, ParameterRule>> = {
  user: only(/./s, 'name a user, or leave it out'),
  password: any,
  host: only(/./s, 'name one host, or several with commas between them'),
  port: only(/^(?=.*\d)\d{0,5}(?:,\d{0,5})*$/, 'expected a number, or one for each host with commas between them'),
  application_name: any,
  options: any,
  client_encoding: only(/^utf-?8$/i, 'the service speaks UTF8 only; leave it out'),

  sslmode: only(
    /^(?:disable|prefer|require|verify-ca|verify-full)$/,
    'expected disable, prefer, require, verify-ca or verify-full',
  ),
  ssl: only(/^(?:true|[01])$/, 'write sslmode instead'),
  sslnegotiation: only(/^(?:postgres|direct)$/, 'expected postgres or direct'),
  sslrootcert: only(/^(?!system$)./s, 'name the file with the certificates'),
  sslcert: only(/./s, 'name a file'),
  sslkey: only(/./s, 'name a file'),
  sslpassword: any,
  ssl_min_protocol_version: tlsVersion,
  ssl_max_protocol_version: tlsVersion,
  sslcompression: only(/^0$/, 'there is no compression; leave it out'),
  sslsni: only(/^1$/, 'the name of the server is always sent; leave it out'),
  sslcertmode: only(/^allow$/, 'a certificate is sent when the server asks for one and sslcert names it; leave it out'),
  sslcrl: refused('lists of revoked certificates are not read; leave it out'),
  sslcrldir: refused('lists of revoked certificates are not read; leave it out'),
  sslkeylogfile: refused('start the process with --tls-keylog=FILE in NODE_OPTIONS instead'),
  requiressl: refused('write sslmode=require instead'),

  channel_binding: only(/^(?:disable|prefer)$/, 'it cannot be required; sslmode=verify-full proves who the server is'),
  require_auth: refused(noMethod),
  requirepeer: refused(noMethod),
  scram_client_key: refused('use password_env'),
  scram_server_key: refused('use password_env'),
  passfile: refused('use password_env'),
  gssencmode: only(/^(?:disable|prefer)$/, noKerberos),
  krbsrvname: refused(noKerberos),
  gsslib: refused(noKerberos),
  gssdelegation: refused(noKerberos),

  target_session_attrs: only(
    /^(?:any|read-write|read-only|primary|standby|prefer-standby)$/,
    'expected any, read-write, read-only, primary, standby or prefer-standby',
  ),
  load_balance_hosts: only(/^(?:disable|random)$/, 'expected disable or random'),
  targetServerType: refused('write target_session_attrs instead'),
  loadBalanceHosts: refused('write load_balance_hosts=random instead'),
  hostaddr: refused('write the address as the host'),
  dbname: refused('write the database as the path of the URL'),
  database: refused('write the database as the path of the URL'),
  service: refused('write what the service file says into the URL'),
  servicefile: refused('write what the service file says into the URL'),
  fallback_application_name: refused('write application_name instead'),
  replication: refused('replication connections are not supported; leave it out'),
  min_protocol_version: only(/^3\.0$/, 'the protocol is 3.0; leave it out'),
  max_protocol_version: only(/^3\.0$/, 'the protocol is 3.0; leave it out'),

  connect_timeout: only(/^-?\d{1,9}$/, 'expected a whole number of seconds; 0 or less sets no limit'),
  keepalives: only(/^1$/, 'keep-alive is always on; leave it out'),
  keepalives_idle: only(/^[1-9]\d{0,4}$/, 'expected a number of seconds from 1 to 99999'),
  keepalives_interval: refused(ofMachine),
  keepalives_count: refused(ofMachine),
  tcp_user_timeout: refused(ofMachine),

  statement_timeout: refused('use statement_timeout_seconds of the datasource'),
  query_timeout: refused('use statement_timeout_seconds of the datasource'),
  lock_timeout: refused(ofOptions('lock_timeout')),
  idle_in_transaction_session_timeout: refused(ofOptions('idle_in_transaction_session_timeout')),
  search_path: refused(ofOptions('search_path')),
  // Of JDBC, Prisma and others: a URL without one has other tables, or no encryption.
  currentSchema: refused(ofOptions('search_path')),
  schema: refused(ofOptions('search_path')),
  sslaccept: refused('write sslmode=verify-full instead'),
  timezone: refused('use time_zone of the datasource'),
  TimeZone: refused('use time_zone of the datasource'),
  pgbouncer: refused('use pooler: transaction of the datasource'),
  pool_timeout: refused('use acquire_timeout_seconds of the datasource'),
  connection_limit: refused('use max_connections of the datasource'),
  max: refused('use max_connections of the datasource'),
  uselibpqcompat: refused('TLS parameters mean what they mean to libpq anyway; leave it out'),
}

/** Those that mean nothing where the connection is not encrypted. */
const ofTls = [
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'ssl_min_protocol_version',
  'ssl_max_protocol_version',
]

function conflictsOf(query: URLSearchParams): string[] {
  const mode = query.get('sslmode')
  const isOff = mode === null ? query.get('ssl') === '0' : mode === 'disable'
  const files = ['sslrootcert', 'sslcert', 'sslkey'].some((name) => query.has(name))
  const isOn = !isOff && (mode !== null || files || query.has('ssl') || query.get('sslnegotiation') === 'direct')
  const problems = ofTls
    .filter((name) => !isOn && query.has(name))
    .map((name) => `parameter ${name} has no effect without encryption; add sslmode=verify-full, or leave it out`)
  if (query.has('ssl') && mode !== null) problems.push('parameter ssl has no effect beside sslmode; leave it out')
  if (query.has('sslcert') !== query.has('sslkey'))
    problems.push('parameters sslcert and sslkey must be given together')
  if (mode === 'verify-ca' && !query.has('sslrootcert')) {
    problems.push('parameter sslmode=verify-ca needs sslrootcert; sslmode=verify-full needs none')
  }
  if (query.get('sslnegotiation') === 'direct' && (isOff || mode === 'prefer')) {
    problems.push('parameter sslnegotiation=direct needs sslmode=require or better')
  }
  return problems
}

/**
 * In `options`: what counts for the transaction behind the one that makes it, and what a session has between
 * transactions.
 */
const neverInTransaction =
  /(?:^|\s)(?:-c\s*|--)(default[-_]transaction[-_]\w+|transaction[-_](?:isolation|deferrable)|idle[-_]session[-_]timeout)\s*=/gi

function pooledConflictsOf(query: URLSearchParams): string[] {
  const names = Array.from((query.get('options') ?? '').matchAll(neverInTransaction), ([, name = '']) =>
    name.toLowerCase(),
  )
  return [...new Set(names)].map((name) => {
    const setting = name.replaceAll('-', '_')
    return `parameter options sets ${setting}, which cannot be set for a transaction in it (pooler: transaction); set it for the role: ALTER ROLE .. SET ${setting} = .., or leave it out`
  })
}

export const url: UrlRules = {
  prefixes: ['postgres://', 'postgresql://'],
  hasLogin: true,
  problemOf: hostsProblem,
  withOneHost,
  parameters,
  fileParameters,
  conflictsOf,
  pooledConflictsOf,
  hintOf: (each) =>
    namelessHosts(each) === 0
      ? undefined
      : 'a list of hosts has one without a name, which means localhost (write localhost, or remove the comma)',
  isInMemory: () => false,
}
