/** What a program has written: paths, modes and bytes of the files below a folder. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Recording } from '../recording.ts'

/** Keys and databases are `opaque`: their bytes differ from run to run. */
export function recordFiles(recording: Recording, title: string, folder: string, opaque?: RegExp): void {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  const list = paths.map((path) => `${lstatSync(path).mode.toString(8)} ${relative(folder, path)}\n`).join('')
  recording.addText('file', `${title}: list of files`, folder, list)
  for (const path of paths) {
    if (!lstatSync(path).isFile() || opaque?.test(path) === true) continue
    const name = relative(folder, path)
    recording.add('file', `${title}: file ${name}`, name, readFileSync(path, 'latin1'))
  }
}
