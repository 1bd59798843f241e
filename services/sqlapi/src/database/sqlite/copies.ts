/**
 * Copies of a SQLite file that a script has filled, in a temporary folder. The file of the datasource is not opened.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PreparedDatabase } from '../prepared-database.ts'
import { makeDatabaseFile } from './new-file.ts'

export function prepareSqlite(script: string): PreparedDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-test-'))
  // A service that has just ended may still be looking at the database, and SQLite then makes a file beside it.
  const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 10 })
  const original = join(folder, 'prepared.db')
  try {
    makeDatabaseFile(original, script)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  let copies = 0
  return {
    where: 'copies of a temporary SQLite file',
    copy() {
      const own = mkdtempSync(join(folder, `copy-${++copies}-`))
      const path = join(own, 'test.db')
      copyFileSync(original, path)
      return Promise.resolve({ url: `sqlite:${encodeURI(path)}`, remove: () => remove(own) })
    },
    remove: () => remove(folder),
  }
}
