/**
 * Finds the configuration file, reads it and settles what takes more than one field: lines for messages, the environment,
 * what is unwise. Out come frozen values and what the operator should be told. The fields themselves belong to schema.ts.
 */
import { lstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartupFailure } from '../../errors.ts'
import { parseConfig, toFieldName } from './schema.ts'
import type { Config, Problem } from './schema.ts'
import { inOneLine } from './unknown-field.ts'
import { lineOf, readYaml, YamlError } from './yaml.ts'
import type { Mapping } from './yaml.ts'

/** Where the file is looked for when nobody names it; the first that exists is taken. */
export const searchPaths = ['./proxy.yaml', './proxy.yml'] as const

type Environment = Readonly<Record<string, string | undefined>>

export interface Surroundings {
  /** Value of `--config`. */
  readonly flag: string | undefined
  readonly env: Environment
  /** Directory that relative paths start from. */
  readonly cwd: string
}

export interface Loaded {
  readonly config: Config
  /** Where it comes from, for the log. */
  readonly source: string
  /** What has no effect or is unwise; one WARN each. */
  readonly warnings: readonly string[]
}

export function loadConfig(surroundings: Surroundings): Loaded {
  const found = findFile(surroundings)
  const { file, source } = found
  const text = readConfigText(found, surroundings.cwd)
  const { value: config, problems, unknown } = parseConfig(readMapping(text, file))
  const inWords = ({ path, message }: Problem): string =>
    `${file}:${lineOf(text, path)}: ${toFieldName(path)}: ${message}`
  if (config === undefined) return refuse(inOneLine([...problems, ...unknown].map(inWords)))
  requirePassword(config, surroundings.env, file)
  return { config, source, warnings: [...unknown, ...unwise(config)].map(inWords) }
}

export interface Found {
  /** As it was given; undefined for the built-in defaults. */
  readonly file: string | undefined
  readonly source: string
}

/** An empty PROXY_CONFIG is none: compose files pass variables on that way. */
export function findFile({ flag, env, cwd }: Surroundings): Found {
  if (flag !== undefined) return { file: flag, source: `--config ${flag}` }
  const named = env['PROXY_CONFIG']
  if (named) return { file: named, source: `PROXY_CONFIG ${named}` }
  // A link that leads nowhere is there, and is told about.
  const file = searchPaths.find((path) => lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined)
  return { file, source: file ?? 'built-in defaults' }
}

/** Nothing for the built-in defaults. */
export function readConfigText({ file, source }: Found, cwd: string): string {
  return file === undefined ? '' : readText(file, cwd, source)
}

/** What goes wrong most often, in words; the rest keeps the system's code. */
const readProblems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory, expected a file (a container mount of a file that does not exist makes one)',
  EACCES: 'may not be read by the user of this process',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
}

function readText(file: string, cwd: string, source: string): string {
  const path = resolve(cwd, file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return refuse(`${source}: file ${path} ${readProblems[code] ?? `cannot be read (${code})`}`)
  }
}

export function readMapping(text: string, file = ''): Mapping {
  try {
    return readYaml(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    return refuse(`${file}:${error.line}:${error.column}: ${error.message}`)
  }
}

/** There is no default password, and an empty one is nobody's intention. */
function requirePassword({ securityServer }: Config, env: Environment, file = ''): void {
  if (securityServer === undefined || env[securityServer.keystorePasswordEnv]) return
  const name = securityServer.keystorePasswordEnv
  const problem = env[name] === undefined ? 'not set' : 'empty'
  throw new StartupFailure(
    'keystore_load_failed',
    `${file}: security_server.keystore_password_env: environment variable ${name} is ${problem}; set it to the password of ${securityServer.keystorePath}`,
  )
}

function unwise({ securityServer }: Config): Problem[] {
  if (securityServer === undefined || new URL(securityServer.url).port !== '4000') return []
  const message = 'port 4000 is the administration of a Security Server; messages go to 8443, 443 or 5500'
  return [{ path: ['security_server', 'url'], message }]
}

function refuse(message: string): never {
  throw new StartupFailure('invalid_configuration', message)
}
