/**
 * The tree of DSL files -> the list of endpoints, read once, in order of name. A folder is the first segment of the URL,
 * a file name the second. Refuses (StartupFailure) files that cannot be read and two files for one endpoint, naming up to
 * ten files at once. dsl.ts reads the contents of a file.
 */
import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { StartupFailure } from '../../errors.ts'
import type { Endpoint, RestEndpoint } from '../../model.ts'
import { withParts } from './description-files.ts'
import { type ReadDsl, readDsl } from './dsl.ts'
import { EndpointSet } from './endpoint-set.ts'
import type { Environment } from './header-edits.ts'

export interface LoadedEndpoints {
  readonly endpoints: readonly Endpoint[]
  /** Files that leave their operations to a description. */
  readonly described: readonly DescribedFile[]
  /** One WARN each. */
  readonly warnings: readonly string[]
  /** The same, about envelopes that cannot become what they are meant to be. */
  readonly templateWarnings: readonly string[]
}

export interface DescribedFile {
  /** Of its endpoints: without methods and paths. */
  readonly pattern: RestEndpoint
  /** Path of the description. */
  readonly description: string
  /** Where the file names it. */
  readonly line: number
}

/** Of one DSL file. */
export const maxDslBytes = 1_048_576
const limits = { folders: 100_000, reportedFiles: 10 }

const extensions: ReadonlySet<string> = new Set(['.yml', '.yaml'])
/** Stands beside a WSDL file. */
const sidecar = '.meta.yaml'
/** An OpenAPI description, for a DSL file to name. */
const description = /\.openapi\.ya?ml$/

/** A tree, with all its problems. */
export interface Survey extends LoadedEndpoints {
  readonly problems: readonly TreeProblem[]
}

/** `message` begins with the file, where it is about one. */
export interface TreeProblem {
  readonly file: string
  readonly message: string
}

/**
 * `clients` are the names that the configuration has for clients; without them those of the files are not looked for. `env` has the
 * variables that the values of headers may come from.
 */
export function loadEndpoints(dslPath: string, clients?: readonly string[], env: Environment = {}): LoadedEndpoints {
  return withoutProblems(surveyEndpoints(dslPath, clients, env))
}

/** Refuses a tree that has any. */
export function withoutProblems<Found extends Survey>({ problems, ...loaded }: Found): Omit<Found, 'problems'> {
  if (problems.length > 0) refuse(problems.map(({ message }) => message))
  return loaded
}

const nothing: Survey = { endpoints: [], described: [], warnings: [], templateWarnings: [], problems: [] }

/** Every file that loads, and every problem, without refusing any. */
export function surveyEndpoints(dslPath: string, clients?: readonly string[], env: Environment = {}): Survey {
  const shown = `dsl_path ${dslPath} (${resolve(dslPath)})`
  const top = statusOf(dslPath)
  const unread = (message: string): Survey => ({ ...nothing, problems: [{ file: dslPath, message }] })
  if (top === 'ENOENT') return { ...nothing, warnings: [`${shown} does not exist; there are no endpoints`] }
  if (typeof top === 'string') return unread(`${shown} cannot be read (${top})`)
  if (!top.isDirectory()) return unread(`${shown} is not a directory; name the directory of the DSL files`)
  const tree: Tree = newTree()
  try {
    walk(dslPath, [], tree)
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    return unread(error.message)
  }
  const { endpoints, described, problems } = readFiles(tree, clients, env)
  if (endpoints.length === 0 && described.length === 0 && problems.length === 0) {
    tree.warnings.push(`${shown} holds no *.yml or *.yaml file; there are no endpoints`)
  }
  const { warnings, templateWarnings } = tree
  return { endpoints: Object.freeze(endpoints), described, warnings, templateWarnings, problems }
}

/** Paths of the files that would be read, in order; none where the walk fails, which is told when it is taken in earnest. */
export function listDslFiles(dslPath: string): readonly string[] {
  const tree: Tree = newTree()
  const top = statusOf(dslPath)
  if (typeof top === 'string' || !top.isDirectory()) return []
  try {
    walk(dslPath, [], tree)
    return tree.files
  } catch (error) {
    if (error instanceof StartupFailure) return []
    throw error
  }
}

/** What a walk has met so far. */
interface Tree {
  readonly files: string[]
  readonly problems: TreeProblem[]
  readonly warnings: string[]
  readonly templateWarnings: string[]
  folders: number
}

function newTree(): Tree {
  return { files: [], problems: [], warnings: [], templateWarnings: [], folders: 0 }
}

/** `ancestors` are the real paths of the folders above. */
function walk(folder: string, ancestors: readonly string[], tree: Tree): void {
  tree.folders += 1
  // Links back and forth between folders make more paths than a walk could ever finish.
  if (tree.folders > limits.folders)
    refuse([`${folder}: more than ${limits.folders} folders; do symbolic links form a loop?`])
  const real = realpathSync(folder)
  if (ancestors.includes(real)) {
    tree.warnings.push(`${folder} is a link to a folder that contains it; it is not read again`)
    return
  }
  for (const entry of entriesOf(folder, tree)) visit(join(folder, entry.name), entry, [...ancestors, real], tree)
}

/** Names that start with a dot belong to editors and mounts (Kubernetes links the files beside its `..data`). */
function entriesOf(folder: string, { problems }: Tree): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    problems.push({ file: folder, message: `${folder}: cannot be read (${codeOf(error)})` })
    return []
  }
}

function visit(path: string, entry: Dirent, ancestors: readonly string[], tree: Tree): void {
  const isDsl = extensions.has(extname(entry.name)) && !entry.name.endsWith(sidecar)
  if (entry.isDirectory()) return walk(path, ancestors, tree)
  if (!entry.isSymbolicLink() && !isDsl) return
  const status = statusOf(path)
  if (typeof status !== 'string' && status.isDirectory()) return walk(path, ancestors, tree)
  if (!isDsl) return
  const problem = typeof status === 'string' ? `cannot be read (${status})` : fileProblem(status)
  if (problem === undefined) tree.files.push(path)
  else tree.problems.push({ file: path, message: `${path}: ${problem}` })
}

function fileProblem(status: Stats): string | undefined {
  // Reading a pipe or a device might never end.
  if (!status.isFile()) return 'is not a regular file'
  return status.size > maxDslBytes ? `is larger than ${maxDslBytes} bytes, the limit for DSL files` : undefined
}

/** The problems of each file, so that all can be corrected in one go. */
function readFiles(
  tree: Tree,
  clients: readonly string[] | undefined,
  env: Environment,
): Pick<Survey, 'described' | 'problems'> & { readonly endpoints: Endpoint[] } {
  const outcomes = tree.files.map((file) => attempt(file, clients, env))
  const naming = outcomes.flatMap((outcome) => describedIn(outcome))
  const parts = withParts(naming.map(({ description }) => resolve(description)))
  const described = naming.filter(({ pattern }) => !parts.has(resolve(pattern.file)))
  tree.warnings.push(...namingEachOther(naming, described))
  const isPart = ({ file }: { readonly file: string }): boolean => parts.size > 0 && parts.has(resolve(file))
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
    const conflict = read.openapi === undefined ? found.add(read.endpoint) : undefined
    if (conflict !== undefined) problems.push({ file, message: `${file}: ${conflict.message}` })
  }
  return { endpoints: found.all, described, problems }
}

type Outcome = { readonly file: string } & (
  | { readonly read: ReadDsl; readonly problem?: undefined }
  | { readonly read?: undefined; readonly problem: string }
)

function attempt(file: string, clients: readonly string[] | undefined, env: Environment): Outcome {
  try {
    const group = basename(resolve(dirname(file)))
    const place = { file, group, service: basename(file, extname(file)), clients }
    return { file, read: readDsl(readText(file), place, env) }
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

/** What the path leads to, or why that cannot be told. */
function statusOf(path: string): Stats | string {
  try {
    return statSync(path)
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown'
}

function refuse(problems: readonly string[]): never {
  const more = problems.length - limits.reportedFiles
  const shown = problems.slice(0, limits.reportedFiles)
  throw new StartupFailure('invalid_dsl', [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; '))
}
