/**
 * The tree of `.sql` files, walked: which files are published, and as what. Reads no file. What cannot be published
 * (links that lead out of the tree, folders that cannot be read) is reported to the caller of the walk, who refuses to
 * start or goes on.
 *
 * Layout: `<sql_dir>/<project>/<GET|POST>/<name...>.sql`. Anything else in the tree is ignored; ignored.ts decides
 * which of it the operator hears about.
 */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { StartupFailure } from '../errors.ts'
import type { Method } from '../model.ts'
import { FileRefusal } from './file-refusal.ts'
import { cureOfFile, cureOfFolder, cureOfSuffix, type Ignored } from './ignored.ts'

/** The caller of the walk. */
export interface Walker {
  /** Told of what is not published, in the order of names. */
  readonly ignored: (what: Ignored) => void
  /** Told of what cannot be published. Where it returns, the walk goes on without that. */
  readonly refused: (failure: StartupFailure) => void
  /** Told of each folder in which a change counts, before it is read. */
  readonly entered?: (path: string) => void
}

export interface MethodFolder {
  /** Its name. */
  readonly project: string
  readonly method: Method
  /** Paths of the `.sql` files at any depth, in the order of names. */
  readonly files: readonly string[]
}

const methods: readonly Method[] = ['GET', 'POST']

/** `root` is what `openRoot` gives. */
export function* walkTree(
  root: string,
  { ignored, refused, entered = () => undefined }: Walker,
): Generator<MethodFolder> {
  const walk: Walk = {
    root,
    refused,
    entered,
    pass(path, cure) {
      if (cure !== undefined) ignored({ path: shownPath(path, root), cure })
    },
  }
  for (const project of childFolders(root, walk)) {
    const folders = childFolders(project, walk)
    for (const folder of folders) {
      const name = basename(folder)
      if (!methods.some((method) => method === name)) walk.pass(folder, cureOfFolder(name, folder))
    }
    for (const method of methods) {
      const path = join(project, method)
      if (folders.includes(path)) yield { project: basename(project), method, files: sqlFiles(path, walk, []) }
    }
  }
}

/** The real path. Throws a StartupFailure, which names where the field comes from (`sqlapi.yaml:1`) if it is known. */
export function openRoot(sqlDir: string, origin?: string): string {
  const shown = `${origin === undefined ? '' : `${origin}: `}sql_dir '${sqlDir}' (${resolve(sqlDir)})`
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

interface Walk extends Required<Pick<Walker, 'refused' | 'entered'>> {
  readonly root: string
  /** Hears of each folder or file that is skipped, with the cure if it looks as if it should be published. */
  readonly pass: (path: string, cure: string | undefined) => void
}

/** Folders directly below, in order of name, links to folders included. */
function childFolders(folder: string, walk: Walk): string[] {
  return entries(folder, walk).flatMap(({ path, isFolder, name }) => {
    if (isFolder) return [path]
    walk.pass(path, cureOfFile(name, folder))
    return []
  })
}

/** The `.sql` files below a method folder, at any depth. `ancestors` are the real paths of the folders above. */
function sqlFiles(folder: string, walk: Walk, ancestors: readonly string[]): string[] {
  const real = realPath(folder)
  if (ancestors.includes(real)) {
    walk.refused(folderRefusal(`${shownPath(folder, walk.root)} is a symbolic link to a folder that it is in`))
    return []
  }
  return entries(folder, walk).flatMap(({ path, isFolder, name }) => {
    if (isFolder) return sqlFiles(path, walk, [...ancestors, real])
    if (name.endsWith('.sql')) return [path]
    walk.pass(path, cureOfSuffix(name))
    return []
  })
}

interface Entry {
  readonly name: string
  readonly path: string
  readonly isFolder: boolean
}

function entries(folder: string, walk: Walk): Entry[] {
  walk.entered(folder)
  let found: Dirent[]
  try {
    found = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // It has gone since the folder around it was read.
    if (code === 'ENOENT') return []
    walk.refused(folderRefusal(`folder ${shownPath(folder, walk.root)} cannot be read (${code}); ${readable}`))
    return []
  }
  return found
    .filter(({ name }) => !isMountFolder(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => toEntry(entry, folder, walk))
}

const readable = 'let the user of the service read and enter it'

/** Kubernetes keeps a mounted ConfigMap's versions in folders such as `..data`; the files are linked beside them. */
function isMountFolder(name: string): boolean {
  return name.startsWith('..')
}

function toEntry(entry: Dirent, folder: string, { root, refused }: Walk): Entry[] {
  const { name } = entry
  const path = join(folder, name)
  let isFolder = entry.isDirectory()
  let isFile = entry.isFile()
  const refuse = (problem: string, cure: string): Entry[] => {
    refused(new FileRefusal([shownPath(path, root)], problem, cure))
    return []
  }
  if (entry.isSymbolicLink()) {
    const target = followLink(path, root)
    if (target === 'outside') {
      return refuse('is a symbolic link that leads out of sql_dir', 'put the file itself there')
    }
    isFolder = target?.isDirectory() === true
    isFile = target?.isFile() === true
  }
  if (name.endsWith('.sql') && !isFile) return refuse('is not a regular file', 'rename it or put a file in its place')
  return [{ name, path, isFolder }]
}

/** What the link leads to, nothing for a broken one. */
function followLink(path: string, root: string) {
  try {
    const real = realpathSync(path)
    return real !== root && !real.startsWith(root + sep) ? 'outside' : statSync(real)
  } catch {
    return undefined
  }
}

/** A folder that has gone in the meantime is its own. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

function folderRefusal(problem: string): StartupFailure {
  return new StartupFailure('InvalidDirectoryException', problem)
}

function refuseFolder(problem: string): never {
  throw folderRefusal(problem)
}

/** `path` is below `root`, and both are as `realpath` and `join` make them; `relative` would tidy each up twice. */
export function shownPath(path: string, root: string): string {
  const above = root.endsWith(sep) ? root : `${root}${sep}`
  return path.slice(above.length).replaceAll(sep, '/')
}
