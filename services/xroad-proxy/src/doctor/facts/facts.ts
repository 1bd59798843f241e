/**
 * Everything that the checks look at, gathered once: the configuration even where it does not load, each DSL file for
 * itself; keystores and the audit file by keystore-facts.ts. Nothing is written. What a fact means is for the checks.
 */
import { readFileSync, statSync } from 'node:fs'
import {
  byLine,
  type Data,
  type Environment,
  inWords,
  isMapping,
  type Mapping,
  type Path,
  type Problem,
  readYaml,
  type StartEnvironment,
  textOf,
  toFieldName,
} from '@services/config-file'
import { findConfig, readConfig } from '../../boot/config/config.ts'
import { type DescribedFile, misplacedWsdls, surveyEndpoints } from '../../boot/dsl/endpoints.ts'
import { hintAt } from '../../boot/dsl/missing-directory.ts'
import type { TreeProblem } from '../../boot/dsl/tree.ts'
import { typeResponses } from '../../boot/description/typed-responses.ts'
import { refuseAddresses } from '../../boot/ingest/addresses.ts'
import { namesOf } from '../../boot/config/client-identity.ts'
import { expiringDays } from '../../boot/tls/certificates.ts'
import { type Config, parseConfig } from '../../boot/config/schema.ts'
import { StartupFailure } from '../../errors.ts'
import type { Endpoint } from '../../model.ts'
import { finish } from '../../steps.ts'
import { type AuditFacts, gatherAudit, gatherKeystores, isThere, type KeystoreFacts } from './keystore-facts.ts'
import type { ProbeFacts } from '../probe/probe.ts'
import { noWsdls, type WsdlFacts, type WsdlFinding } from './wsdl-facts.ts'

export interface Facts {
  readonly now: Date
  readonly config: ConfigFacts
  readonly dsl: DslFacts
  /**
   * One for each client that has one: that of `security_server`, then those of `clients`. None without a
   * `security_server`.
   */
  readonly keystores: readonly KeystoreFacts[]
  /** Undefined without an audit file. */
  readonly audit: AuditFacts | undefined
  /** A certificate is reported from this many days before its end on. */
  readonly expiringDays: number
  /** Undefined without a `wsdl_watch_dir`. */
  readonly wsdlDirectory: { readonly path: string; readonly exists: boolean } | undefined
  /** What became of each operation of the WSDL files. */
  readonly wsdl: readonly WsdlFinding[]
  /** What else is odd about them. */
  readonly wsdlRemarks: readonly string[]
  /** Undefined unless the Security Server was to be asked; `impossible` where something that it takes is missing. */
  readonly probe: ProbeFacts | 'impossible' | undefined
  /** The same as each of `clients` that endpoints call as. */
  readonly furtherProbes?: readonly FurtherProbe[]
}

export interface FurtherProbe extends ProbeFacts {
  /** Its name in `clients`. */
  readonly client: string
}

export interface ConfigFacts {
  /** Where it comes from, in the words of the log. */
  readonly source: string
  /** Undefined for the built-in defaults. */
  readonly file: string | undefined
  /** False when the file is missing or no YAML; `settings` are the defaults then. */
  readonly isReadable: boolean
  /**
   * Each field that is right as it is given; one that is wrong has its default or a stand-in, or its section is left
   * out.
   */
  readonly settings: Config
  readonly problems: readonly FieldNote[]
  readonly unknown: readonly FieldNote[]
  /** Texts of the file as they are there, right or wrong, by their field. */
  readonly texts: ReadonlyMap<string, string>
  /** Where a field is in the file, or the group that it would be in; 1 where that is not there either. */
  readonly lineOf: (field: string) => number
}

export interface FieldNote {
  readonly field: string
  readonly message: string
}

export interface DslFacts {
  readonly path: string
  readonly exists: boolean
  /** The directory that is probably meant, as the end of a sentence; empty where there is none. */
  readonly hint: string
  /** Those that load, whatever is wrong with others, as the next start has them. */
  readonly endpoints: readonly Endpoint[]
  readonly problems: readonly TreeProblem[]
  readonly warnings: readonly string[]
  /** About envelopes that cannot become what they are meant to be. */
  readonly templateWarnings: readonly string[]
  readonly envelopeWarnings: readonly string[]
  readonly notices: readonly string[]
  readonly wsdls: readonly string[]
  /** Files that leave their operations to a description, and what to report about those once they are read. */
  readonly described: readonly DescribedFile[]
  readonly descriptionWarnings: readonly string[]
  /** REST files, loading or not, whose target lacks a part. */
  readonly emptyTargets: readonly { readonly file: string; readonly fields: readonly string[] }[]
}

export interface GatherOptions extends StartEnvironment {
  readonly now: Date
  readonly readWsdls?: (settings: Config) => WsdlFacts
  readonly expiringDays?: number
}

export function gatherFacts(options: GatherOptions): Facts {
  const config = gatherConfig(options)
  const { settings, isReadable } = config
  const path = settings.wsdlWatchDir
  const wsdls = (isReadable ? options.readWsdls?.(settings) : undefined) ?? noWsdls
  const dsl = isReadable ? gatherDsl(config, options.env, wsdls) : noDsl(settings.dslPath)
  return {
    now: options.now,
    config,
    dsl,
    keystores: gatherKeystores(config, dsl.endpoints, options.env),
    audit: gatherAudit(config, options.env),
    expiringDays: options.expiringDays ?? expiringDays,
    wsdlDirectory: path === undefined ? undefined : { path, exists: isThere(path) },
    wsdl: wsdls.findings,
    wsdlRemarks: wsdls.remarks,
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
      problems: byLine(problems, file.places).map(toNote),
      unknown: byLine(unknown, file.places).map(toNote),
      texts: new Map(textsIn(file.data, [])),
      lineOf: (field) => file.places.lineOf(field.split('.')),
    }
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    const { file = '', source = '' } = findConfig(environment) ?? {}
    const problems = [{ field: file, message: error.message }]
    return {
      file,
      source,
      isReadable: false,
      settings: repair({}),
      problems,
      unknown: [],
      texts: new Map(),
      lineOf: () => 1,
    }
  }
}

/** For fields that have no default, where the rest of their section is to be judged. */
const standIns: Readonly<Record<string, string>> = {
  'security_server.url': 'https://unusable.invalid',
  'security_server.keystore_path': 'unusable',
  'audit.file': 'unusable',
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
  // Missing, and nothing can stand in for it: there is no section without it.
  if (standIn === undefined && section[second] === undefined) return omit(data, first)
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

const nothingToTell = {
  templateWarnings: [],
  envelopeWarnings: [],
  notices: [],
  wsdls: [],
  described: [],
  descriptionWarnings: [],
}

function noDsl(path: string): DslFacts {
  return { path, exists: true, hint: '', endpoints: [], problems: [], warnings: [], emptyTargets: [], ...nothingToTell }
}

/** Those that are wrong have a finding of their own; undefined where nothing can be said of any. */
function clientNames({ settings, problems }: ConfigFacts): readonly string[] | undefined {
  const wrong: string[] = []
  for (const { field } of problems) {
    const found = /^clients(?:\.(.*?))?(?:\.|$)/.exec(field)
    if (found === null) continue
    const [, name] = found
    // The section itself is wrong.
    if (name === undefined) return undefined
    wrong.push(name)
  }
  return [...namesOf(settings), ...wrong]
}

/** With the files that the next start makes of WSDLs, and without those that it removes. */
function gatherDsl(config: ConfigFacts, env: Environment, { pending, sources }: WsdlFacts): DslFacts {
  const { dslPath: path, wsdl, wsdlWatchDir, soapResponse } = config.settings
  const exists = isThere(path)
  const hint = exists ? '' : hintAt(path)
  if (!exists && pending.size === 0) return { ...noDsl(path), exists, hint }
  try {
    const { endpoints: found, problems, ...told } = surveyEndpoints(path, clientNames(config), env, pending)
    const { endpoints, warnings: refused } = refuseAddresses(found, wsdl)
    const rest = endpoints.filter(({ kind }) => kind === 'rest')
    const patterns = told.described.map(({ pattern }) => pattern)
    const emptyTargets = [...new Set([...rest, ...patterns, ...problems].map(({ file }) => file))].flatMap((file) => {
      const fields = emptyTargetFields(file)
      return fields.length === 0 ? [] : [{ file, fields }]
    })
    const { warnings: untyped } = finish(typeResponses(endpoints, sources, soapResponse))
    const warnings = [...told.warnings, ...refused, ...untyped]
    const notices = [...told.notices, ...misplacedWsdls(told.wsdls, wsdlWatchDir)]
    return {
      path,
      exists,
      hint,
      endpoints,
      problems,
      ...told,
      warnings,
      notices,
      descriptionWarnings: [],
      emptyTargets,
    }
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
