/**
 * A new SQLite file with what a script puts into it. Used where a database is made on purpose, never by the service.
 */
import { DatabaseSync } from 'node:sqlite'

/** Throws the error of SQLite. The file must not be there yet. */
export function makeDatabaseFile(path: string, script: string): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true })
  try {
    database.exec(script)
  } finally {
    database.close()
  }
}
