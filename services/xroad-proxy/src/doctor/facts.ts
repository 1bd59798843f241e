/**
 * Everything that the checks look at, gathered once: the configuration even where it does not load, each DSL file for
 * itself, the keystore. The only file of the doctor that reads files; it writes none. What a fact means is for the checks.
 */
import { readFileSync, statSync } from 'node:fs'
import type { SecureContext } from 'node:tls'
import {
  type Data,
  type Environment,
  inWords,
  isMapping,
  type Mapping,
  type Path,
  type Problem,
  readYaml,
  shownVariable,
  type StartEnvironment,
  textOf,
  toFieldName,
} from '@services/config-file'
import { findConfig, readConfig } from '../boot/config/config.ts'
import { type DescribedFile, surveyEndpoints, type TreeProblem } from '../boot/dsl/endpoints.ts'
import { type DatedCertificate, trustedDates } from '../boot/tls/certificates.ts'
import { createClientContext, type KeystoreSettings } from '../boot/tls/keystore.ts'
import { type Config, parseConfig } from '../boot/config/schema.ts'
import { StartupFailure } from '../errors.ts'
import type { Endpoint } from '../model.ts'
import { type KeystoreIdentity, readIdentity } from './keystore-facts.ts'
import type { ProbeFacts } from './probe.ts'
import type { WsdlFinding } from './wsdl-facts.ts'

export interface Facts {
  readonly now: Date
  readonly config: ConfigFacts
  readonly dsl: DslFacts
  /** Undefined without a `security_server`. */
  readonly keystore: KeystoreFacts | undefined
  /** Undefined without a `wsdl_watch_dir`. */
  readonly wsdlDirectory: { readonly path: string; readonly exists: boolean } | undefined
  /** What became of each operation of the WSDL files. */
  readonly wsdl: readonly WsdlFinding[]
  /** Undefined unless the Security Server was to be asked; `impossible` where something that it takes is missing. */
  readonly probe: ProbeFacts | 'impossible' | undefined
}

export interface ConfigFacts {
  /** Where it comes from, in the words of the log. */
  readonly source: string
  /** Undefined for the built-in defaults. */
  readonly file: string | undefined
  /** False when the file is missing or no YAML; `settings` are the defaults then. */
  readonly isReadable: boolean
  /** Each field that is right as it is given; one that is wrong has its default or a stand-in. */
  readonly settings: Config
  readonly problems: readonly FieldNote[]
  readonly unknown: readonly FieldNote[]
  /** Texts of the file as they stand there, right or wrong, by their field. */
  readonly texts: ReadonlyMap<string, string>
}

export interface FieldNote {
  readonly field: string
  readonly message: string
}

export interface DslFacts {
  readonly path: string
  readonly exists: boolean
  /** Those that load, whatever is wrong with others. */
  readonly endpoints: readonly Endpoint[]
  readonly problems: readonly TreeProblem[]
  readonly warnings: readonly string[]
  /** About envelopes that cannot become what they are meant to be. */
  readonly templateWarnings: readonly string[]
  /** Files that leave their operations to a description, and what is to be told of those once they are read. */
  readonly described: readonly DescribedFile[]
  readonly descriptionWarnings: readonly string[]
  /** REST files, loading or not, whose target lacks a part. */
  readonly emptyTargets: readonly { readonly file: string; readonly fields: readonly string[] }[]
}

export interface KeystoreFacts {
  readonly path: string
  /** As it may be shown. */
  readonly variable: string
  readonly password: 'set' | 'empty' | 'missing'
  readonly exists: boolean
  /** By its mode; a system without such modes says no. */
  readonly isOpenToOthers: boolean
  /** Undefined when it cannot be opened. */
  readonly identity: KeystoreIdentity | undefined
  /** Why it cannot be opened, where the file and the password are there. */
  readonly problem: string | undefined
  readonly trustProblem: string | undefined
  /** Those of `trust_ca_path`. */
  readonly trusted: readonly DatedCertificate[]
  /** Identity and trust together, for those who connect. */
  readonly context: SecureContext | undefined
}

export interface GatherOptions extends StartEnvironment {
  readonly now: Date
  readonly wsdlFindings?: ((settings: Config) => readonly WsdlFinding[]) | undefined
}

export function gatherFacts(options: GatherOptions): Facts {
  const config = gatherConfig(options)
  const { settings, isReadable } = config
  const dsl = isReadable ? gatherDsl(settings.dslPath, options.env) : noDsl(settings.dslPath)
  const path = settings.wsdlWatchDir
  return {
    now: options.now,
    config,
    dsl,
    keystore: gatherKeystore(config, options.env),
    wsdlDirectory: path === undefined ? undefined : { path, exists: isThere(path) },
    wsdl: isReadable ? (options.wsdlFindings?.(settings) ?? []) : [],
    probe: undefined,
  }
}

function gatherConfig(environment: StartEnvironment): ConfigFacts {
  try {
    const file = readConfig(environment)
    const { problems, unknown } = parseConfig(file.data)
    const toNote = (note: Problem): FieldNote => ({ field: toFieldName(note.path), message: inWords(file, note) })
    return {
      source: file.source,
      file: file.file,
      isReadable: true,
      settings: repair(file.data),
      problems: problems.map(toNote),
      unknown: unknown.map(toNote),
      texts: new Map(textsIn(file.data, [])),
    }
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    const { file = '', source = '' } = findConfig(environment) ?? {}
    const problems = [{ field: file, message: error.message }]
    return { file, source, isReadable: false, settings: repair({}), problems, unknown: [], texts: new Map() }
  }
}

/** For fields that have no default, so that the rest of their section can be judged. */
const standIns: Readonly<Record<string, string>> = {
  'security_server.url': 'https://unusable.invalid',
  'security_server.keystore_path': 'unusable',
}

/** What is wrong inside a section shows only when the section itself is right. */
const repairRounds = 8

/** The configuration with its wrong fields left out. */
function repair(data: Mapping, rounds: number = repairRounds): Config {
  const { value, problems } = parseConfig(data)
  if (value !== undefined) return value
  const rest = problems.reduce((kept, { path }) => without(kept, path), data)
  return repair(rounds === 0 ? {} : rest, rounds - 1)
}

function without(data: Mapping, path: Path): Mapping {
  // An item of a list takes the list with it.
  const index = path.findIndex((step) => typeof step === 'number')
  const [first = '', second] = (index === -1 ? path : path.slice(0, index)).map(String)
  const section = data[first]
  if (second === undefined || !isMapping(section)) return omit(data, first)
  const standIn = standIns[`${first}.${second}`]
  const rest = omit(section, second)
  return { ...data, [first]: standIn === undefined ? rest : { ...rest, [second]: standIn } }
}

function omit(data: Mapping, key: string): Mapping {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== key))
}

function* textsIn(data: Mapping, path: Path): Generator<[string, string]> {
  for (const [key, value] of Object.entries(data)) {
    const text = textOf(value)
    if (text !== undefined) yield [toFieldName([...path, key]), text]
    else if (isMapping(value)) yield* textsIn(value, [...path, key])
  }
}

const nothingToTell = { templateWarnings: [], described: [], descriptionWarnings: [] }

function noDsl(path: string): DslFacts {
  return { path, exists: true, endpoints: [], problems: [], warnings: [], emptyTargets: [], ...nothingToTell }
}

function gatherDsl(path: string, env: Environment): DslFacts {
  if (!isThere(path)) return { ...noDsl(path), exists: false }
  try {
    const { endpoints, problems, ...told } = surveyEndpoints(path, undefined, env)
    const rest = endpoints.filter(({ kind }) => kind === 'rest')
    const emptyTargets = [...new Set([...rest, ...problems].map(({ file }) => file))].flatMap((file) => {
      const fields = emptyTargetFields(file)
      return fields.length === 0 ? [] : [{ file, fields }]
    })
    return { path, exists: true, endpoints, problems, ...told, descriptionWarnings: [], emptyTargets }
  } catch (error) {
    // Whatever the file system throws while the tree changes under the walk.
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { ...noDsl(path), problems: [{ file: path, message: `dsl_path ${path} cannot be read (${code})` }] }
  }
}

/** No DSL file is larger, and reading a pipe might never end. */
const maxFileBytes = 1_048_576

const targetFields = ['member_class', 'member_code', 'subsystem_code', 'service_code'] as const

/** As the file has them: one that is left out keeps the file from loading, one that is an empty text does not. */
function emptyTargetFields(file: string): string[] {
  try {
    const status = statSync(file)
    if (!status.isFile() || status.size > maxFileBytes) return []
    const { kind, target } = readYaml(new TextDecoder().decode(readFileSync(file)))
    if (textOf(kind) !== 'rest' || !isMapping(target)) return []
    return targetFields.filter((name) => isEmpty(target[name])).map((name) => `target.${name}`)
  } catch {
    // Told already, by the survey of the tree.
    return []
  }
}

function isEmpty(data: Data | undefined): boolean {
  return data === undefined || data === null || textOf(data)?.trim() === ''
}

function gatherKeystore({ settings, problems }: ConfigFacts, env: Environment): KeystoreFacts | undefined {
  const { securityServer } = settings
  const wrong = new Set(problems.map(({ field }) => field))
  if (securityServer === undefined || wrong.has('security_server.keystore_password_env')) return undefined
  const { keystorePath: path, keystorePasswordEnv: name } = securityServer
  const word = env[name]
  const variable = word === undefined ? shownVariable(name) : name
  // Of a path that is wrong itself the configuration tells.
  const isPath = !wrong.has('security_server.keystore_path')
  const exists = !isPath || isThere(path)
  const closed = { path, variable, exists, isOpenToOthers: isPath && isOpenToOthers(path), ...nothingInside }
  if (!word) return { ...closed, password: word === undefined ? 'missing' : 'empty' }
  const facts = { ...closed, password: 'set' } as const
  return isPath && exists ? { ...facts, ...openKeystore(securityServer, env) } : facts
}

const nothingInside = {
  identity: undefined,
  problem: undefined,
  trustProblem: undefined,
  trusted: [],
  context: undefined,
}

function openKeystore(settings: KeystoreSettings, env: Environment): typeof nothingInside | Opened {
  const bare = attempt(() => createClientContext({ ...settings, trustCaPath: undefined }, env))
  if (bare.value === undefined) return { ...nothingInside, problem: bare.problem }
  const identity = readIdentity(bare.value)
  const full = attempt(() => createClientContext(settings, env))
  const trusted = attempt(() => trustedDates(settings.trustCaPath)).value ?? []
  return { identity, problem: undefined, trustProblem: full.problem, trusted, context: full.value }
}

type Opened = Pick<KeystoreFacts, keyof typeof nothingInside>

function attempt<Value>(make: () => Value): { readonly value?: Value; readonly problem: string | undefined } {
  try {
    return { value: make(), problem: undefined }
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    return { problem: error.message }
  }
}

const readableByOthers = 0o004

function isOpenToOthers(path: string): boolean {
  try {
    const status = statSync(path)
    return process.platform !== 'win32' && status.isFile() && (status.mode & readableByOthers) !== 0
  } catch {
    return false
  }
}

/** Whatever else keeps a path from being read is told by those who read it. */
function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}
