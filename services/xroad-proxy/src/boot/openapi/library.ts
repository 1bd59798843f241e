/**
 * The documents of one description, each read once, and where a reference in one of them leads. Nothing outside of
 * `folders` is read, and nothing is fetched.
 */
import { dirname, join, relative, resolve } from 'node:path'
import { type Data, isMapping, nearest, type Path } from '@services/config-file'
import { DescriptionError, type Document, readDocument, refuse } from './documents.ts'

/** A piece of a document. */
export interface Piece {
  readonly document: Document
  readonly path: Path
  readonly value: Data
}

export class Library {
  readonly root: Document
  readonly #folders: readonly string[]
  readonly #documents = new Map<string, Document>()
  readonly #anchors = new Map<Document, ReadonlyMap<string, readonly string[]>>()
  readonly #tried: Set<string>

  /**
   * `folder` is the tree of DSL files, of which a description may use all. `tried` gets the path of each document, also
   * of those that cannot be read.
   */
  constructor(file: string, folder: string, tried: Set<string> = new Set()) {
    this.#tried = tried
    this.#folders = [resolve(folder), resolve(dirname(file))]
    this.root = this.#open(file)
  }

  get documents(): readonly Document[] {
    return [...this.#documents.values()]
  }

  /** Where the reference at `path` of a document leads. */
  resolve(from: Document, ref: string, path: Path): Piece {
    const [name = '', fragment = ''] = splitAt(ref, '#')
    const document = name === '' ? from : (this.#byId(from, name) ?? this.#beside(from, name, path))
    const steps =
      fragment === '' || fragment.startsWith('/') ? toSteps(fragment) : this.#anchorsOf(document).get(fragment)
    if (steps === undefined) return lost(from, path, ref)
    let value: Data = document.data
    for (const [at, step] of steps.entries()) {
      const next = stepInto(value, step)
      if (next === undefined)
        return lost(
          from,
          path,
          ref,
          isMapping(value) ? nearest(step, Object.keys(value)) : undefined,
          steps.slice(0, at),
        )
      value = next
    }
    return { document, path: steps, value }
  }

  #beside(from: Document, name: string, path: Path): Document {
    if (/^(?:[a-z][\w+.-]+:|\/\/)/i.test(name)) {
      const cure = 'save it beside this file and name it by its path, such as ./schemas.yaml'
      return refuse(from, path, `$ref leads to ${shown(name)}, and nothing is fetched; ${cure}`)
    }
    const file = join(dirname(from.file), decode(name))
    if (this.#folders.every((folder) => relative(folder, resolve(file)).startsWith('..'))) {
      return refuse(from, path, `$ref leads to ${shown(name)}, out of the folder of the DSL files; save it there`)
    }
    try {
      return this.#open(file)
    } catch (error) {
      if (!(error instanceof DescriptionError) || !error.isMissing) throw error
      return refuse(from, path, `$ref leads to ${shown(name)}, and there is no such file; save it there`)
    }
  }

  #open(file: string): Document {
    const key = resolve(file)
    const known = this.#documents.get(key)
    if (known !== undefined) return known
    this.#tried.add(key)
    const document = readDocument(file)
    this.#documents.set(key, document)
    return document
  }

  #anchorsOf(document: Document): ReadonlyMap<string, readonly string[]> {
    const known = this.#anchors.get(document) ?? findAnchors(document.data)
    this.#anchors.set(document, known)
    return known
  }

  /** An address that a document gives itself as its name. */
  #byId(from: Document, name: string): Document | undefined {
    const isNamed = ({ data }: Document): boolean => data['$id'] === name || data['$self'] === name
    return [from, ...this.documents].find(isNamed)
  }
}

const maxShown = 200

function shown(name: string): string {
  return JSON.stringify(name.slice(0, maxShown))
}

function lost(from: Document, path: Path, ref: string, meant?: string, at: Path = []): never {
  const where = at.length === 0 ? '' : ` below #/${at.join('/')}`
  const remedy = meant === undefined ? 'correct it, or add what it names' : `did you mean ${meant}${where}?`
  return refuse(from, path, `$ref ${shown(ref)} leads nowhere; ${remedy}`)
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** Of a JSON pointer. */
function toSteps(pointer: string): readonly string[] {
  return decode(pointer)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function stepInto(value: Data, step: string): Data | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? (value as readonly Data[])[Number(step)] : undefined
  return isMapping(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

/** The places of schemas by `$anchor`; of two equal ones the first counts. */
function findAnchors(data: Data): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const visit = (value: Data, path: readonly string[]): void => {
    if (isMapping(value)) {
      for (const name of [value['$anchor'], value['$dynamicAnchor']])
        if (typeof name === 'string' && !found.has(name)) found.set(name, path)
    }
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) visit(inner as Data, [...path, key])
  }
  visit(data, [])
  return found
}
