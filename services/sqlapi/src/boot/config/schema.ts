/**
 * The fields of sqlapi.yaml, each declared once: name, type, default, what it means, what would be right. Plain data
 * comes in, a frozen `Config` or the list of problems goes out. What takes more than one field to decide is left to
 * config.ts.
 */
import {
  addressText,
  adminSection,
  anyText,
  checked,
  expected,
  type FileKind,
  flag,
  found,
  list,
  names,
  oneOf,
  type Parsed,
  parse,
  reloadField,
  requestLogFields,
  section,
  shutdownSection,
  toAddress,
  toJsonSchema,
  traceEnabled,
  type ValueOf,
  variableName,
  wholeNumber,
} from '@services/config-file'
import { levelsPattern, logFormats } from '@services/observe'
import { defaultLevels, levelsMeaning } from '../../events.ts'
import { urlPrefixes } from '../../dialects.ts'
import { codeNames } from '../../findings/codes.ts'
import { levels, type Weights } from '../../findings/weights.ts'
import { isTimeZone } from './time-zone.ts'
import { urlParameterProblems, urlProblem } from './url.ts'

const urlStarts = `${urlPrefixes.slice(0, -1).join(', ')} or ${urlPrefixes.at(-1)}`
const timeZoneMeaning = 'a time zone such as Europe/Tallinn, or an offset such as +02:00'
const urlMeaning = `a URL that starts with ${urlStarts}`

const server = section({
  bind: addressText
    .default('0.0.0.0:8080')
    .transform(toAddress)
    .describe('Address to listen on, host:port. Port 0 takes any free port; without a host all IPv4 addresses.'),
  max_body_bytes: wholeNumber(1, 268_435_456)
    .default(1_048_576)
    .describe('Largest request body in bytes; a larger one is answered with 413.'),
  max_pipelined_requests: wholeNumber(1, 1000)
    .default(64)
    .describe(
      'Requests of a connection that run at the same time; further ones are not read before others are answered.',
    ),
  fast_reader: flag()
    .default(true)
    .describe(
      'Whether plain requests are read by sqlapi itself; false leaves all of them to the HTTP parser of Node.js.',
    ),
  request_timeout_seconds: wholeNumber(0, 86_400).default(30).describe('Kept for information, has no effect.'),
  compression: flag()
    .default(false)
    .describe('Whether answers of more than 1 KiB are compressed for clients that accept it: zstd, brotli or gzip.'),
  workers: wholeNumber(1, 64).default(1).describe('Processes that serve on the port; they share max_connections.'),
})

const results = section({
  numeric: oneOf(['string', 'number'])
    .default('string')
    .describe('PostgreSQL: numeric values as strings, or as numbers with all their digits.'),
  json: oneOf(['value', 'pgobject'])
    .default('value')
    .describe('PostgreSQL: json values as they are, or as objects with type and value, as the predecessor wrote them.'),
})

/** Length of a file of the log of writes. */
const usualReplicaLag = 16_777_216

const connectionUrl = checked(checked(anyText(urlMeaning, { secret: true }), whyNoUrl, urlMeaning), whyNoParameters)

const datasource = section({
  name: anyText('the name of the datasource', { filled: true }).describe(
    'Name in URLs, in project_datasource_map and in the X-Datasource header.',
  ),
  url: connectionUrl.meta({ pattern: `^(${urlPrefixes.join('|')})` }).describe(`Connection URL: ${urlStarts}.`),
  username: anyText('a user name')
    .default('')
    .describe('User to log in as, unless the URL names one. Needs password_env.'),
  password_env: variableName().default('').describe('Environment variable that holds the password.'),
  password_file: anyText('the path of a file', { secret: true })
    .default('')
    .describe('File that holds only the password, instead of password_env; read again for each connection.'),
  max_connections: wholeNumber(1, 1000)
    .default(10)
    .describe('Most connections open at a time, of all workers together.'),
  acquire_timeout_seconds: wholeNumber(1, 3600).default(5).describe('Longest wait for a free connection.'),
  connect_timeout_seconds: wholeNumber(1, 3600)
    .exactOptional()
    .describe(
      'PostgreSQL: longest time for connecting to one address of a server; without it the servers of the URL share acquire_timeout_seconds.',
    ),
  keepalive_seconds: wholeNumber(1, 7200)
    .default(20)
    .describe('PostgreSQL: after so many seconds without a packet TCP probes whether the server is still there.'),
  silence_timeout_seconds: wholeNumber(1, 3600)
    .default(10)
    .describe('PostgreSQL: a connection is given up when a cancel, or a reset, gets no answer for so long.'),
  statement_timeout_seconds: wholeNumber(0, 86_400)
    .default(0)
    .describe('Longest time that a statement may run; 0 sets no limit.'),
  time_zone: checked(anyText(timeZoneMeaning, { shown: true }), timeZoneProblem, timeZoneMeaning)
    .default('UTC')
    .describe(
      'PostgreSQL: the zone in which times with a zone are written and texts without one are read: a name such as Europe/Tallinn, or an offset such as +02:00.',
    ),
  results: results.prefault({}).describe('How some values are written, for clients of the predecessor.'),
  replicas: list(connectionUrl, 'a list of connection URLs')
    .prefault([])
    .describe(
      'PostgreSQL: connection URLs of replicas, which take the reads of GET files and of files marked @replica in turn.',
    ),
  max_replica_lag_bytes: wholeNumber(0, 1_099_511_627_776)
    .default(usualReplicaLag)
    .describe(
      'How many bytes of the write-ahead log a replica may be behind; one that is further behind gets no reads.',
    ),
  pooler: oneOf(['none', 'transaction'])
    .default('none')
    .describe(
      'PostgreSQL: transaction where a pooler such as PgBouncer in front of the database keeps a connection for one transaction only.',
    ),
  optional: flag().default(false).describe('Whether the service is ready while this datasource is down.'),
})

const cors = section({
  allowed_origins: anyText('* or origins separated by commas')
    .default('*')
    .transform(toOrigins)
    .describe('Origins that browsers may call from: * for any, or exact origins separated by commas.'),
})

const logging = section({
  level: anyText(levelsMeaning, { shown: true })
    .regex(levelsPattern, expected(levelsMeaning, { shown: true }))
    .default(defaultLevels)
    .describe('Levels: a default and target=level, separated by commas; targets are sqlapi and sqlx.'),
  format: oneOf(logFormats).default('text').describe('Log lines as readable text or as JSON objects.'),
  ...requestLogFields.errors,
})

const trace = section({
  enabled: traceEnabled,
  sql_comment: flag()
    .default(false)
    .describe(
      'PostgreSQL: statements of sampled requests carry their traceparent as a comment, and are sent without a name.',
    ),
})

const levelMeaning = levels.join(', ').replace(/, (?=[^,]*$)/, ' or ')

const check = section({
  rules: names(
    anyText(levelMeaning, { shown: true }).regex(
      new RegExp(`^(?:${levels.join('|')})$`),
      expected(levelMeaning, { shown: true }),
    ),
    'code: level lines',
  )
    .transform((rules) => rules as Weights)
    .prefault({})
    .meta({ propertyNames: { enum: codeNames } })
    .describe(`Code of findings to how severe they are: ${levelMeaning}.`),
})

const test = section({
  datasource: anyText('the name of a datasource', { shown: true })
    .default('')
    .describe(
      'Says on which kind of database, and for PostgreSQL on which server, sqlapi test makes databases of its own.',
    ),
  schema: anyText('the path of a file with SQL', { shown: true })
    .default('')
    .describe('File of SQL statements that fills such a database.'),
})

const fields = section({
  sql_dir: anyText('the directory that holds the .sql files', { filled: true }).describe(
    'Directory of the .sql files.',
  ),
  server: server.prefault({}).describe('Listener.'),
  admin: adminSection
    .exactOptional()
    .describe('A second listener, for operators: /health, /ready, /metrics, /version.'),
  shutdown: shutdownSection.prefault({}).describe('The orderly end.'),
  reload: reloadField,
  datasources: list(datasource, 'a list of datasources, each of which begins with "- name:"')
    .prefault([])
    .describe('Databases.'),
  project_datasource_map: names(anyText('the name of a datasource', { filled: true }), 'project: datasource lines')
    .prefault({})
    .describe('URL project segment to datasource name, where the two differ.'),
  default_datasource: anyText('the name of a datasource', { shown: true })
    .default('')
    .describe(
      'Datasource of projects that project_datasource_map does not list and that no datasource is named after.',
    ),
  allow_datasource_header: flag().default(true).describe('Whether the X-Datasource header may choose the datasource.'),
  openapi: flag()
    .default(false)
    .describe('Whether /openapi.json describes the endpoints, and /docs shows them to people.'),
  errors: oneOf(['short', 'full'])
    .default('short')
    .describe('full: the answer of a failed statement includes what else the database says. Not for production.'),
  cors: cors.prefault({}).describe('Calls from browsers.'),
  logging: logging.prefault({}).describe('Log lines on stdout.'),
  trace: trace.prefault({}).describe('The place of requests in the traces of their callers.'),
  checks: oneOf(['off', 'warn', 'refuse'])
    .default('warn')
    .describe(
      'What the start does about findings: log what is found without a database, nothing, or check the files on their databases and refuse to start with an error in them.',
    ),
  check: check.prefault({}).describe('What is found in the files.'),
  test: test.prefault({}).describe('What sqlapi test runs its cases on.'),
})

/** Where a password leads to. */
export const passwordField = { name: 'password_env', of: 'the datasource', example: 'CRM_PASSWORD' }

const partsOfUrl =
  'host hostname server address port database db dbname database_name schema driver dialect type path file'.split(' ')
const urlRemedy =
  'it is a part of url: postgres://USER@HOST:PORT/DATABASE, or sqlite:PATH; the password is named by password_env'
const sslRemedy = 'it is a parameter of url: postgres://USER@HOST:PORT/DATABASE?sslmode=require'
const poolRemedy = 'did you mean max_connections?'

export const sqlapiFile = {
  title: 'sqlapi.yaml',
  fields,
  unknownFields: 'refused',
  emptyFields: 'refused',
  bareTexts: 'refused',
  password: passwordField,
  usual: {
    port: 'the port follows the address in server.bind, such as 0.0.0.0:8080',
    host: 'address and port stand in server.bind, such as 0.0.0.0:8080',
    address: 'address and port stand in server.bind, such as 0.0.0.0:8080',
    listen: 'address and port stand in server.bind, such as 0.0.0.0:8080',
    ...Object.fromEntries(partsOfUrl.map((part) => [`datasources.${part}`, urlRemedy])),
    ...Object.fromEntries(['ssl', 'sslmode', 'ssl_mode'].map((key) => [`datasources.${key}`, sslRemedy])),
    ...Object.fromEntries(['pool_size', 'pool', 'max_pool_size'].map((key) => [`datasources.${key}`, poolRemedy])),
  },
} as const satisfies FileKind

export type Config = ValueOf<typeof fields>
export type DatasourceConfig = ValueOf<typeof datasource>

/** Checks every field. */
export function parseConfig(data: unknown): Parsed<Config> {
  return parse(sqlapiFile, data)
}

/** The same declaration as JSON Schema, for editors. */
export function configSchema(): object {
  return toJsonSchema(sqlapiFile)
}

function timeZoneProblem(text: string): string | undefined {
  return isTimeZone(text) ? undefined : found(text, { shown: true })
}

function whyNoUrl(url: string): string | undefined {
  const problem = urlProblem(url)
  return problem && `found ${problem}`
}

function whyNoParameters(url: string): string | undefined {
  return urlParameterProblems(url).join('; ') || undefined
}

function toOrigins(text: string): '*' | readonly string[] {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  return origins.includes('*') ? '*' : Object.freeze(origins)
}
