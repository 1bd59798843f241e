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
    makeFolder(dirname(path))
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
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return isWritten && code === 'ENOENT' ? vanished : code
  }
}

/** Names that only `writeWhole` gives. */
export function isTemporaryName(name: string): boolean {
  return /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/.test(name)
}

/** One after the other: all in one call, a read-only file system is reported as a folder that is missing. */
function makeFolder(folder: string, hasParent = false): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || hasParent || dirname(folder) === folder) throw error
    makeFolder(dirname(folder))
    makeFolder(folder, true)
  }
}
