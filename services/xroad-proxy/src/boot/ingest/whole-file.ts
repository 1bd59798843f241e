/** Writes a file as a whole: a reader, or a start after a crash, sees the old one or the new one, never half of one. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Makes the folder where it is missing. The code of the system when it fails, else undefined. */
export function writeWhole(path: string, content: string | Uint8Array): string | undefined {
  for (let attempts = 1; ; attempts++) {
    const code = attempt(path, content)
    // Another process that starts at this moment has taken the temporary file for one of a killed process.
    if (code !== vanished || attempts === maxAttempts) return code === vanished ? 'ENOENT' : code
  }
}

/** On a busy machine a process may stand still between two steps again and again. */
const maxAttempts = 50
const vanished = Symbol('the temporary file has gone')

function attempt(path: string, content: string | Uint8Array): string | undefined | typeof vanished {
  // The walks of DSL files and of WSDL files pass names with a dot over.
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  let isWritten = false
  try {
    makeAll(dirname(path), [])
    writeFileSync(temporary, content, { flag: 'wx' })
    isWritten = true
    renameSync(temporary, path)
    return undefined
  } catch (error) {
    // Without a folder there is nothing to clear away, which force passes over; a folder that is a file it does not.
    try {
      rmSync(temporary, { force: true })
    } catch {
      // The first trouble is the one to tell.
    }
    const code = codeOf(error)
    return isWritten && code === 'ENOENT' ? vanished : code
  }
}

/** Names that only `writeWhole` gives. */
export function isTemporaryName(name: string): boolean {
  return /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/.test(name)
}

/**
 * Makes the folder, and those above it that are missing; each that was not there joins `made`. The code of the system
 * when it fails, else undefined.
 */
export function makeFolders(folder: string, made: string[] = []): string | undefined {
  try {
    makeAll(folder, made)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}

/** One after the other: all in one call, a read-only file system is reported as a folder that is missing. */
function makeAll(folder: string, made: string[]): void {
  try {
    makeOne(folder, made)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    makeAll(dirname(folder), made)
    makeOne(folder, made)
  }
}

function makeOne(folder: string, made: string[]): void {
  try {
    mkdirSync(folder)
    made.push(folder)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function codeOf(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  return code
}
