/**
 * The tree of `.sql` files -> the map of endpoints, read and scanned once. Refuses (StartupFailure) what would leave an
 * operator guessing: colliding or empty files, files that are no text, links that lead out of the tree.
 *
 * Layout: `<sql_dir>/<project>/<GET|POST>/<name...>.sql`. Anything else in the tree is none of ours and is left alone.
 */
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { endpointKey } from '../endpoint-key.ts'
import { StartupFailure } from '../errors.ts'
import type { Endpoint, Method } from '../model.ts'
import { hasTransactionMarker } from '../sql/marker.ts'
import { readScript } from '../sql/script.ts'

/** Keys as endpoint-key.ts makes them. */
export type Endpoints = ReadonlyMap<string, Endpoint>

const methods: readonly Method[] = ['GET', 'POST']

export function loadEndpoints(sqlDir: string): Endpoints {
  const root = openRoot(sqlDir)
  const endpoints = new Map<string, Endpoint>()
  for (const project of childFolders(root, root)) {
    for (const method of methods) {
      const folder = childFolders(project, root).find((path) => path === join(project, method))
      if (folder === undefined) continue
      for (const file of sqlFiles(folder, root, [])) add(endpoints, toEndpoint(file, { root, project, method, folder }))
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

/** Folders directly below, in order of name, links to folders included. */
function childFolders(folder: string, root: string): string[] {
  return entries(folder, root).flatMap(({ path, isFolder }) => (isFolder ? [path] : []))
}

/** The `.sql` files below a method folder, at any depth. `ancestors` are the real paths of the folders above. */
function sqlFiles(folder: string, root: string, ancestors: readonly string[]): string[] {
  const real = realpathSync(folder)
  if (ancestors.includes(real)) refuseFolder(`${shownPath(folder, root)} is a symbolic link to a folder that it is in`)
  return entries(folder, root).flatMap(({ path, isFolder, name }) => {
    if (isFolder) return sqlFiles(path, root, [...ancestors, real])
    return name.endsWith('.sql') ? [path] : []
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
    refuseFile(path, root, 'is no regular file; rename it or put a file in its place')
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

interface Place {
  readonly root: string
  readonly project: string
  readonly method: Method
  readonly folder: string
}

function toEndpoint(file: string, { root, project, method, folder }: Place): Endpoint {
  const text = readText(file, root)
  if (text.includes('\0')) refuseFile(file, root, 'holds a NUL character; no database reads beyond it')
  if (text.trim() === '') refuseFile(file, root, 'is empty; write a statement or remove the file')
  const name = relative(root, project)
  const rest = relative(folder, file).slice(0, -'.sql'.length).split(sep).join('/')
  return {
    method,
    project: name,
    path: `/${name}/${rest}`,
    file: shownPath(file, root),
    transactional: hasTransactionMarker(text),
    scripts: { postgres: readScript(text, 'postgres'), sqlite: readScript(text, 'sqlite') },
  }
}

/** Strict UTF-8; a byte-order mark is dropped. */
const decoder = new TextDecoder('utf-8', { fatal: true })

function readText(file: string, root: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return refuseFile(file, root, `cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  try {
    return decoder.decode(bytes)
  } catch {
    return refuseFile(file, root, 'is not UTF-8 text; save it as UTF-8')
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

function shownPath(path: string, root: string): string {
  return relative(root, path).split(sep).join('/')
}
