/**
 * The tree of `.sql` files -> the map of endpoints, read and scanned once. Refuses (StartupFailure) what would leave an
 * operator guessing: colliding or empty files, files that are no text, links that lead out of the tree. Of several problems
 * it reports the first in the order of names, whichever it finds first.
 *
 * Layout: `<sql_dir>/<project>/<GET|POST>/<name...>.sql`. Boot ignores anything else in the tree; ignored.ts
 * decides which of it the operator hears about.
 */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { dialects } from '../dialects.ts'
import { readDeclarations } from '../declarations/read.ts'
import { endpointKey } from '../endpoint-key.ts'
import { StartupFailure } from '../errors.ts'
import type { Dialect, Endpoint, Method, Script } from '../model.ts'
import { readScript } from '../sql/script.ts'
import { cureOfFile, cureOfFolder, cureOfSuffix, type Ignored } from './ignored.ts'

/** Keys as endpoint-key.ts makes them. */
export type Endpoints = ReadonlyMap<string, Endpoint>

const methods: readonly Method[] = ['GET', 'POST']

/** How many files are read ahead while others are scanned; each is an open file. */
const readsAhead = 32

/** Scans for the given dialects only. `ignored` is told of what is not published, in the order of names. */
export async function loadEndpoints(
  sqlDir: string,
  dialectsInUse: ReadonlySet<Dialect>,
  ignored: (what: Ignored) => void = () => undefined,
): Promise<Endpoints> {
  const root = openRoot(sqlDir)
  const endpoints = new Map<string, Endpoint>()
  const pass: PassOver = (path, cure) => {
    if (cure !== undefined) ignored({ path: shownPath(path, root), cure })
  }
  for (const project of childFolders(root, root, pass)) {
    const folders = childFolders(project, root, pass)
    for (const folder of folders) {
      const name = basename(folder)
      if (!methods.some((method) => method === name)) pass(folder, cureOfFolder(name, folder))
    }
    for (const method of methods) {
      const path = join(project, method)
      if (!folders.includes(path)) continue
      const folder = { root, project: shownPath(project, root), method, dialectsInUse }
      const files = sqlFiles(path, root, [], pass)
      for await (const [file, content] of readInOrder(files)) add(endpoints, toEndpoint(file, content, folder))
    }
  }
  refuseBatchCollisions(endpoints)
  return endpoints
}

function openRoot(sqlDir: string): string {
  const shown = `sql_dir '${sqlDir}' (${resolve(sqlDir)})`
  let root: string
  try {
    root = realpathSync(sqlDir)
    if (!statSync(root).isDirectory()) refuseFolder(`${shown} is not a directory; name the directory of the .sql files`)
    readdirSync(root)
  } catch (error) {
    if (error instanceof StartupFailure) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') refuseFolder(`${shown} does not exist; name the directory of the .sql files`)
    return refuseFolder(`${shown} cannot be read (${code}); allow this user to read it`)
  }
  return root
}

/** Hears of each folder or file that is skipped, with the cure if it looks as if it should be published. */
type PassOver = (path: string, cure: string | undefined) => void

/** Folders directly below, in order of name, links to folders included. */
function childFolders(folder: string, root: string, pass: PassOver): string[] {
  return entries(folder, root).flatMap(({ path, isFolder, name }) => {
    if (isFolder) return [path]
    pass(path, cureOfFile(name))
    return []
  })
}

/** The `.sql` files below a method folder, at any depth. `ancestors` are the real paths of the folders above. */
function sqlFiles(folder: string, root: string, ancestors: readonly string[], pass: PassOver): string[] {
  const real = realpathSync(folder)
  if (ancestors.includes(real)) refuseFolder(`${shownPath(folder, root)} is a symbolic link to a folder that it is in`)
  return entries(folder, root).flatMap(({ path, isFolder, name }) => {
    if (isFolder) return sqlFiles(path, root, [...ancestors, real], pass)
    if (name.endsWith('.sql')) return [path]
    pass(path, cureOfSuffix(name))
    return []
  })
}

interface Entry {
  readonly name: string
  readonly path: string
  readonly isFolder: boolean
}

function entries(folder: string, root: string): Entry[] {
  let found: Dirent[]
  try {
    found = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    return refuseFolder(`${shownPath(folder, root)} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  return found
    .filter(({ name }) => !isMountFolder(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => toEntry(entry, folder, root))
}

/** Kubernetes keeps a mounted ConfigMap's versions in folders such as `..data`; the files are linked beside them. */
function isMountFolder(name: string): boolean {
  return name.startsWith('..')
}

function toEntry(entry: Dirent, folder: string, root: string): Entry {
  const { name } = entry
  const path = join(folder, name)
  let isFolder = entry.isDirectory()
  let isFile = entry.isFile()
  if (entry.isSymbolicLink()) {
    const target = followLink(path, root)
    isFolder = target?.isDirectory() === true
    isFile = target?.isFile() === true
  }
  if (name.endsWith('.sql') && !isFile) {
    refuseFile(path, root, 'is not a regular file; rename it or put a file in its place')
  }
  return { name, path, isFolder }
}

/** What the link leads to, nothing for a broken one; refuses one that leaves the tree. */
function followLink(path: string, root: string) {
  let real: string
  try {
    real = realpathSync(path)
  } catch {
    return undefined
  }
  if (real !== root && !real.startsWith(root + sep)) {
    refuseFile(path, root, 'is a symbolic link that leads out of sql_dir; put the file itself there')
  }
  return statSync(real)
}

type Content = Buffer | NodeJS.ErrnoException

/** Reads ahead, but yields one file after the other; where a file could not be read, its error. */
async function* readInOrder(files: readonly string[]): AsyncGenerator<[file: string, content: Content]> {
  const begun = files.slice(0, readsAhead).map(beginReading)
  for (const [index, file] of files.entries()) {
    const content = (await begun.shift()) as Content
    const next = files[index + readsAhead]
    if (next !== undefined) begun.push(beginReading(next))
    yield [file, content]
  }
}

/** Never rejects: if an earlier file is refused, nobody would handle the rejection. */
async function beginReading(file: string): Promise<Content> {
  try {
    return await readFile(file)
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

interface MethodFolder {
  readonly root: string
  /** Its name. */
  readonly project: string
  readonly method: Method
  readonly dialectsInUse: ReadonlySet<Dialect>
}

function toEndpoint(path: string, content: Content, { root, project, method, dialectsInUse }: MethodFolder): Endpoint {
  const text = toText(path, content, root)
  if (text.includes('\0')) refuseFile(path, root, 'contains a NUL character; no database reads past it')
  if (text.trim() === '') refuseFile(path, root, 'is empty; write a statement or remove the file')
  const file = shownPath(path, root)
  const rest = file.slice(`${project}/${method}/`.length, -'.sql'.length)
  const scripts: Partial<Record<Dialect, Script>> = {}
  for (const dialect of dialectsInUse) scripts[dialect] = readScript(text, dialects[dialect].grammar)
  const declared = readDeclarations({ text, method, parameters: parametersOf(Object.values(scripts)) })
  return { method, project, path: `/${project}/${rest}`, file, scripts, ...declared }
}

/** Of all dialects, in the order of the first. */
function parametersOf(scripts: readonly Script[]): readonly string[] | undefined {
  return scripts.length === 0 ? undefined : [...new Set(scripts.flatMap(({ parameters }) => parameters))]
}

/** Strict UTF-8; a byte-order mark is dropped. */
const decoder = new TextDecoder('utf-8', { fatal: true })

function toText(path: string, content: Content, root: string): string {
  if (content instanceof Error) return refuseFile(path, root, `cannot be read (${content.code})`)
  try {
    return decoder.decode(content)
  } catch {
    return refuseFile(path, root, 'is not UTF-8 text; save it as UTF-8')
  }
}

function add(endpoints: Map<string, Endpoint>, endpoint: Endpoint): void {
  const key = endpointKey(endpoint.method, endpoint.path)
  const other = endpoints.get(key)
  if (other !== undefined) refuseCollision(other, endpoint)
  endpoints.set(key, endpoint)
}

/** `POST/x/batch.sql` would be the batch variant of `POST/x.sql`. */
function refuseBatchCollisions(endpoints: Endpoints): void {
  for (const [key, endpoint] of endpoints) {
    if (endpoint.method !== 'POST' || !key.endsWith('/batch')) continue
    const single = endpoints.get(key.slice(0, -'/batch'.length))
    if (single !== undefined) refuseCollision(single, endpoint)
  }
}

function refuseCollision(one: Endpoint, other: Endpoint): never {
  const url = `${other.method} ${other.path}`
  throw new StartupFailure(
    'InvalidQueryException',
    `files ${one.file} and ${other.file} give the same endpoint ${url} (case does not count, /batch is the batch variant); rename one`,
  )
}

function refuseFile(path: string, root: string, problem: string): never {
  throw new StartupFailure('InvalidQueryException', `file ${shownPath(path, root)} ${problem}`)
}

function refuseFolder(problem: string): never {
  throw new StartupFailure('InvalidDirectoryException', problem)
}

/** `path` is below `root`, and both are as `realpath` and `join` make them; `relative` would tidy each up twice. */
function shownPath(path: string, root: string): string {
  const above = root.endsWith(sep) ? root : `${root}${sep}`
  return path.slice(above.length).replaceAll(sep, '/')
}
