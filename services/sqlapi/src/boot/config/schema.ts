/**
 * The fields of sqlapi.yaml, each declared once: name, type, default, what it means, what would be right. Plain data
 * comes in, a frozen `Config` goes out, or one StartupFailure that names every field in question. The only file that
 * knows the validation library. What takes more than one field to decide is left to config.ts.
 */
import { isIPv6 } from 'node:net'
import * as z from 'zod'
import { StartupFailure } from '../../errors.ts'
import { defaultLevels, levelsMeaning, levelsPattern } from '../../log.ts'
import { nearest } from './nearest.ts'
import { isSecretField, passwordCure, shownKey } from './secrets.ts'
import { urlParameterProblems, urlProblem } from './url.ts'

type Issue = z.core.$ZodRawIssue

const server = section({
  bind: z
    .string(expected(addressMeaning(), { shown: true }))
    .default('0.0.0.0:8080')
    .transform(readAddress)
    .describe('Address to listen on, host:port. Port 0 takes any free port; without a host all IPv4 addresses.'),
  max_body_bytes: wholeNumber(1, 268_435_456)
    .default(1_048_576)
    .describe('Largest request body in bytes; a larger one is answered with 413.'),
  max_pipelined_requests: wholeNumber(1, 1000)
    .default(64)
    .describe(
      'Requests of a connection that run at the same time; further ones are not read before others are answered.',
    ),
  request_timeout_seconds: wholeNumber(0, 86_400).default(30).describe('Kept for information, has no effect.'),
  workers: wholeNumber(1, 64).default(1).describe('Processes that serve on the port; they share max_connections.'),
})

const datasource = section({
  name: filledText('the name of the datasource').describe(
    'Name in URLs, in project_datasource_map and in the X-Datasource header.',
  ),
  url: z
    .string(expected(urlMeaning(), { secret: true }))
    .refine((url) => urlProblem(url) === undefined, {
      error: ({ input }) => `found ${urlProblem(String(input))}, expected ${urlMeaning()}`,
    })
    .refine((url) => urlParameterProblems(url).length === 0, {
      error: ({ input }) => urlParameterProblems(String(input)).join('; '),
    })
    .meta({ pattern: '^(postgres(ql)?://|sqlite:)' })
    .describe('Connection URL: postgres://, postgresql:// or sqlite:.'),
  username: anyText('a user name')
    .default('')
    .describe('User to log in as, unless the URL names one. Needs password_env.'),
  password_env: z
    .string(expected('the name of an environment variable', { secret: true }))
    .default('')
    .describe('Environment variable that holds the password.'),
  max_connections: wholeNumber(1, 1000)
    .default(10)
    .describe('Most connections open at a time, of all workers together.'),
  acquire_timeout_seconds: wholeNumber(1, 3600).default(5).describe('Longest wait for a free connection.'),
  statement_timeout_seconds: wholeNumber(0, 86_400)
    .default(0)
    .describe('Longest time that a statement may run; 0 sets no limit.'),
})

const cors = section({
  allowed_origins: anyText('* or origins separated by commas')
    .default('*')
    .transform(toOrigins)
    .describe('Origins that browsers may call from: * for any, or exact origins separated by commas.'),
})

const logging = section({
  level: z
    .string(expected(levelsMeaning, { shown: true }))
    .regex(levelsPattern, expected(levelsMeaning, { shown: true }))
    .default(defaultLevels)
    .describe('Levels: a default and target=level, separated by commas; targets are sqlapi and sqlx.'),
  format: z
    .enum(['text', 'json'], expected('text or json', { shown: true }))
    .default('text')
    .describe('Log lines as readable text or as JSON objects.'),
})

const file = section({
  sql_dir: filledText('the directory that holds the .sql files').describe('Directory of the .sql files.'),
  server: server.prefault({}).describe('Listener.'),
  datasources: z
    .array(datasource, expected('a list of datasources'))
    .prefault([])
    .transform((list): readonly DatasourceConfig[] => Object.freeze(list))
    .describe('Databases.'),
  project_datasource_map: z
    .record(z.string(), filledText('the name of a datasource'), expected('project: datasource lines'))
    .default({})
    .transform((map): Readonly<Record<string, string>> => Object.freeze(map))
    .describe('URL project segment to datasource name, where the two differ.'),
  allow_datasource_header: z
    .boolean(expected('true or false', { shown: true }))
    .default(true)
    .describe('Whether the X-Datasource header may choose the datasource.'),
  cors: cors.prefault({}).describe('Calls from browsers.'),
  logging: logging.prefault({}).describe('Log lines on stdout.'),
})

export type Config = z.output<typeof file>
export type DatasourceConfig = z.output<typeof datasource>

/** Checks every field; `source` is the file, as messages name it. */
export function parseConfig(data: unknown, source: string): Config {
  const parsed = file.safeParse(data, { reportInput: true })
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ code, path, message }) =>
    code === 'unrecognized_keys' ? message : `${toPath(path)}: ${message}`,
  )
  throw new StartupFailure('InvalidConfigurationException', `${source}: ${problems.join('; ')}`)
}

/** The same declaration as JSON Schema, for editors. */
export function configSchema(): object {
  const { $schema, ...rules } = z.toJSONSchema(file, { io: 'input', target: 'draft-2020-12' })
  return { $schema, title: 'sqlapi.yaml', ...rules }
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name
type CamelKeys<Fields> = { readonly [Name in keyof Fields as CamelCase<Name & string>]: Fields[Name] }

/** A group of fields: spelled in snake_case in the file, in camelCase here. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, { error: (issue) => sectionProblem(issue, Object.keys(shape)) }).transform(toCamelKeys)
}

function toCamelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  const renamed = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.freeze(Object.fromEntries(renamed)) as CamelKeys<Fields>
}

function sectionProblem(issue: Issue, known: readonly string[]): string {
  if (issue.code !== 'unrecognized_keys') return `${found(issue.input)}, expected the fields ${known.join(', ')}`
  return issue.keys
    .map((key) => {
      const path = toPath([...(issue.path ?? []), shownKey(key)])
      if (isSecretField(key)) return `${path}: unknown field; ${passwordCure}`
      const meant = nearest(key, known)
      const remedy = meant === undefined ? `known here are ${known.join(', ')}` : `did you mean ${meant}?`
      return `${path}: unknown field, ${remedy}`
    })
    .join('; ')
}

function filledText(meaning: string) {
  return anyText(meaning).regex(/\S/, expected(meaning))
}

function anyText(meaning: string) {
  return z.string(expected(meaning))
}

function wholeNumber(least: number, most: number) {
  const rule = expected(`a whole number from ${least} to ${most}`, { shown: true })
  return z.int(rule).min(least, rule).max(most, rule)
}

function urlMeaning(): string {
  return 'a URL that starts with postgres://, postgresql:// or sqlite:'
}

interface Showing {
  /** The value is no secret, not even by mistake. */
  readonly shown?: boolean
  /** It may be one even where it is a number, as when a password stands in the place of its variable. */
  readonly secret?: boolean
}

function expected(meaning: string, showing: Showing = {}) {
  return { error: ({ input }: Issue) => `${found(input, showing)}, expected ${meaning}` }
}

function found(value: unknown, { shown = false, secret = false }: Showing = {}): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'left empty'
  if (Array.isArray(value)) return 'found a list'
  if (typeof value === 'object') return 'found a group of fields'
  if (typeof value !== 'string' && secret) return `found a ${typeof value}`
  if (typeof value !== 'string')
    return `found the ${typeof value} ${JSON.stringify(value)}${shown ? '' : ' (as a text it needs quotes)'}`
  if (value.trim() === '') return 'found an empty text'
  return shown ? `found ${JSON.stringify(value)}` : 'found a text'
}

function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}

function addressMeaning(): string {
  return 'host:port such as 0.0.0.0:8080 or [::]:8080'
}

export interface Address {
  readonly host: string
  readonly port: number
}

function readAddress(text: string, context: z.RefinementCtx): Address {
  const [, ipv6, name = '', port = ''] = /^(?:\[(.+)\]|([\w.-]*)):(\d{1,5})$/.exec(text) ?? []
  if (port === '' || Number(port) > 65_535 || (ipv6 !== undefined && !isIPv6(ipv6))) {
    context.addIssue(`${found(text, { shown: true })}, expected ${addressMeaning()}`)
  }
  return Object.freeze({ host: ipv6 ?? (name || '0.0.0.0'), port: Number(port) })
}

function toOrigins(text: string): '*' | readonly string[] {
  const origins = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  return origins.includes('*') ? '*' : Object.freeze(origins)
}
