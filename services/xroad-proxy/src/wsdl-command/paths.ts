/**
 * What the path of a `wsdl` command leads to: one WSDL, or all below a folder in order of name. Links are not followed.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

/** A file, relative to a folder, with slashes. */
export interface FoundWsdl {
  readonly root: string
  readonly file: string
}

/** The path leads to nothing that can be read; the message says why. */
export class PathError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PathError'
  }
}

/** Throws `PathError`. */
export function findWsdls(path: string): readonly FoundWsdl[] {
  try {
    if (!statSync(path).isDirectory()) return [{ root: dirname(path), file: basename(path) }]
    const files = readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.wsdl') && !entry.name.startsWith('.'))
      .map((entry) => relative(path, join(entry.parentPath, entry.name)).split(sep).join('/'))
    return files.sort().map((file) => ({ root: path, file }))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (/^https?:\/\//i.test(path)) {
      throw new PathError(`${path} is an address, expected a file or a folder; xroad-proxy wsdl add fetches it`)
    }
    throw new PathError(`${path} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`)
  }
}
