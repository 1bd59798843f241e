/** Copies of a SQLite file that a script has filled, in a temporary folder. The file of the datasource is not opened. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PreparedDatabase } from '../prepared-database.ts'
import { makeDatabaseFile } from './new-file.ts'

export function prepareSqlite(script: string): PreparedDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-test-'))
  const remove = (path: string): Promise<void> => {
    rmSync(path, { recursive: true, force: true })
    return Promise.resolve()
  }
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
