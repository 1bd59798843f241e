/**
 * The DSL directory -> the paths of the DSL files below it, in order of name, with what prevents reading
 * them. Opens no file; what is in one is for endpoints.ts.
 */
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { StartupFailure } from '../../errors.ts'

/** Of one DSL file. */
export const maxDslBytes = 1_048_576
const maxFolders = 100_000

const extensions: ReadonlySet<string> = new Set(['.yml', '.yaml'])
/** Is beside a WSDL file. */
const sidecar = '.meta.yaml'

const otherFormat = /\.(?:json|xml|txt)$/i

/** What a walk has met so far. */
export interface Tree {
  readonly files: string[]
  readonly problems: TreeProblem[]
  readonly warnings: string[]
  readonly templateWarnings: string[]
  readonly envelopeWarnings: string[]
  readonly notices: string[]
  /** Files with the end of another format, which somebody may take for DSL files. */
  readonly others: string[]
  /** WSDL files, which are read below `wsdl_watch_dir` alone. */
  readonly wsdls: string[]
  folders: number
}

/** `message` begins with the file, where it is about one. */
export interface TreeProblem {
  readonly file: string
  readonly message: string
}

export function newTree(): Tree {
  return {
    files: [],
    problems: [],
    warnings: [],
    templateWarnings: [],
    envelopeWarnings: [],
    notices: [],
    others: [],
    wsdls: [],
    folders: 0,
  }
}

/**
 * Paths of the files that would be read, in order; none where the walk fails, which is told when it is taken in
 * earnest.
 */
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

/** `ancestors` are the real paths of the folders above. */
export function walk(folder: string, ancestors: readonly string[], tree: Tree): void {
  tree.folders++
  // Links back and forth between folders make more paths than a walk could ever finish.
  if (tree.folders > maxFolders) {
    const problem = `${folder}: more than ${maxFolders} folders; do symbolic links form a loop?`
    throw new StartupFailure('invalid_dsl', problem)
  }
  const real = realpathSync(folder)
  if (ancestors.includes(real)) {
    tree.warnings.push(`${folder} is a link to a folder that contains it; it is not read again`)
    return
  }
  const entries = entriesOf(folder, tree)
  for (const entry of entries) visit(join(folder, entry.name), entry, [...ancestors, real], tree)
  const wsdls = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.wsdl'))
  tree.wsdls.push(...wsdls.map(({ name }) => join(folder, name)))
  // Schemas and lists of files belong to a WSDL.
  if (wsdls.length > 0) return
  const others = entries.filter((entry) => entry.isFile() && otherFormat.test(entry.name) && !isAlmostDsl(entry.name))
  tree.others.push(...others.map(({ name }) => join(folder, name)))
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
  if (isAlmostDsl(entry.name)) {
    tree.warnings.push(
      `${path}: is ignored; only names that end in .yml or .yaml, in small letters, are read; rename it`,
    )
  }
  if (!entry.isSymbolicLink() && !isDsl) return
  const status = statusOf(path)
  if (typeof status !== 'string' && status.isDirectory()) return walk(path, ancestors, tree)
  if (!isDsl) return
  const problem = typeof status === 'string' ? `cannot be read (${status})` : fileProblem(status)
  if (problem === undefined) tree.files.push(path)
  else tree.problems.push({ file: path, message: `${path}: ${problem}` })
}

/** Windows hides the end of `a.yml.txt`, which editors there add. */
function isAlmostDsl(name: string): boolean {
  return /\.ya?ml(?:\.txt)?$/i.test(name) && !extensions.has(extname(name))
}

function fileProblem(status: Stats): string | undefined {
  // Reading a pipe or a device might never end.
  if (!status.isFile()) return 'is not a regular file'
  return status.size > maxDslBytes ? `is larger than ${maxDslBytes} bytes, the limit for DSL files` : undefined
}

/** What the path leads to, or why that cannot be told. */
export function statusOf(path: string): Stats | string {
  try {
    return statSync(path)
  } catch (error) {
    return codeOf(error)
  }
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown'
}
