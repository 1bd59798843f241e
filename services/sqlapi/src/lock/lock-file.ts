/** The file of the lock: found beside the configuration, read, written whole or not at all. */
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { digestOf } from './digest.ts'
import { type Lock, lockFileName } from './lock.ts'
import { LockTextError, readLock, writeLock } from './lock-text.ts'

/** `configuration` is the path of its file, as it was given. */
export function lockFileBeside(configuration: string, cwd: string): string {
  return join(dirname(resolve(cwd, configuration)), lockFileName)
}

/** What is in the file. */
export type LockFile =
  | { readonly state: 'missing' }
  | { readonly state: 'read'; readonly lock: Lock; readonly text: string }
  /** `isNewer`: a newer sqlapi has written it. */
  | { readonly state: 'refused'; readonly reason: string; readonly isNewer: boolean }

export function readLockFile(path: string): LockFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? { state: 'missing' }
      : { state: 'refused', reason: `it cannot be read (${code})`, isNewer: false }
  }
  try {
    return { state: 'read', lock: readLock(text), text }
  } catch (error) {
    if (!(error instanceof LockTextError)) throw error
    return { state: 'refused', reason: error.message, isNewer: error.isNewer }
  }
}

/** False where the file had the same text already. Throws the error of the file system. */
export function writeLockFile(path: string, lock: Lock): boolean {
  const text = writeLock(lock)
  const before = readLockFile(path)
  if (before.state === 'read' && before.text === text) return false
  // A reader meanwhile finds the old file or the new one.
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, text)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  return true
}

/** Of the text of a `.sql` file; empty where it is not there (any more). */
export function digestOfFile(path: string): string {
  try {
    return digestOf(readFileSync(path, 'utf8'))
  } catch {
    return ''
  }
}
