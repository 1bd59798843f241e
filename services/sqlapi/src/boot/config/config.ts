/**
 * Finds the configuration file, reads it and settles what takes more than one field: the start-up rules, the
 * environment, the connection URLs. Out come frozen values and what the operator should be told. The fields
 * themselves belong to schema.ts, the old spelling to legacy.ts.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { dialectOf } from '../../dialects.ts'
import { StartupFailure } from '../../errors.ts'
import type { LogFormat } from '../../errors.ts'
import { levelsMeaning, levelsPattern } from '../../log.ts'
import type { Dialect } from '../../model.ts'
import { isLegacy, translateLegacy } from './legacy.ts'
import { parseConfig } from './schema.ts'
import type { Config, DatasourceConfig } from './schema.ts'
import { unsetVariable } from './secrets.ts'
import { injectCredentials, isInMemory, userOf } from './url.ts'
import { readYaml } from './yaml.ts'
import type { Mapping } from './yaml.ts'

/** Where the file is looked for when nobody names it; the first that exists is taken. */
export const searchPaths = [
  '/app/sqlapi.yaml',
  './sqlapi.yaml',
  './application.yml',
  './application-prod.yml',
  './application-dev.yml',
  './application-test.yml',
] as const

type Environment = Readonly<Record<string, string | undefined>>

export interface Surroundings {
  /** Value of `--config`. */
  readonly flag: string | undefined
  readonly env: Environment
  /** Directory that relative paths start from. */
  readonly cwd: string
}

/** A database with everything that it takes to connect. `url` holds the password: mask it before it is shown. */
export interface Datasource {
  readonly name: string
  readonly url: string
  readonly dialect: Dialect
  /** As in the URL or the configuration; empty where neither says. */
  readonly username: string
  readonly maxConnections: number
  readonly acquireTimeoutSeconds: number
  /** 0 for no limit. */
  readonly statementTimeoutSeconds: number
}

export interface Loaded {
  readonly config: Config
  readonly datasources: readonly Datasource[]
  /** Path of the file, spelled as it was given. */
  readonly file: string
  /** What was dropped or is unwise; one WARN each. */
  readonly diagnostics: readonly string[]
}

export function loadConfig({ flag, env, cwd }: Surroundings): Loaded {
  const file = findFile(flag, env, cwd)
  const data = readYaml(readText(file, cwd), file)
  try {
    const plain = isLegacy(file) ? translateLegacy(data, file) : { data, diagnostics: [] }
    const config = overrideLevel(parseConfig(plain.data, file), env)
    checkRules(config, env, file)
    return { config, datasources: resolveDatasources(config.datasources, env), file, diagnostics: plain.diagnostics }
  } catch (error) {
    throw error instanceof StartupFailure ? new StartupFailure(error.name, error.message, peekFormat(data)) : error
  }
}

/** An empty SQLAPI_CONFIG or SQLAPI_LOG is none: compose files pass variables on that way. */
function findFile(flag: string | undefined, env: Environment, cwd: string): string {
  const named = flag ?? (env['SQLAPI_CONFIG'] || undefined)
  if (named === undefined) {
    const found = searchPaths.find((path) => existsSync(resolve(cwd, path)))
    return (
      found ??
      refuse(
        `no configuration file in ${cwd}; looked for ${searchPaths.join(', ')}; name one with --config FILE or SQLAPI_CONFIG`,
      )
    )
  }
  if (existsSync(resolve(cwd, named))) return named
  const source = flag === undefined ? 'SQLAPI_CONFIG' : '--config'
  return refuse(`${source}: file ${named} does not exist (looked for ${resolve(cwd, named)})`)
}

/** What goes wrong most often, in words; the rest keeps the system's code. */
const readProblems: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory, expected a file (a container mount of a file that does not exist makes one)',
  EACCES: 'may not be read by the user of this process',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
}

function readText(file: string, cwd: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(resolve(cwd, file)))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return refuse(`${file}: ${readProblems[code] ?? `cannot be read (${code})`}`)
  }
}

/** The wanted log format even where the rest of the file is wrong, so that the failure is logged in it. */
function peekFormat(data: Mapping): LogFormat | undefined {
  const { format } = (data['logging'] ?? {}) as { format?: unknown }
  return format === 'json' || format === 'text' ? format : undefined
}

function overrideLevel(config: Config, env: Environment): Config {
  const level = env['SQLAPI_LOG']
  if (!level) return config
  if (!levelsPattern.test(level)) refuse(`SQLAPI_LOG: found ${JSON.stringify(level)}, expected ${levelsMeaning}`)
  return Object.freeze({ ...config, logging: Object.freeze({ ...config.logging, level }) })
}

/** Collects, so that the operator mends the file once. */
function checkRules(config: Config, env: Environment, file: string): void {
  const names = config.datasources.map(({ name }) => name)
  const problems = [
    ...config.datasources.flatMap((datasource, index) => [
      ...datasourceProblems(datasource, index, names, env),
      ...workerProblems(datasource, `datasources[${index}]`, config.server.workers),
    ]),
    ...Object.entries(config.projectDatasourceMap)
      .filter(([, name]) => !names.includes(name))
      .map(
        ([project, name]) =>
          `project_datasource_map.${project}: no datasource is called ${JSON.stringify(name)}; there ${list(names)}`,
      ),
  ]
  if (problems.length > 0) refuse(`${file}: ${problems.join('; ')}`)
}

function datasourceProblems(
  { name, username, passwordEnv }: DatasourceConfig,
  index: number,
  names: string[],
  env: Environment,
): string[] {
  const problems: string[] = []
  const first = names.indexOf(name)
  const here = `datasources[${index}]`
  if (first < index)
    problems.push(`${here}.name: ${JSON.stringify(name)} is taken by datasources[${first}]; each name may stand once`)
  if (username !== '' && passwordEnv === '') {
    problems.push(
      `${here}.password_env: missing beside username; name the environment variable that holds the password`,
    )
  }
  // A variable that is set to nothing counts as set: it is a password that is empty on purpose.
  if (passwordEnv !== '' && env[passwordEnv] === undefined) {
    problems.push(`${here}.password_env: ${unsetVariable(passwordEnv)}`)
  }
  return problems
}

/** What cannot be divided among several processes. */
function workerProblems({ url, maxConnections }: DatasourceConfig, here: string, workers: number): string[] {
  if (workers === 1) return []
  const problems: string[] = []
  if (isInMemory(url)) {
    problems.push(
      `${here}.url: a database in memory belongs to one process, and server.workers is ${workers}; name a file`,
    )
  }
  if (maxConnections < workers) {
    problems.push(
      `${here}.max_connections: ${maxConnections} cannot be divided among ${workers} processes (server.workers); raise it or have fewer workers`,
    )
  }
  return problems
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'are none' : `are ${names.map((name) => JSON.stringify(name)).join(', ')}`
}

/** Completes each URL; only what it lacks is taken from `username` and `password_env`, and nothing for SQLite. */
export function resolveDatasources(datasources: readonly DatasourceConfig[], env: Environment): readonly Datasource[] {
  return Object.freeze(
    datasources.map(({ name, url, username, passwordEnv, ...limits }) => {
      const full = injectCredentials(url, username, env[passwordEnv] ?? '')
      // The schema lets no other URL pass.
      const dialect = dialectOf(full) as Dialect
      return Object.freeze({ name, url: full, dialect, username: userOf(full), ...limits })
    }),
  )
}

function refuse(message: string): never {
  throw new StartupFailure('InvalidConfigurationException', message)
}
