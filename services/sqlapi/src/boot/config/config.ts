/**
 * The configuration file -> frozen values and what the operator should be told. Decides what takes more than one
 * field: the environment, the connection URLs. The fields themselves belong to schema.ts, rules between them to
 * rule-problems.ts, the old spelling to legacy.ts; finding and reading the file, and the words for what is wrong, to
 * the package config-file.
 */
import {
  byLine,
  type ConfigFile,
  ConfigFileError,
  type Environment,
  findConfigFile,
  joinProblems,
  inWords,
  type Origins,
  originsOf,
  overlay,
  type Path,
  type Problem,
  readConfigFile,
  type Search,
  type StartEnvironment,
} from '@services/config-file'
import { type LogFormat, logFormats } from '@services/observe'
import { dialectOf } from '../../dialects.ts'
import { StartupFailure } from '../../errors.ts'
import type { Dialect, ResultShapes } from '../../model.ts'
import { readLegacyEnvironment } from './legacy-environment.ts'
import { isLegacy, translateLegacy } from './legacy.ts'
import { passwordOf } from './passwords.ts'
import { remarksOn } from './remarks.ts'
import { ruleProblems } from './rule-problems.ts'
import { type Config, type DatasourceConfig, parseConfig, sqlapiFile } from './schema.ts'
import { injectCredentials, userOf } from './url.ts'

/** Where the file is looked for. */
export const search: Search = {
  variable: 'SQLAPI_CONFIG',
  paths: [
    '/app/sqlapi.yaml',
    './sqlapi.yaml',
    './application.yml',
    './application-prod.yml',
    './application-dev.yml',
    './application-test.yml',
  ],
  begin: 'sqlapi init writes a small project to begin with',
}

/** Variables that take the place of a field. */
export const variables = { SQLAPI_LOG: ['logging', 'level'] }

/** A database with everything that it takes to connect. `url` holds the password: mask it before it is shown. */
export interface Datasource {
  readonly name: string
  readonly url: string
  readonly dialect: Dialect
  /** As in the URL or the configuration; empty where neither says. */
  readonly username: string
  readonly maxConnections: number
  readonly acquireTimeoutSeconds: number
  readonly connectTimeoutSeconds?: number
  readonly keepaliveSeconds: number
  readonly silenceTimeoutSeconds: number
  /** Likewise with everything that it takes to connect. */
  readonly replicas: readonly string[]
  readonly maxReplicaLagBytes: number
  /** Empty where there is none. */
  readonly passwordFile: string
  /** What it held; URLs without a password of their own have it. Empty where there is no such file. */
  readonly filePassword: string
  /** 0 for no limit. */
  readonly statementTimeoutSeconds: number
  /** A name of a time zone or an offset. */
  readonly timeZone: string
  readonly results: ResultShapes
  readonly pooler: DatasourceConfig['pooler']
  /** The service is ready while it is down. */
  readonly optional: boolean
}

export interface Loaded {
  readonly config: Config
  readonly datasources: readonly Datasource[]
  /** Path of the file, spelled as it was given. */
  readonly file: string
  /** Where each value comes from. */
  readonly origins: Origins
  /** What was dropped or is unwise: one WARN each. */
  readonly diagnostics: readonly string[]
}

/**
 * Code that connects to no database needs no passwords: with `passwords: 'unneeded'` variables that should hold them
 * may be unset.
 */
export function loadConfig(
  start: StartEnvironment,
  { passwords = 'needed' }: { readonly passwords?: 'needed' | 'unneeded' } = {},
): Loaded {
  const { env } = start
  const { file: given, diagnostics } = readFile(start)
  const file = overlay(given, env, variables)
  const { value: config, problems, unknown } = parseConfig(file.data)
  const wrong = config === undefined ? problems : ruleProblems(config, passwords === 'needed' ? env : undefined)
  if (config === undefined || wrong.length > 0) return refuse(file, withRemarks(wrong, unknown))
  const origins = originsOf(sqlapiFile, file)
  return {
    config,
    datasources: resolveDatasources(config.datasources, env),
    file: file.file ?? file.source,
    origins,
    diagnostics: [
      ...diagnostics,
      ...byLine([...unknown, ...remarksOn(config, origins)], file.places).map((note) => inWords(file, note)),
    ],
  }
}

/** Remarks on fields that nothing else is said of. */
function withRemarks(wrong: readonly Problem[], remarks: readonly Problem[]): readonly Problem[] {
  const told = new Set(wrong.map(({ path }) => path.join('.')))
  return [...wrong, ...remarks.filter(({ path }) => !told.has(path.join('.')))]
}

/** In the spelling of sqlapi.yaml, whatever that of the file is. */
function readFile(start: StartEnvironment): { file: ConfigFile; diagnostics: readonly string[] } {
  try {
    const found = findConfigFile(start, search)
    if (found === undefined) return readEnvironment(start.env, start.cwd)
    const file = readConfigFile(found, start, search)
    if (!isLegacy(found.file)) return { file, diagnostics: [] }
    const { data, pathInFile, problems, diagnostics } = translateLegacy(file.data)
    if (problems.length > 0) return refuse(file, problems)
    const places = { ...file.places, lineOf: (path: Path) => file.places.lineOf(pathInFile(path)) }
    return {
      file: { ...file, data, places },
      diagnostics: byLine(diagnostics, file.places).map((note) => inWords(file, note)),
    }
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    throw new StartupFailure('InvalidConfigurationException', error.message)
  }
}

/** Where there is no file: what configured a container of the predecessor. */
function readEnvironment(env: Environment, cwd: string): { file: ConfigFile; diagnostics: readonly string[] } {
  const legacy = readLegacyEnvironment(env)
  if (legacy === undefined) throw new ConfigFileError(nothingFound(cwd))
  return legacy.problems.length > 0 ? refuse(legacy.file, legacy.problems) : legacy
}

function nothingFound(cwd: string): string {
  const looked = search.paths.join(', ')
  const other = findConfigFile(
    { flag: undefined, env: {}, cwd },
    { ...search, paths: search.paths.map(withOtherEnding) },
  )
  const cure =
    other === undefined
      ? `name one with --config FILE or ${search.variable}; ${search.begin}`
      : `${other.source} is there, rename it to ${withOtherEnding(other.source)}`
  return `no configuration file in ${cwd}; looked for ${looked}; ${cure}`
}

/** Files in YAML end in either. */
function withOtherEnding(path: string): string {
  return path.endsWith('.yaml') ? path.replace(/yaml$/, 'yml') : path.replace(/yml$/, 'yaml')
}

/** In the wanted log format, even where the rest of the file is wrong. */
function refuse(file: ConfigFile, problems: readonly Problem[]): never {
  const { format } = (file.data['logging'] ?? {}) as { format?: unknown }
  throw new StartupFailure(
    'InvalidConfigurationException',
    joinProblems(problems, file.places, (problem) => inWords(file, problem)),
    isFormat(format) ? format : undefined,
  )
}

function isFormat(format: unknown): format is LogFormat {
  return logFormats.some((known) => known === format)
}

/** Completes each URL that may hold a login; only what it lacks is taken from `username` and the password. */
export function resolveDatasources(datasources: readonly DatasourceConfig[], env: Environment): readonly Datasource[] {
  return Object.freeze(
    datasources.map(({ name, url, username, passwordEnv, replicas: given, ...limits }) => {
      const password = passwordOf({ passwordEnv, passwordFile: limits.passwordFile }, env)
      const complete = (each: string): string => injectCredentials(each, username, password)
      const full = complete(url)
      const replicas = Object.freeze(given.map(complete))
      // The schema lets no other URL pass.
      const dialect = dialectOf(full) as Dialect
      const filePassword = limits.passwordFile === '' ? '' : password
      return Object.freeze({ name, url: full, dialect, username: userOf(full), replicas, filePassword, ...limits })
    }),
  )
}
