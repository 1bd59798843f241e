/**
 * Tells when something may have changed below a folder, soon after it has. It never says what: the listener looks
 * for themselves, and so renames, editors that write beside the file, and systems that report less than others need no
 * code of their own. A look now and then makes up for what no system reports, such as changes behind a mount.
 */
import { type FSWatcher, statSync, watch } from 'node:fs'

export interface FolderWatch {
  /**
   * From now on these folders, the one around all others first. Where one was not watched before there is a further
   * look.
   */
  follow(folders: readonly string[]): void
  close(): void
}

/**
 * A change is reported once nothing more has happened for `quietMs` (the rest of a check-out, say), and after
 * `longestMs` in any case.
 */
const quietMs = 15
const longestMs = 100
const lookMs = 2000

/** One watch for the whole tree; on Windows, a folder that is watched by itself could not be renamed. */
const watchesTrees = process.platform === 'win32' || process.platform === 'darwin'

interface Watched {
  readonly watcher: FSWatcher
  /** Another folder of the same name is to be watched again. */
  readonly inode: bigint
}

/** `look` is not called again before it has settled, and has to settle. */
export function watchFolders(look: () => Promise<void>): FolderWatch {
  const watched = new Map<string, Watched>()
  let quiet: NodeJS.Timeout | undefined
  /** When the first change was heard that nobody has looked at. */
  let since: number | undefined
  let isLooking = false
  let isClosed = false

  const run = async (): Promise<void> => {
    if (isLooking || isClosed) return
    isLooking = true
    since = undefined
    await look()
    isLooking = false
    if (since !== undefined) hear()
  }
  const hear = (): void => {
    if (isClosed) return
    const now = performance.now()
    since ??= now
    clearTimeout(quiet)
    quiet = setTimeout(() => void run(), Math.max(0, Math.min(quietMs, since + longestMs - now)))
  }
  const forget = (folder: string): void => {
    watched.get(folder)?.watcher.close()
    watched.delete(folder)
  }
  /** False where the folder has gone, or the system has no more watches to give: the look now and then remains. */
  const open = (folder: string): boolean => {
    const inode = inodeOf(folder)
    if (inode === undefined || watched.get(folder)?.inode === inode) return false
    forget(folder)
    try {
      const watcher = watch(folder, { recursive: watchesTrees }, hear)
      watcher.on('error', () => forget(folder))
      watched.set(folder, { watcher, inode })
      return true
    } catch {
      return false
    }
  }
  const looking = setInterval(() => void run(), lookMs)
  return {
    follow(folders) {
      const wanted = new Set(watchesTrees ? folders.slice(0, 1) : folders)
      for (const folder of watched.keys()) if (!wanted.has(folder)) forget(folder)
      const opened = Array.from(wanted).filter(open)
      // What was written there before the watch began was heard by nobody.
      if (opened.length > 0) hear()
    },
    close() {
      isClosed = true
      clearTimeout(quiet)
      clearInterval(looking)
      for (const folder of watched.keys()) forget(folder)
    },
  }
}

function inodeOf(folder: string): bigint | undefined {
  return statSync(folder, { bigint: true, throwIfNoEntry: false })?.ino
}
