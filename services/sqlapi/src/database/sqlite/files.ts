/**
 * Which files are under the names of a SQLite database. SQLite goes on with the files that it has open even when
 * other files have taken their names, and then nobody finds what it writes. So a connection remembers what it opened,
 * and checks again.
 */
import { type BigIntStats, readdirSync, realpathSync, statSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'

/** A file as the system knows it, whatever its name. */
interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

/** A name and what stood there when the database was opened. */
interface Known {
  readonly name: string
  readonly identity: Identity
}

/** The database itself, told from all that have had its name or its number before. */
interface KnownDatabase extends Known {
  readonly born: Date
}

/** The files of one open database. Plain, so that a worker can tell them to the main thread. */
export interface DatabaseFiles {
  /** As configured; may lead over symbolic links. */
  readonly path: string
  readonly database: KnownDatabase
  /** The write-ahead log and its index, where there are any. They are beside the file to which the links lead. */
  readonly logs: readonly Known[]
}

/** What has happened to the files since they were opened. */
export type FileChange = 'deleted' | 'replaced' | 'its -wal or -shm file was deleted or replaced'

/** Why no database can be opened under this name, for operators; undefined where there is a file. */
export function whyNoFile(path: string): string | undefined {
  if (!isKnown(path)) return undefined
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return whyNoFolder(dirname(path)) ?? `The file ${path} does not exist${besides(path)}`
  return stats.isDirectory() ? `${path} is a folder; name a file` : undefined
}

function whyNoFolder(folder: string): string | undefined {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return undefined
  const others = namesIn(dirname(folder)).filter((name) => !name.startsWith('.') && !name.includes('.'))
  const hint = others.length === 0 ? '' : `; beside it: ${others.slice(0, maxNamed).join(', ')}`
  return `The folder ${folder} does not exist${hint}; correct the url, or make the folder`
}

/** Whether the system says if there is such a file: not if its folder may not be entered. */
function isKnown(path: string): boolean {
  try {
    statSync(path, { throwIfNoEntry: false })
    return true
  } catch {
    return false
  }
}

/** Databases in the folder that may be meant, and the way to have no file made. */
function besides(path: string): string {
  const others = namesIn(dirname(path)).filter((name) => /\.(?:db|sqlite3?|db3|s3db)$/i.test(name))
  const more = others.length - maxNamed
  const shown = others.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '')
  const near = shown === '' ? '' : `; beside it: ${shown}`
  return `${near}; correct the url, or make the file; ?mode=rw at the end of the url never makes one`
}

const maxNamed = 5

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

/** Call it right after the opening. Undefined if there is no file any more. */
export function findFiles(path: string): DatabaseFiles | undefined {
  const name = resolveLinks(path)
  const stats = name === undefined ? undefined : identify(name)
  if (name === undefined || stats === undefined) return undefined
  const logs = ['-wal', '-shm'].map((suffix) => find(name + suffix)).filter((log) => log !== undefined)
  return { path, database: { name, identity: pick(stats), born: stats.birthtime }, logs }
}

/** Whether the name leads to the database. The cheaper check: one system call. */
export function isInPlace({ path, database }: DatabaseFiles): boolean {
  return isSame(identify(path), database.identity)
}

/** Whether everything is where it was: what is committed now will be found. */
export function areInPlace(files: DatabaseFiles): boolean {
  return isInPlace(files) && files.logs.every(isUnmoved)
}

export function changeOf(files: DatabaseFiles): FileChange | undefined {
  const now = identify(files.path)
  if (now === undefined) return 'deleted'
  if (!isSame(now, files.database.identity)) return 'replaced'
  return files.logs.every(isUnmoved) ? undefined : 'its -wal or -shm file was deleted or replaced'
}

/**
 * Takes away the log and the index that a file has left under its name when it went: SQLite would take them for those
 * of the file that is there now, and spoil it. Call it when nobody here has the old file open.
 */
export function removeLeftLogs({ database, logs }: DatabaseFiles): void {
  if (isUnmoved(database)) return
  for (const log of logs) if (isUnmoved(log)) unlinkSync(log.name)
}

/** The file that was open, for people. */
export function describe({ database: { identity, born } }: DatabaseFiles): string {
  return `inode ${identity.ino} of ${born.toISOString()}`
}

/** Tells two files under one name apart. */
export function keyOf(path: string): string {
  const identity = identify(path)
  return identity === undefined ? '' : `${identity.dev}:${identity.ino}`
}

function find(name: string): Known | undefined {
  const found = identify(name)
  return found === undefined ? undefined : { name, identity: pick(found) }
}

function pick({ dev, ino }: Identity): Identity {
  return { dev, ino }
}

function isUnmoved({ name, identity }: Known): boolean {
  return isSame(identify(name), identity)
}

function isSame(now: Identity | undefined, then: Identity): boolean {
  return now !== undefined && now.ino === then.ino && now.dev === then.dev
}

function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** A folder that is gone, or that may not be entered any more, counts as empty. */
function identify(name: string): BigIntStats | undefined {
  try {
    return statSync(name, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
