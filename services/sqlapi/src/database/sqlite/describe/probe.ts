/**
 * Asks whether the file of a SQLite database is there and can be read, over a connection that is opened for the
 * question only.
 */
import { access, constants } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Probe } from '../../../metering.ts'
import { type AskedFile, withConnection } from './connection.ts'

/** Result code of SQLite: somebody holds a lock. So the database is there, and in use. */
const busy = 5

export interface ProbedFile extends AskedFile {
  /** A missing file is made by the first request. */
  readonly mayCreate: boolean
}

export class SqliteProbe implements Probe {
  readonly #file: ProbedFile
  /** A file that has been there and is missing was deleted; it is not made again. */
  #wasThere = false

  constructor(file: ProbedFile) {
    this.#file = file
  }

  async ask(): Promise<void> {
    const { path, mayCreate } = this.#file
    // A database in memory is there as long as the service is.
    if (path === undefined) return
    if (!existsSync(path)) {
      if (this.#wasThere || !mayCreate) throw new Error('The file does not exist')
      return access(dirname(path), constants.W_OK)
    }
    this.#wasThere = true
    await withConnection(this.#file, (connection) => {
      connection.prepare('SELECT count(*) FROM sqlite_schema').get()
    }).catch((error: unknown) => {
      if (((error as { errcode?: number }).errcode ?? 0) % 256 !== busy) throw error
    })
  }

  close(): void {
    // Nothing is kept open.
  }
}
