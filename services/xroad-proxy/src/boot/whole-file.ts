/** Writes a file as a whole: whoever reads or stops in between sees the old one or the new one, never half of one. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Makes the folder where it is missing. The code of the system when it fails, else undefined. */
export function writeWhole(path: string, content: string | Uint8Array): string | undefined {
  // The walks of DSL files and of WSDL files pass names with a dot over.
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    makeFolder(dirname(path))
    writeFileSync(temporary, content, { flag: 'wx' })
    renameSync(temporary, path)
    return undefined
  } catch (error) {
    // Without a folder there is nothing to clear away, which force passes over; a folder that is a file it does not.
    try {
      rmSync(temporary, { force: true })
    } catch {
      // The first trouble is the one to tell.
    }
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/** One after the other: all in one call, a read-only file system is told as a folder that is missing. */
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

const temporaryName = /^\.[0-9a-f]{8}-[0-9a-f-]{27}\.tmp$/
/** A younger one may belong to a process that is about to put it in its place. */
const abandonedMs = 60_000

/** Removes what a process that was killed in the middle of `writeWhole` left in the folder. Never fails: it is only tidying. */
export function removeAbandoned(folder: string): void {
  try {
    for (const name of readdirSync(folder).filter((each) => temporaryName.test(each))) {
      const path = join(folder, name)
      if (Date.now() - statSync(path).mtimeMs > abandonedMs) rmSync(path, { force: true })
    }
  } catch {
    // What cannot be read or removed stays where it is, and no walk looks at it.
  }
}
