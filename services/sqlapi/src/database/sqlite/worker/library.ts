/**
 * The only file that knows the SQLite library: opens a connection the way the service wants it. Used by the workers for
 * their work; by the main thread to keep a database in memory alive, and to ask what statements are.
 */
import type { DatabaseFiles } from '../files.ts'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export type SqliteConnection = DatabaseSync
export type SqliteStatement = StatementSync

export interface OpenOptions {
  /** `file:` URI. */
  readonly uri: string
  /** The same for the second time: it makes no file. */
  readonly uriOfExisting: string
  /** Absolute path of the file; undefined for a database in memory. */
  readonly path: string | undefined
  readonly isWal: boolean
  /**
   * Files that other connections have open. Where they have moved nothing is opened: SQLite would take the log that
   * they have left for that of the file which is there now.
   */
  readonly openElsewhere?: DatabaseFiles | undefined
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number
}

export function openConnection({ uri, isWal, busyTimeoutMs }: OpenOptions): SqliteConnection {
  const connection = new DatabaseSync(uri, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  const until = performance.now() + busyTimeoutMs
  while (!isReady(connection, isWal, performance.now() < until)) Atomics.wait(nothing, 0, 0, retryMs)
  return connection
}

/** A connection that only prepares statements. Waits for no lock. */
export function openForAsking(uri: string): SqliteConnection {
  return new DatabaseSync(uri, { readOnly: true, timeout: 0 })
}

/** A database in memory that has no tables. */
export function openEmpty(): SqliteConnection {
  return new DatabaseSync(':memory:')
}

const retryMs = 10
const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
const busy = 5

/** False when another process is switching the file to WAL just now, for which SQLite does not wait by itself. */
function isReady(connection: SqliteConnection, isWal: boolean, mayWait: boolean): boolean {
  try {
    // The first read finds out whether the file is a database at all.
    const mode = connection.prepare('PRAGMA journal_mode').get()?.['journal_mode']
    if (isWal && mode !== 'wal') connection.exec('PRAGMA journal_mode = WAL')
    return true
  } catch (error) {
    const code = (error as { errcode?: number }).errcode ?? 0
    if (mayWait && (code & 0xff) === busy) return false
    throw error
  }
}
