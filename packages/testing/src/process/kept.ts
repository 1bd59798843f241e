/**
 * Folders with what takes its time to make and is as good for every run: the first who needs one makes it, the others
 * find it below `node_modules/.cache`.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../../../../node_modules/.cache')

/**
 * `fill` gets an empty folder. It becomes the folder of that name in one step: others may be making the same, or be
 * interrupted.
 */
export function keptFolder(name: string, fill: (folder: string) => void): string {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    fill(unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    // Somebody else may have been faster.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}
