/**
 * Folders with what takes its time to make and is as good for every run: the first who needs one makes it, the others
 * find it below `node_modules/.cache`.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export const cache = join(import.meta.dirname, '../../../../node_modules/.cache')

/** `fill` gets an empty folder, which becomes the folder of that name. */
export function keptFolder(name: string, fill: (folder: string) => void): string {
  using kept = openKept(name)
  if (kept.unfinished !== undefined) {
    fill(kept.unfinished)
    kept.keep()
  }
  return kept.folder
}

/** A folder that is kept. */
export interface Kept extends Disposable {
  readonly folder: string
  /** An empty folder that is to be filled first; undefined where somebody has done that. */
  readonly unfinished: string | undefined
  /**
   * Makes what has been filled the folder of that name, in one step: others may be making the same, or be interrupted.
   */
  keep(): void
}

/** For those who wait for something while they fill it. What is not kept in the end goes. */
export function openKept(name: string): Kept {
  const folder = join(cache, name)
  if (existsSync(folder))
    return { folder, unfinished: undefined, keep: () => undefined, [Symbol.dispose]: () => undefined }
  mkdirSync(cache, { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  return {
    folder,
    unfinished,
    keep() {
      try {
        renameSync(unfinished, folder)
      } catch (error) {
        // Somebody else may have been faster.
        if (!existsSync(folder)) throw error
      }
    },
    [Symbol.dispose]: () => rmSync(unfinished, { recursive: true, force: true }),
  }
}
