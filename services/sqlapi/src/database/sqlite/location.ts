/**
 * A `sqlite:` URL -> what SQLite is to open. Pure. Accepted are `sqlite:PATH`, `sqlite://PATH`, `sqlite::memory:`, each
 * with `?mode=ro|rw|rwc|memory` and SQLite's other URI parameters; the path is percent-decoded and relative to the
 * working directory.
 */
import { resolve } from 'node:path'

export interface Location {
  /** Absolute path of the file; undefined for a database in memory. */
  readonly path: string | undefined
  readonly isReadOnly: boolean
  /** A missing file may be created. */
  readonly mayCreate: boolean
  /** The `file:` URI for SQLite (https://sqlite.org/uri.html). */
  readonly uri: string
  /** The same for a file that has been there: one that was deleted is not made again behind its owner's back. */
  readonly uriOfExisting: string
  /** The same for a connection that only reads. */
  readonly uriReadOnly: string
}

let memories = 0

export function readLocation(url: string): Location {
  const [, rest = ''] = /^sqlite:(?:\/\/)?(.*)$/is.exec(url) ?? []
  const [path = '', query = ''] = rest.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  const mode = parameters.get('mode') ?? 'rwc'
  if (path === ':memory:' || path === '' || mode === 'memory') {
    // The memdb VFS shares a named database among all connections of the process, which `:memory:` does not.
    const uri = `file:/sqlapi-memory-${++memories}?vfs=memdb`
    return { path: undefined, isReadOnly: false, mayCreate: true, uri, uriOfExisting: uri, uriReadOnly: uri }
  }
  const absolute = resolve(decodePath(path))
  const toUri = (mode: string): string => {
    parameters.set('mode', mode)
    return `file:${encodeURI(absolute).replaceAll('?', '%3F').replaceAll('#', '%23')}?${parameters.toString()}`
  }
  const mayCreate = mode === 'rwc'
  return {
    path: absolute,
    isReadOnly: mode === 'ro',
    mayCreate,
    uri: toUri(mode),
    uriOfExisting: toUri(mayCreate ? 'rw' : mode),
    uriReadOnly: toUri('ro'),
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
