/**
 * What files hold, as one short text: the same as long as each holds the same, whatever else changes about it. A file is read again only where the file
 * system says that it was touched, or may have been in the same instant in which it was read last.
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
/** File systems are not exact: what was touched that long before it was read has not been touched since with the same stamp. */
const settledMs = 5000

export class Contents {
  #known: ReadonlyMap<string, KnownFile> = new Map()

  /** Of the files in this order. One that cannot be read counts as its error. Never rejects. */
  async fingerprint(files: Iterable<string>): Promise<string> {
    const paths = [...files]
    const known = new Map<string, KnownFile>()
    const hash = createHash('sha256')
    for (let from = 0; from < paths.length; from += together) {
      const some = paths.slice(from, from + together)
      const contents = await Promise.all(some.map((path) => this.#look(path, known)))
      for (const [index, path] of some.entries()) hash.update(JSON.stringify([path, contents[index]]))
    }
    this.#known = known
    return hash.digest('base64')
  }

  async #look(path: string, into: Map<string, KnownFile>): Promise<string> {
    try {
      const now = Date.now()
      const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = await stat(path, { bigint: true })
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
