/**
 * What files hold, as a short text for each: the same as long as it holds the same, whatever else changes about it. A
 * file is read again only where the file system says that it was touched, or may have been in the same instant in which
 * it was read last.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'

interface KnownFile {
  /** Of the file system: another one where the file may be another one. */
  readonly stamp: string
  readonly content: string
}

/** How many files are looked at together. */
const together = 16
/**
 * File systems are not exact: what was touched that long before it was read has not been touched since with the same
 * stamp.
 */
const settledMs = 5000

export class Contents {
  #known: ReadonlyMap<string, KnownFile> = new Map()

  /** Path -> what the file holds, or why it cannot be read. Never rejects. */
  async read(files: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const paths = [...new Set(files)]
    const known = new Map<string, KnownFile>()
    const contents = new Map<string, string>()
    for (let from = 0; from < paths.length; from += together) {
      const some = paths.slice(from, from + together)
      const looks = await Promise.all(some.map((path) => this.#look(path, known)))
      for (const [index, path] of some.entries()) contents.set(path, looks[index] as string)
    }
    this.#known = known
    return contents
  }

  async #look(path: string, into: Map<string, KnownFile>): Promise<string> {
    try {
      const now = Date.now()
      const stats = await stat(path, { bigint: true })
      // Reading a pipe or a device might never end.
      if (!stats.isFile()) return 'no file'
      const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = stats
      const stamp = [dev, ino, size, mtimeNs, ctimeNs].join()
      const before = this.#known.get(path)
      const content =
        before?.stamp === stamp
          ? before.content
          : createHash('sha256')
              .update(await readFile(path))
              .digest('base64')
      const isSettled = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) < now - settledMs
      if (isSettled) into.set(path, { stamp, content })
      return content
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error)
    }
  }
}

/** Whether the file was touched at this time or later, by the clock of `Date`. One that is not there was not. */
export async function isTouchedSince(path: string, timeMs: number): Promise<boolean> {
  try {
    const { mtimeMs, ctimeMs } = await stat(path)
    return Math.max(mtimeMs, ctimeMs) >= timeMs
  } catch {
    return false
  }
}
