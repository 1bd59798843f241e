/** Writes a file as a whole: whoever reads or stops in between sees the old one or the new one, never half of one. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Makes the folder where it is missing. The code of the system when it fails, else undefined. */
export function writeWhole(path: string, content: string | Uint8Array): string | undefined {
  // The walks of DSL files and of WSDL files pass names with a dot over.
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    mkdirSync(dirname(path), { recursive: true })
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
