/**
 * The environment of the predecessor's container -> the data of an application.yml, which legacy.ts translates. For
 * installations that configured it by variables only. Knows Spring's spellings of a property:
 * `SQLMS_DATASOURCES_0_JDBC_URL`, `sqlms.datasources[0].jdbcUrl`, `sqlms.datasources.[0].jdbc-url`, and JSON in
 * SPRING_APPLICATION_JSON. When nobody has such a container any more, delete this file.
 */
import {
  type ConfigFile,
  type Environment,
  type Mapping,
  type Path,
  type Problem,
  toFieldName,
  withoutFile,
} from '@services/config-file'
import { translateLegacy, zoneNote } from './legacy.ts'

export interface LegacyEnvironment {
  /** In the spelling of sqlapi.yaml; messages name the variables. */
  readonly file: ConfigFile
  /** If there are any, the values must not be used. */
  readonly problems: readonly Problem[]
  /** One for each value, in words. None holds a value. */
  readonly diagnostics: readonly string[]
}

/** Undefined unless the environment names the folder of the files: many a process has variables such as SERVER_PORT. */
export function readLegacyEnvironment(env: Environment): LegacyEnvironment | undefined {
  const read = new Reading()
  for (const given of givenIn(env)) read.take(given)
  return read.namesFolder ? read.end() : undefined
}

interface Given {
  /** As messages name it. */
  readonly source: string
  /** The property, in one of its spellings. */
  readonly name: string
  readonly value: string | number | boolean
}

const json = 'SPRING_APPLICATION_JSON'

/** What is in JSON comes first: it counts before a variable. An empty variable counts as not set. */
function givenIn(env: Environment): Given[] {
  const variables = Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const inJson = variables.flatMap(([name, value]) =>
    /^spring[._]application[._]json$/i.test(name) ? leaves(parse(value)) : [],
  )
  const others = variables.filter(([name]) => !/^spring[._]application[._]json$/i.test(name))
  return [
    ...inJson.map(([name, value]) => ({ source: `${json} (${name})`, name, value })),
    ...others.map(([name, value]) => ({ source: name, name, value })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ]
}

/** Nothing for what is not JSON; the service looks for a folder's name and finds none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function leaves(value: unknown, name = ''): [name: string, value: string | number | boolean][] {
  if (Array.isArray(value)) return value.flatMap((element, index) => leaves(element, `${name}[${index}]`))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => leaves(inner, name === '' ? key : `${name}.${key}`))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : []
}

/**
 * A property: its canonical name, where it is in an application.yml, and in sqlapi.yaml unless it has no
 * counterpart.
 */
interface Property {
  readonly pattern: RegExp
  readonly path: (at: string) => Path
  readonly field?: (at: string) => string
}

/** `.` is a dot or an underscore, `-` a dash, an underscore or nothing, `#` a number with or without brackets. */
function property(name: string, path: Property['path'], field?: Property['field']): Property {
  const pattern = name
    .replaceAll('.', '[._]')
    .replaceAll('-', '[-_]?')
    .replaceAll('#', String.raw`(?:[._]?\[(\d{1,4})\]|[._](\d{1,4}))`)
  return { pattern: new RegExp(`^${pattern}$`, 'i'), path, ...(field === undefined ? {} : { field }) }
}

const ofDatasource =
  (key: string) =>
  (at: string): Path => ['sqlms', 'datasources', Number(at), key]
const fieldOfDatasource =
  (key: string) =>
  (at: string): string =>
    `datasources[${at}].${key}`

const properties: readonly Property[] = [
  property(
    'sqlms.saved-queries-dir',
    () => ['sqlms', 'saved-queries-dir'],
    () => 'sql_dir',
  ),
  property('sqlms.datasources#.name', ofDatasource('name'), fieldOfDatasource('name')),
  property('sqlms.datasources#.(?:jdbc-)?url', ofDatasource('jdbcUrl'), fieldOfDatasource('url')),
  property('sqlms.datasources#.username', ofDatasource('username'), fieldOfDatasource('username')),
  property('sqlms.datasources#.password', ofDatasource('password'), fieldOfDatasource('password_env')),
  property('sqlms.datasources#.driver-class-name', ofDatasource('driverClassName')),
  property('sqlms.datasources#.time-zone', ofDatasource('timeZone')),
  property(
    'server.port',
    () => ['server', 'port'],
    () => 'server.bind',
  ),
  property(
    'server.address',
    () => ['server', 'address'],
    () => 'server.bind',
  ),
  property(
    'cors.allowed-origins',
    () => ['cors', 'allowedOrigins'],
    () => 'cors.allowed_origins',
  ),
  property(
    'cors.allowed-origins#',
    (at) => ['cors', 'allowedOrigins', Number(at)],
    () => 'cors.allowed_origins',
  ),
  property(
    'logging.level.(root|sqlapi|sqlx)',
    (at) => ['logging', 'level', at],
    () => 'logging.level',
  ),
  {
    pattern: /^((?:logging[._]level|headers|h2|spring|management|info)[._].+|user[-_]?ip.+)$/i,
    path: (at) => [at],
  },
]

/** Kubernetes sets these for a service of that name. */
const serviceLink = /^SQLMS_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_\w+)?)$/
const known = 'the known ones are name, jdbc-url, username and password'
const takeover = 'a sqlapi.yaml takes the place of all these variables'

class Reading {
  readonly #data: Tree = {}
  /** Names of places, in an application.yml and in sqlapi.yaml -> what their values come from. */
  readonly #sources = new Map<string, string>()
  readonly #problems: Problem[] = []
  /** By source. */
  readonly #notes = new Map<string, string[]>()

  get namesFolder(): boolean {
    return this.#sources.has('sql_dir')
  }

  take({ source, name, value }: Given): void {
    const found = properties.find(({ pattern }) => pattern.test(name))
    if (found === undefined) {
      this.#takeUnknown(source, name)
      return
    }
    const [, ...groups] = found.pattern.exec(name) ?? []
    const at = (groups.find((group) => group !== undefined) ?? '').toLowerCase().replace(/^0+(?=\d)/, '')
    const path = found.path(at)
    if (found.field === undefined) {
      this.#note(source, path.at(-1) === 'timeZone' ? zoneNote : 'has no counterpart in sqlapi.yaml and is ignored')
    } else if (path[1] === 'port' && /^tcp:\/\//i.test(String(value))) {
      this.#note(source, 'holds an address that Kubernetes put there, and is ignored')
    } else this.#place(path, found.field(at), { source, name, value })
  }

  end(): LegacyEnvironment {
    this.#requireNoGap()
    const { data, problems, diagnostics } = translateLegacy(this.#data as Mapping)
    for (const { path, message } of diagnostics) {
      this.#note(this.#sources.get(toFieldName(path)) ?? '', message.replace('in the file', 'there'))
    }
    return {
      file: { ...withoutFile('environment'), data, variables: this.#sources },
      problems: [...this.#problems, ...problems],
      diagnostics: Array.from(this.#notes, ([source, notes]) => `${source}: ${notes.join('; ')}`),
    }
  }

  #takeUnknown(source: string, name: string): void {
    if (/^sqlms[._]datasources/i.test(name)) this.#refuse(source, `unknown property of a datasource, ${known}`)
    else if (/^sqlms[._]/i.test(name) && !serviceLink.test(name))
      this.#note(source, 'is not a known property and is ignored')
  }

  #place(path: Path, field: string, { source, name, value }: Given): void {
    const place = toFieldName(path)
    // A list may be there as one text or as elements, not as both.
    const rival = typeof path.at(-1) === 'number' ? path.slice(0, -1) : [...path, 0]
    const earlier = this.#sources.get(place) ?? this.#sources.get(toFieldName(rival))
    if (earlier !== undefined) {
      if (earlier.startsWith(json)) this.#note(source, `is not read, because ${earlier} is read in its place`)
      else this.#refuse(source, `sets ${place} a second time, as ${earlier} does; set it once`)
      return
    }
    this.#sources.set(place, source)
    if (!this.#sources.has(field)) this.#sources.set(field, source)
    // A password stays in its variable, unless it is a placeholder for another one, or there is none.
    const staysThere = path.at(-1) === 'password' && source === name && value !== '' && !String(value).includes('${')
    if (staysThere) put(this.#data, [...path.slice(0, -1), 'password_env'], name)
    else put(this.#data, path, value)
    this.#note(source, `is read as ${path.at(-1) === 'password' ? 'a password' : field}; ${takeover}`)
  }

  #requireNoGap(): void {
    const { datasources = [] } = this.#data['sqlms'] as { datasources?: unknown[] }
    const gap = datasources.findIndex((datasource) => datasource === undefined)
    const [, source = ''] =
      [...this.#sources].find(([place]) => place.startsWith(`datasources[${datasources.length - 1}]`)) ?? []
    if (gap >= 0) this.#refuse(source, `there is no datasource ${gap}; number them from 0 without a gap`)
  }

  #note(source: string, message: string): void {
    this.#notes.set(source, [...(this.#notes.get(source) ?? []), message])
  }

  #refuse(source: string, message: string): void {
    this.#sources.set(toFieldName([source]), source)
    this.#problems.push({ path: [source], message })
  }
}

interface Tree {
  [step: PropertyKey]: unknown
}

/** Makes groups and lists on the way. */
function put(into: Tree, [step = '', ...rest]: Path, value: unknown): void {
  if (rest.length === 0) into[step] = value
  else put((into[step] ??= typeof rest[0] === 'number' ? [] : {}) as Tree, rest, value)
}
