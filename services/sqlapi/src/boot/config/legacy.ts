/**
 * The Spring spelling of a configuration (files named application*.yml) -> the data of sqlapi.yaml, what is wrong, and
 * one diagnostic for each thing that was dropped, named and never quoted. What is in neither spelling passes through
 * and schema.ts refuses it. When nobody has such a file any more, delete this one and jdbc.ts.
 *
 * Only in this spelling may a password be in plain text; it goes into the URL. `${NAME}` as a password becomes
 * `password_env`; nothing else is looked up in the environment, so any other placeholder is refused.
 */
import { basename } from 'node:path'
import { type Mapping, type Path, type Problem, withoutLiterals } from '@services/config-file'
import { translateJdbc } from './jdbc.ts'
import { hasLogin, injectCredentials } from './url.ts'

export interface Translation {
  readonly data: Mapping
  /** What is wrong with the file; if anything is, do not use `data`. */
  readonly problems: readonly Problem[]
  readonly diagnostics: readonly Problem[]
  /** Where a field of `data`, or the group around it, is in the file. */
  readonly pathInFile: (path: Path) => Path
}

export function isLegacy(file: string): boolean {
  return /^application.*\.ya?ml$/.test(basename(file))
}

export function translateLegacy(data: Mapping): Translation {
  const config: Draft = {}
  const notes: Notes = { config, moved: new Map(), diagnostics: [], problems: [] }
  translate(expand(withoutLiterals(data)), rootRules, [], config, notes)
  const { moved, problems, diagnostics } = notes
  return {
    data: config as Mapping,
    problems,
    diagnostics,
    pathInFile: ([first = '', ...rest]) => [...(moved.get(first) ?? [first]), ...rest],
  }
}

export const zoneNote =
  'is ignored; to have sessions in a zone other than UTC, set time_zone of the datasource in sqlapi.yaml'

type Group = Readonly<Record<string, unknown>>
type Draft = Record<string, unknown>

interface Notes {
  readonly config: Draft
  /** Fields at the top of the new configuration -> where they are in the file. */
  readonly moved: Map<PropertyKey, Path>
  readonly diagnostics: Problem[]
  readonly problems: Problem[]
}

/** What becomes of one key: `into` is the group of the new configuration that is being filled. */
type Rule = (value: unknown, path: Path, into: Draft, notes: Notes) => void

/** Matched against keys without case, dashes and underscores, as Spring does. The first match counts. */
type Rules = readonly (readonly [RegExp, Rule])[]

const rootRules: Rules = [
  [/^sqlms$/, (value, path, into, notes) => within(sqlmsRules, refuseKey)(value, path, into, notes)],
  [/^savedqueriesdir$/, moveTo('sql_dir')],
  [/^datasources$/, translateDatasources],
  [/^server$/, group('server', translateServer)],
  [/^cors$/, group('cors', (value, path, into, notes) => translate(value, corsRules, path, into, notes))],
  [/^logging$/, group('logging', (value, path, into, notes) => translate(value, loggingRules, path, into, notes))],
  [/^headers$/, within([[/^/, drop]], drop)],
  [/^(?:spring|h2|management|info|timezone|userip.*)$/, drop],
]

const sqlmsRules: Rules = [
  ...rootRules.filter(([key]) => key.test('savedqueriesdir') || key.test('datasources')),
  [/^/, refuseKey],
]

const serverRules: Rules = [
  [/^port$/, moveTo('port')],
  [/^address$/, moveTo('address')],
]

const corsRules: Rules = [
  [
    /^allowedorigins$/,
    (value, path, into, notes) =>
      moveTo('allowed_origins')(Array.isArray(value) ? value.join(',') : value, path, into, notes),
  ],
]

const loggingRules: Rules = [[/^level$/, translateLevels]]

const datasourceRules: Rules = [
  [/^(?:jdbc)?url$/, moveTo('url')],
  [/^driverclassname$/, drop],
  [/^timezone$/, dropZone],
  [/^password$/, (value, _, into) => (into['password'] = value)],
  [/^name$/, moveTo('name')],
  [/^username$/, moveTo('username')],
]

/** A key without a rule keeps its name. */
function translate(from: Group, rules: Rules, path: Path, into: Draft, notes: Notes): void {
  for (const [key, value] of Object.entries(from)) {
    const bare = key.toLowerCase().replaceAll(/[-_]/g, '')
    const [, rule = moveTo(key)] = rules.find(([pattern]) => pattern.test(bare)) ?? []
    rule(value, [...path, key], into, notes)
  }
}

/** The keys below are translated into the same group; what has none below goes to `otherwise`. */
function within(rules: Rules, otherwise: Rule): Rule {
  return (value, path, into, notes) =>
    isMapping(value) ? translate(value, rules, path, into, notes) : otherwise(value, path, into, notes)
}

function refuseKey(_value: unknown, path: Path, _into: Draft, { problems }: Notes): void {
  problems.push({ path, message: 'unknown field; the known fields of sqlms are saved-queries-dir and datasources' })
}

function drop(_value: unknown, path: Path, _into: Draft, { diagnostics }: Notes): void {
  diagnostics.push({ path, message: 'has no counterpart in sqlapi.yaml and is ignored' })
}

/** Sessions of translated files have always been in UTC, so another zone has to be asked for. */
function dropZone(_value: unknown, path: Path, _into: Draft, { diagnostics }: Notes): void {
  diagnostics.push({ path, message: zoneNote })
}

function moveTo(field: string): Rule {
  return (value, path, into, notes) => {
    if (typeof value === 'string' && value.includes('${')) {
      const message = 'found a placeholder, expected the value itself (only a password may be ${NAME})'
      notes.problems.push({ path, message })
    }
    place(field, value, path, into, notes)
  }
}

function place(field: string, value: unknown, path: Path, into: Draft, { config, moved, problems }: Notes): void {
  if (Object.hasOwn(into, field)) problems.push({ path, message: `sets ${field} a second time; set it once` })
  into[field] = value
  if (into === config) moved.set(field, path)
}

function group(field: string, rule: (value: Group, path: Path, into: Draft, notes: Notes) => void): Rule {
  return (value, path, into, notes) => {
    if (!isMapping(value)) return moveTo(field)(value, path, into, notes)
    const inner: Draft = {}
    rule(value, path, inner, notes)
    place(field, inner, path, into, notes)
  }
}

function translateServer(value: Group, path: Path, into: Draft, notes: Notes): void {
  const { port, address, ...others } = draft(value, serverRules, path, notes)
  Object.assign(into, others)
  if (port === undefined && address === undefined) return
  const host = toText(address, '0.0.0.0')
  place('bind', `${host.includes(':') ? `[${host}]` : host}:${toText(port, '8080')}`, path, into, notes)
}

/** A number or text as text; what is neither comes out so that the check of `bind` refuses it. */
function toText(value: unknown, missing: string): string {
  if (value === undefined) return missing
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : JSON.stringify(value)
}

const springLevels = new Map([
  ['fatal', 'error'],
  ['false', 'off'],
])

/** A map of logger names; `root` is the default level, and of the others only our own targets mean anything here. */
function translateLevels(value: unknown, path: Path, into: Draft, notes: Notes): void {
  if (!isMapping(value)) return moveTo('level')(value, path, into, notes)
  const items = flatten(value).flatMap(([logger, level]) => {
    const item = String(level).toLowerCase()
    if (logger === 'root') return [springLevels.get(item) ?? item]
    if (logger === 'sqlapi' || logger === 'sqlx') return [`${logger}=${springLevels.get(item) ?? item}`]
    drop(level, [...path, ...logger.split('.')], into, notes)
    return []
  })
  if (items.length > 0) place('level', items.join(','), path, into, notes)
}

function translateDatasources(value: unknown, path: Path, into: Draft, notes: Notes): void {
  const translated = Array.isArray(value)
    ? value.map((item: unknown, index) => (isMapping(item) ? translateDatasource(item, [...path, index], notes) : item))
    : value
  place('datasources', translated, path, into, notes)
}

function translateDatasource(value: Group, path: Path, notes: Notes): Draft {
  const { url, username, password, ...others } = draft(value, datasourceRules, path, notes)
  if (typeof url !== 'string') return { ...others, username, url }
  const source = /^jdbc:/i.test(url) ? translateUrl(url, path, notes) : { url, user: '', password: '' }
  const credentials = { user: source.user || (username ?? ''), password: source.password || (password ?? '') }
  return { ...others, ...addCredentials(source.url, credentials, 'password_env' in others, path, notes) }
}

function translateUrl(url: string, at: Path, { diagnostics, problems }: Notes): TranslatedUrl {
  const path = [...at, 'jdbcUrl']
  const translated = translateJdbc(url)
  if (translated === undefined) {
    const what = /^jdbc:h2:/i.test(url) ? 'H2 is not supported' : 'this kind of database is not supported'
    problems.push({ path, message: `${what}, expected jdbc:postgresql: or jdbc:sqlite:` })
    return { url, user: '', password: '' }
  }
  for (const key of translated.dropped) {
    diagnostics.push({ path, message: `parameter ${key} has no counterpart and is ignored` })
  }
  return translated
}

interface TranslatedUrl {
  readonly url: string
  readonly user: string
  readonly password: string
}

/** A user without a password goes into the URL as well: `username` would ask for `password_env`. */
function addCredentials(url: string, { user, password }: Credentials, named: boolean, at: Path, notes: Notes): Draft {
  if (typeof user !== 'string') return { url, username: user }
  const path = [...at, 'password']
  if (typeof password !== 'string') {
    const message = 'found no text, expected a password in quotes, digits are changed otherwise'
    notes.problems.push({ path, message })
    return { url }
  }
  if (!hasLogin(url)) {
    const useless = Object.entries({ username: user, password }).filter(([, text]) => text !== '')
    for (const [key] of useless) {
      notes.diagnostics.push({ path: [...at, key], message: 'means nothing for this kind of database and is ignored' })
    }
    return { url }
  }
  const [, variable] = /^\$\{(\w+)\}$/.exec(password) ?? []
  if (variable !== undefined) return { url, username: user, password_env: variable }
  if (named && password === '') return { url, username: user }
  if (password.includes('${')) {
    const message = 'found a placeholder that is more than ${NAME}, expected ${NAME} or the password itself'
    notes.problems.push({ path, message })
  } else if (password !== '') {
    const message = 'is in the file in plain text; use password_env in sqlapi.yaml instead'
    notes.diagnostics.push({ path, message })
  }
  return { url: injectCredentials(url, user, password) }
}

interface Credentials {
  readonly user: unknown
  readonly password: unknown
}

function draft(value: Group, rules: Rules, path: Path, notes: Notes): Draft {
  const into: Draft = {}
  translate(value, rules, path, into, notes)
  return into
}

/** `a.b: 1` is another spelling of `a: {b: 1}`. Objects without a prototype, because any key may come along. */
function expand(data: Group, into: Draft = Object.create(null) as Draft): Draft {
  for (const [key, value] of Object.entries(data)) {
    const steps = key.split('.')
    const last = steps.pop() ?? key
    let target = into
    for (const step of steps) {
      const next = target[step]
      target = isMapping(next) ? next : (target[step] = Object.create(null) as Draft)
    }
    const before = target[last]
    target[last] = isMapping(value) ? expand(value, isMapping(before) ? before : undefined) : value
  }
  return into
}

/** Dotted names of everything below. */
function flatten(data: Group): [string, unknown][] {
  return Object.entries(data).flatMap(([key, value]) =>
    isMapping(value)
      ? flatten(value).map(([name, leaf]): [string, unknown] => [`${key}.${name}`, leaf])
      : [[key, value]],
  )
}

function isMapping(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
