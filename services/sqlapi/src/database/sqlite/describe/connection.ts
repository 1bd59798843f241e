/** A connection to a file for questions: it only reads, waits for no lock, and leaves nothing beside the file. */
import { existsSync } from 'node:fs'
import { whyNoFile } from '../files.ts'
import { openForAsking, type SqliteConnection } from '../worker/library.ts'

/** The part of a location that it takes to ask. */
export interface AskedFile {
  /** Undefined for a database in memory. */
  readonly path: string | undefined
  readonly uriReadOnly: string
}

/** Rejects where the file does not exist or cannot be opened. A database in memory must not be asked. */
export async function withConnection<Answer>(
  { path = '', uriReadOnly }: AskedFile,
  run: (connection: SqliteConnection) => Answer | Promise<Answer>,
): Promise<Answer> {
  const problem = whyNoFile(path)
  if (problem !== undefined) throw new Error(problem)
  const connection = openForAsking(uriFor(uriReadOnly, path))
  try {
    return await run(connection)
  } finally {
    connection.close()
  }
}

/**
 * A connection to a file in WAL mode makes the log and its index where they are missing, and one that only reads leaves
 * them behind. Where there is no log nobody is writing.
 */
function uriFor(uriReadOnly: string, path: string): string {
  const hasLog = existsSync(`${path}-wal`) || existsSync(`${path}-journal`)
  return hasLog ? uriReadOnly : `${uriReadOnly}&immutable=1`
}
