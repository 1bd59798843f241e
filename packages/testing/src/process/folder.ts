/** Temporary folders with files in them. They go when the process that made them ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Path below a folder -> content. */
export type Files = Readonly<Record<string, string | Uint8Array>>

const folders: string[] = []

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder of its own with these files in it. */
export function newFolder(files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'))
  folders.push(folder)
  writeFiles(folder, files)
  return folder
}

/** Makes the folders on the way to each file. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
