/**
 * The one configuration file of a service: found (flag, variable, usual places), read, and overlaid with what the
 * environment sets. Knows the line or the variable of each value, so that a message can name it. What the fields mean
 * is for check.ts.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { cureOfFolder, cureOfMissing } from './missing-file.ts'
import { isPipe, readPipe, SilentPipe } from './pipe.ts'
import { locate, type Places } from './yaml/places.ts'
import { readYamlIn } from './yaml/yaml.ts'
import { type Data, isMapping, type Mapping } from './yaml/data.ts'
import { type Path, type Problem, toFieldName } from './words/problem.ts'
import { readProblem } from './words/read-problem.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface StartEnvironment {
  /** Value of `--config`. */
  readonly flag: string | undefined
  readonly env: Environment
  /** Directory that relative paths start from. */
  readonly cwd: string
  /** The file was read before, by this process. */
  readonly isReload?: boolean | undefined
}

/** Where a service looks for its file. */
export interface Search {
  /** The environment variable that names a file. */
  readonly variable: string
  /** Without flag and variable the first that exists is taken. */
  readonly paths: readonly string[]
  /** How to begin without a file, in words. */
  readonly begin?: string
}

export interface Found {
  /** As it was given. */
  readonly file: string
  /** In words: `--config a.yaml`, `SQLAPI_CONFIG a.yaml`, `./sqlapi.yaml`. */
  readonly source: string
}

/** The file cannot be read or is not YAML; the message names it. */
export class ConfigFileError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigFileError'
  }
}

/**
 * An empty variable counts as not set, because compose files pass unset variables on like that. The named file need not
 * exist.
 */
export function findConfigFile({ flag, env, cwd }: StartEnvironment, { variable, paths }: Search): Found | undefined {
  if (flag !== undefined) return { file: flag, source: `--config ${flag}` }
  const named = env[variable]
  if (named) return { file: named, source: `${variable} ${named}` }
  // A link that leads nowhere counts as found, so that a message names it.
  const file = paths.find((path) => lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined)
  return file === undefined ? undefined : { file, source: file }
}

export interface ConfigFile {
  /** Undefined where there is none, and every field has its default. */
  readonly file: string | undefined
  readonly source: string
  readonly data: Mapping
  readonly places: Places
  /** Names of fields whose value is that of an environment variable, with its name. */
  readonly variables: ReadonlyMap<string, string>
}

/** What is loaded where there is no file. */
export function withoutFile(source: string): ConfigFile {
  return { file: undefined, source, data: {}, places: locate(''), variables: new Map() }
}

/** Throws `ConfigFileError`. */
export function readConfigFile(
  found: Found,
  { cwd, isReload = false }: Pick<StartEnvironment, 'cwd' | 'isReload'>,
  { begin }: Pick<Search, 'begin'> = {},
): ConfigFile {
  if (isReload) requireFile(found, cwd)
  const text = readText(found, cwd, (code) => {
    if (code === 'EISDIR') return cureOfFolder({ file: found.file, cwd })
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return ''
    return isReload ? '; put it back' : cureOfMissing({ file: found.file, cwd, begin })
  })
  const data = readYamlIn(found.file, text, (message) => new ConfigFileError(message))
  return { ...found, data, places: locate(text), variables: new Map() }
}

/**
 * A pipe has been read to its end: it would give nothing, which is a configuration as well, or hold up all requests.
 */
function requireFile({ file, source }: Found, cwd: string): void {
  const path = resolve(cwd, file)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return
  const cure = 'restart the service, or start it with a file'
  throw new ConfigFileError(`${source}: ${path} is not a regular file and cannot be read a second time; ${cure}`)
}

/** `cure` takes the code of the system. */
function readText({ file, source }: Found, cwd: string, cure: (code: string | undefined) => string): string {
  const path = resolve(cwd, file)
  try {
    const bytes = isPipe(path) ? readPipe(path) : readFileSync(path)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const problem = error instanceof SilentPipe ? error.message : readProblem(error)
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigFileError(`${source}: file ${path} ${problem}${cure(code)}`)
  }
}

/** Variables by the field that they take the place of. An empty one takes none. */
export function overlay(file: ConfigFile, env: Environment, fields: Readonly<Record<string, Path>>): ConfigFile {
  const set = Object.entries(fields).flatMap(([variable, path]) => {
    const value = env[variable]
    return value ? [{ variable, path, value }] : []
  })
  return {
    ...file,
    data: set.reduce((data, { path, value }) => put(data, path, value) as Mapping, file.data),
    variables: new Map([...file.variables, ...set.map(({ variable, path }) => [toFieldName(path), variable] as const)]),
  }
}

/** Leaves a value alone that should be a group of fields and is not: the check reports it. */
function put(data: Data | undefined, [step, ...rest]: Path, value: Data): Data {
  if (step === undefined) return value
  if (data !== undefined && !isMapping(data)) return data
  return { ...data, [step]: put(data?.[String(step)], rest, value) }
}

/** `proxy.yaml:3: port: found ..`, or the variable instead of file and field. */
export function inWords(file: ConfigFile, { path, message }: Problem): string {
  const name = toFieldName(path)
  const origin = originOf(file, path)
  return file.variables.has(name) ? `${origin}: ${message}` : `${origin}: ${name}: ${message}`
}

/** Of a value that is given: `proxy.yaml:3`, or the variable. Without a file what replaces it. */
export function originOf({ file, source, places, variables }: ConfigFile, path: Path): string {
  return variables.get(toFieldName(path)) ?? (file === undefined ? source : `${file}:${places.lineOf(path)}`)
}
