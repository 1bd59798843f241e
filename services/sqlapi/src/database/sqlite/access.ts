/** Why this process may not use a SQLite file, with the cure, for operators: SQLite itself names no path. */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Location } from './location.ts'

type Asked = Pick<Location, 'path' | 'isReadOnly'>

const { R_OK, W_OK, X_OK } = constants
const readOnly = '?mode=ro at the end of the url opens it for reading only'

/** Undefined if nothing is in the way. */
export function whyClosed({ path, isReadOnly }: Asked): string | undefined {
  if (path === undefined) return undefined
  const folder = dirname(path)
  if (!may(folder, X_OK)) return closed('folder', folder, 'enter')
  if (!existsSync(path)) return isReadOnly || may(folder, W_OK) ? undefined : closed('folder', folder, 'write into')
  if (!may(path, R_OK)) return closed('file', path, 'read')
  if (isReadOnly) return undefined
  if (!may(path, W_OK)) return `${closed('file', path, 'write')}; ${readOnly}`
  if (may(folder, W_OK)) return undefined
  return `${closed('folder', folder, 'write into')}, because SQLite makes files beside the database; ${readOnly}`
}

/** SQLITE_READONLY and SQLITE_CANTOPEN of a statement. */
export function cureOfCode(code: number, location: Asked): string | undefined {
  const primary = code & 0xff
  if (primary === 8 && location.isReadOnly) return 'the url says mode=ro; mode=rw lets statements write'
  return primary === 8 || primary === 14 ? whyClosed(location) : undefined
}

function closed(kind: 'file' | 'folder', path: string, verb: string): string {
  return `The user of this process may not ${verb} the ${kind} ${path}; let that user ${verb} it`
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}
