/**
 * The tree of DSL files -> the list of endpoints, read once, in order of name. A folder is the first segment of the
 * URL, a file name the second. Refuses (StartupFailure) files that cannot be read and two files for one endpoint,
 * naming up to ten files at once. tree.ts finds the files, dsl.ts reads the contents of one.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path'
import type { Environment } from '@services/config-file'
import { StartupFailure } from '../../errors.ts'
import type { Endpoint, RestEndpoint } from '../../model.ts'
import { finish, type Steps } from '../../steps.ts'
import { withParts } from './description-files.ts'
import { type ReadDsl, readDsl } from './dsl.ts'
import { EndpointSet } from './endpoint-set.ts'
import { hintAt } from './missing-directory.ts'
import { codeOf, newTree, statusOf, type Tree, type TreeProblem, walk } from './tree.ts'

export interface LoadedEndpoints {
  readonly endpoints: readonly Endpoint[]
  /** There is no such directory. */
  readonly isMissing?: true
  /** Files that leave their operations to a description. */
  readonly described: readonly DescribedFile[]
  /** One WARN each. */
  readonly warnings: readonly string[]
  /** The same, about envelopes that cannot become what they are meant to be. */
  readonly templateWarnings: readonly string[]
  /** The same, about envelopes that are no messages. */
  readonly envelopeWarnings: readonly string[]
  /** One INFO each. */
  readonly notices: readonly string[]
  /** WSDL files in the tree. */
  readonly wsdls: readonly string[]
}

export interface DescribedFile {
  /** Of its endpoints: without methods and paths. */
  readonly pattern: RestEndpoint
  /** Path of the description. */
  readonly description: string
  /** Where the file names it. */
  readonly line: number
}

const maxReportedFiles = 10

/** An OpenAPI description, for a DSL file to name. */
const description = /\.openapi\.ya?ml$/

/** A tree, with all its problems. */
export interface Survey extends LoadedEndpoints {
  readonly problems: readonly TreeProblem[]
}

/**
 * `clients` are the names that the configuration has for clients; without them those of the files are not looked for.
 * `env` has the variables that the values of headers may come from.
 */
export function loadEndpoints(dslPath: string, clients?: readonly string[], env: Environment = {}): LoadedEndpoints {
  return withoutProblems(surveyEndpoints(dslPath, clients, env))
}

/** Refuses a tree that has any. */
export function withoutProblems<Found extends Survey>({ problems, ...loaded }: Found): Omit<Found, 'problems'> {
  if (problems.length > 0) refuse(problems.map(({ message }) => message))
  return loaded
}

const nothing: Survey = {
  endpoints: [],
  described: [],
  warnings: [],
  templateWarnings: [],
  envelopeWarnings: [],
  notices: [],
  wsdls: [],
  problems: [],
}

/** Texts of files to write, instead of those that are there; undefined for a file to remove. */
export type PendingFiles = ReadonlyMap<string, string | undefined>

const asItIs: PendingFiles = new Map()

/** Every file that loads, and every problem, without refusing any. */
export function surveyEndpoints(...surveyed: Surveyed): Survey {
  return finish(surveyEndpointsInSteps(...surveyed))
}

type Surveyed = readonly [
  dslPath: string,
  clients?: readonly string[] | undefined,
  env?: Environment,
  pending?: PendingFiles,
]

export function* surveyEndpointsInSteps(...[dslPath, clients, env = {}, pending = asItIs]: Surveyed): Steps<Survey> {
  const shown = `dsl_path ${dslPath} (${resolve(dslPath)})`
  const top = statusOf(dslPath)
  const unread = (message: string): Survey => ({ ...nothing, problems: [{ file: dslPath, message }] })
  if (top === 'ENOENT' && pending.size === 0) {
    const warnings = [`${shown} does not exist; there are no endpoints${hintAt(dslPath)}`]
    return { ...nothing, isMissing: true, warnings }
  }
  if (typeof top === 'string' && top !== 'ENOENT') return unread(`${shown} cannot be read (${top})`)
  if (typeof top !== 'string' && !top.isDirectory()) {
    return unread(`${shown} is not a directory; name the directory of the DSL files`)
  }
  const tree: Tree = newTree()
  try {
    if (top !== 'ENOENT') walk(dslPath, [], tree)
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    return unread(error.message)
  }
  const files = withPending(tree.files, pending)
  const { endpoints, described, problems } = yield* readFiles({ ...tree, files, dslPath }, { clients, env, pending })
  if (endpoints.length === 0 && described.length === 0 && problems.length === 0) {
    tree.warnings.push(`${shown} holds no *.yml or *.yaml file; there are no endpoints`)
  }
  const direct = files.filter((file) => resolve(dirname(file)) === resolve(dslPath))
  if (direct.length > 0) tree.notices.push(tellDirect(direct, dslPath))
  const { warnings, templateWarnings, envelopeWarnings, notices, wsdls } = tree
  const told = { warnings, templateWarnings, envelopeWarnings, notices, wsdls }
  return { endpoints: Object.freeze(endpoints), described, ...told, problems }
}

/** Names the WSDL files of the tree that are not below `wsdlWatchDir` either. */
export function misplacedWsdls(wsdls: readonly string[], wsdlWatchDir: string | undefined): readonly string[] {
  const read = wsdlWatchDir === undefined ? undefined : `${resolve(wsdlWatchDir)}${sep}`
  const misplaced = wsdls.filter((file) => read === undefined || !resolve(file).startsWith(read))
  const notices = misplaced
    .slice(0, maxReportedFiles)
    .map((file) => `${file}: is not read here; move it to <owner>/${basename(file)} below wsdl_watch_dir`)
  const more = misplaced.length - notices.length
  return more > 0 ? [...notices, `and ${more} more WSDL files that are not read`] : notices
}

/** They work, with the name of the directory itself in the path. */
function tellDirect([file = '', ...others]: readonly string[], dslPath: string): string {
  const more = others.length === 0 ? '' : ` (as ${others.length} more)`
  const path = `/${basename(resolve(dslPath))}/${basename(file, extname(file))}`
  return `${file}: lies directly in dsl_path${more}, so its path is ${path}; in a folder <name>/ it is /<name>/${basename(file, extname(file))}`
}

function withPending(files: readonly string[], pending: PendingFiles): readonly string[] {
  if (pending.size === 0) return files
  const coming = [...pending].flatMap(([file, text]) => (text === undefined ? [] : [file]))
  return [...files.filter((file) => !pending.has(file)), ...coming].toSorted()
}

interface Reading {
  readonly clients: readonly string[] | undefined
  readonly env: Environment
  readonly pending: PendingFiles
}

/** The problems of each file, so that all can be corrected in one go. */
function* readFiles(
  tree: Omit<Tree, 'files'> & { readonly files: readonly string[]; readonly dslPath: string },
  reading: Reading,
): Steps<Pick<Survey, 'described' | 'problems'> & { readonly endpoints: Endpoint[] }> {
  const outcomes: Outcome[] = []
  for (const file of tree.files) {
    yield
    outcomes.push(attempt(file, reading))
  }
  const naming = outcomes.flatMap((outcome) => describedIn(outcome))
  const named = new Set(naming.map(({ description }) => resolve(description)))
  const parts = withParts([...named])
  const described = naming.filter(({ pattern }) => !named.has(resolve(pattern.file)))
  tree.warnings.push(...namingEachOther(naming, described))
  const isPart = ({ file, read }: { readonly file: string; readonly read?: ReadDsl | undefined }): boolean => {
    if (parts.size === 0) return false
    // Others write the references: one of them must not make a description of an endpoint of ours.
    return read === undefined ? parts.has(resolve(file)) : named.has(resolve(file))
  }
  const problems = tree.problems.filter((problem) => !isPart(problem))
  const found = new EndpointSet()
  for (const outcome of outcomes) {
    const { file, read } = outcome
    if (isPart(outcome)) continue
    if (read === undefined) {
      if (description.test(file)) tree.warnings.push(`${file}: is not read; no DSL file names it in its field openapi`)
      else problems.push({ file, message: outcome.problem })
      continue
    }
    tree.warnings.push(...read.warnings)
    tree.templateWarnings.push(...read.templateWarnings)
    tree.envelopeWarnings.push(...read.envelopeWarnings)
    tree.notices.push(...read.notices)
    const conflict = read.openapi === undefined ? found.add(read.endpoint) : undefined
    if (conflict !== undefined) problems.push({ file, message: `${file}: ${conflict.message}` })
  }
  const others = tree.others.filter((file) => !parts.has(resolve(file)))
  for (const file of others.slice(0, maxReportedFiles)) {
    tree.notices.push(`${file}: is not read; a DSL file ends in .yml or .yaml, so rename it if it is one`)
  }
  if (others.length > maxReportedFiles) {
    tree.notices.push(`${tree.dslPath}: and ${others.length - maxReportedFiles} more files that are not read`)
  }
  return { endpoints: found.all, described, problems }
}

type Outcome = { readonly file: string } & (
  | { readonly read: ReadDsl; readonly problem?: undefined }
  | { readonly read?: undefined; readonly problem: string }
)

function attempt(file: string, { clients, env, pending }: Reading): Outcome {
  try {
    const group = basename(resolve(dirname(file)))
    const place = { file, group, service: basename(file, extname(file)), clients }
    return { file, read: readDsl(pending.get(file) ?? readText(file), place, env) }
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    return { file, problem: error.message }
  }
}

/** Where a file that is read names another one, that one's own mistake is told; those of a circle nobody would tell. */
function namingEachOther(naming: readonly DescribedFile[], described: readonly DescribedFile[]): string[] {
  const unread = naming.filter((each) => !described.includes(each))
  const namedByUnread = new Set(unread.map((each) => resolve(each.description)))
  const namedByOthers = new Set(described.map((each) => resolve(each.description)))
  return unread.flatMap(({ pattern: { file }, line }) => {
    const path = resolve(file)
    if (!namedByUnread.has(path) || namedByOthers.has(path)) return []
    const why = 'has no effect, because a file without effect names this one as its description'
    return [`${file}:${line}: openapi: ${why}; DSL files cannot name each other`]
  })
}

function describedIn({ file, read }: Outcome): DescribedFile[] {
  if (read?.openapi === undefined || read.endpoint.kind !== 'rest') return []
  const { name, line } = read.openapi
  return [{ pattern: read.endpoint, description: isAbsolute(name) ? name : join(dirname(file), name), line }]
}

/** Strict UTF-8; a byte-order mark is dropped. */
const decoder = new TextDecoder('utf-8', { fatal: true })

function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return refuse([`${file}: cannot be read (${codeOf(error)})`])
  }
  try {
    return decoder.decode(bytes)
  } catch {
    return refuse([`${file}: is not UTF-8 text; save it as UTF-8`])
  }
}

function refuse(problems: readonly string[]): never {
  const more = problems.length - maxReportedFiles
  const shown = problems.slice(0, maxReportedFiles)
  throw new StartupFailure('invalid_dsl', [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; '))
}
