/**
 * The only file that knows the SQLite library: opens a connection the way the service wants it. Used by the workers for their
 * work, and by the main thread for nothing but to keep a database in memory alive.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export type SqliteConnection = DatabaseSync
export type SqliteStatement = StatementSync

export interface OpenOptions {
  /** `file:` URI. */
  readonly uri: string
  readonly isWal: boolean
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number
}

export function openConnection({ uri, isWal, busyTimeoutMs }: OpenOptions): SqliteConnection {
  const connection = new DatabaseSync(uri, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  // The first read finds out whether the file is a database at all.
  const mode = connection.prepare('PRAGMA journal_mode').get()?.['journal_mode']
  if (isWal && mode !== 'wal') connection.exec('PRAGMA journal_mode = WAL')
  return connection
}
