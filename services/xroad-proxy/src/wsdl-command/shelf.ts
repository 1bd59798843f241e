/**
 * Where the files of a WSDL are while they are followed: on the disk, or gathered in memory, over a folder that is only
 * read, so that nothing is written before all is there. Names are relative, with slashes.
 */
import { join, posix } from 'node:path'
import { FileProblem, readInside, readInsideIfAny } from '../boot/ingest/files.ts'
import { namesIn } from '../boot/ingest/folder.ts'
import { writeWhole } from '../boot/ingest/whole-file.ts'

export interface Shelf {
  /** The folder below the directory of WSDL files that names are relative to; empty for that directory itself. */
  readonly place: string
  /** For people. */
  pathOf(file: string): string
  /** Throws `FileProblem`. */
  read(file: string): Uint8Array
  /** Undefined when there is no such file. Throws `FileProblem` for one that cannot be read. */
  readIfAny(file: string): Uint8Array | undefined
  /** The code of the system when it fails. */
  write(file: string, content: string | Uint8Array): string | undefined
  /** Texts of the lists of downloads in the folder of this one, without itself. */
  otherLists(list: string): readonly string[]
}

export function onDisk(root: string): Shelf {
  return {
    place: '',
    pathOf: (file) => join(root, file),
    read: (file) => readInside(root, file),
    readIfAny: (file) => readInsideIfAny(root, file),
    write: (file, content) => writeWhole(join(root, file), content),
    otherLists: (list) =>
      listsIn(root, posix.dirname(list))
        .filter(isOther(list))
        .map((file) => textIn(root, file)),
  }
}

export interface Places {
  /** Where files are read that are not gathered yet; undefined for a WSDL without a folder. */
  readonly source: string | undefined
  /** Where all of it will be. */
  readonly target: string
  readonly place: string
}

export class Gathered implements Shelf {
  readonly #places: Places
  readonly #files = new Map<string, Uint8Array>()

  constructor(places: Places) {
    this.#places = places
  }

  get place(): string {
    return this.#places.place
  }

  /** Everything that was written or read. */
  get files(): ReadonlyMap<string, Uint8Array> {
    return this.#files
  }

  pathOf(file: string): string {
    return join(this.#places.target, file)
  }

  read(file: string): Uint8Array {
    const bytes = this.readIfAny(file)
    if (bytes === undefined) throw new FileProblem('does not exist', { isMissing: true })
    return bytes
  }

  readIfAny(file: string): Uint8Array | undefined {
    const known = this.#files.get(file)
    if (known !== undefined || this.#places.source === undefined) return known
    const bytes = readInsideIfAny(this.#places.source, file)
    if (bytes !== undefined) this.#files.set(file, bytes)
    return bytes
  }

  write(file: string, content: string | Uint8Array): undefined {
    this.#files.set(file, Buffer.from(content))
  }

  /** Those of the target: names of downloads must not clash with what is there. */
  otherLists(list: string): readonly string[] {
    const { target } = this.#places
    const there = listsIn(target, posix.dirname(list)).filter(isOther(list))
    const gathered = [...this.#files.keys()].filter((file) => isList(file) && file !== list)
    return [
      ...there.filter((file) => !gathered.includes(file)).map((file) => textIn(target, file)),
      ...gathered.map((file) => Buffer.from(this.read(file)).toString()),
    ]
  }
}

function isList(file: string): boolean {
  return file.endsWith('.vendor.json')
}

function isOther(list: string): (file: string) => boolean {
  return (file) => file !== list
}

function listsIn(root: string, folder: string): readonly string[] {
  return namesIn(join(root, folder))
    .filter(isList)
    .map((name) => posix.join(folder, name))
}

function textIn(root: string, file: string): string {
  return readInside(root, file).toString()
}
