/**
 * A description with all its documents -> one document, in which every reference is one to a schema of its own
 * components. What is not a schema is where it was referred to. Also where each piece of it came from, for
 * messages.
 */
import { type Data, isMapping, type Mapping, type Path } from '@services/config-file'
import { type Document, refuse } from './documents.ts'
import type { Library, Piece } from './library.ts'
import { maxDepth, type Role, TooDeep, type Visitor, walk } from './walk.ts'

const schemaPrefix = '#/components/schemas/'

/** Lists and objects of a bundle: what references lead to is there as often as they do. */
const maxNodes = 1_000_000

export interface Bundle {
  readonly data: Mapping
  /** The file and the line of something in `data`. */
  locate(path: Path): { readonly file: string; readonly line: number; readonly path: Path }
}

/** Throws `DescriptionError`. */
export function bundle(library: Library): Bundle {
  const bundler = new Bundler(library)
  const data = bundler.run()
  return { data, locate: (path) => locate(library, bundler.origins, path) }
}

/** What is being put where it was referred to. */
interface Within {
  readonly places: readonly string[]
  /** Levels above it in the bundle. */
  readonly depth: number
}

const outside: Within = { places: [], depth: 0 }

class Bundler {
  readonly #library: Library
  readonly #schemas = new Map<string, Data>()
  /** Name of a schema, by file and place. */
  readonly #names = new Map<string, string>()
  /** Names that are taken, and how often each was wished for. */
  readonly #wishes = new Map<string, number>()
  #nodes = 0
  /** Where each schema is that is not one of the root's components. */
  readonly origins = new Map<string, Piece>()
  readonly #waiting: { readonly name: string; readonly piece: Piece }[] = []

  constructor(library: Library) {
    this.#library = library
  }

  run(): Mapping {
    const { root } = this.#library
    const own = isMapping(root.data['components']) ? root.data['components']['schemas'] : undefined
    for (const name of Object.keys(isMapping(own) ? own : {})) {
      this.#names.set(keyOf(root, ['components', 'schemas', name]), name)
      this.#wishes.set(name, 1)
    }
    const data = this.#copy(root, root.data, 'object', [], outside) as Mapping
    // The list grows while it is read.
    for (const { name, piece } of this.#waiting)
      this.#schemas.set(name, this.#copy(piece.document, piece.value, 'schema', piece.path, outside))
    if (this.#schemas.size === 0) return data
    const components = isMapping(data['components']) ? data['components'] : {}
    const schemas = isMapping(components['schemas']) ? components['schemas'] : {}
    return { ...data, components: { ...components, schemas: { ...schemas, ...Object.fromEntries(this.#schemas) } } }
  }

  #copy(document: Document, data: Data, role: Role, at: Path, within: Within): Data {
    const visitor: Visitor = {
      reference: (node, path, role) => {
        const piece = this.#library.resolve(document, node.$ref, [...path, '$ref'])
        return role === 'schema'
          ? this.#toSchema(node, piece)
          : this.#inline(document, node, piece, path, { ...within, depth: within.depth + path.length - at.length })
      },
      schema: (copy) => this.#withMapping(document, copy, at),
      enter: (path) => {
        if (within.depth + path.length - at.length > maxDepth) throw new TooDeep(path)
        this.#nodes++
        if (this.#nodes > maxNodes)
          refuse(document, path, `larger than ${maxNodes} lists and objects, with all that references lead to`)
      },
    }
    try {
      return walk(data, role, visitor, at)
    } catch (error) {
      if (error instanceof TooDeep)
        return refuse(document, error.path.slice(0, at.length + 1), `nested deeper than ${maxDepth} levels`)
      throw error
    }
  }

  #toSchema(node: Mapping, piece: Piece): Mapping {
    return { ...node, $ref: `${schemaPrefix}${this.#nameOf(piece)}` }
  }

  #nameOf(piece: Piece): string {
    const { document, path } = piece
    const key = keyOf(document, path)
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const last = String(path.at(-1) ?? document.file.replace(/^.*[/\\]|\.\w+$/g, ''))
    const wished = last.replaceAll(/[^\w.-]/g, '_') || 'schema'
    const name = this.#freeName(wished)
    this.#names.set(key, name)
    this.origins.set(name, piece)
    this.#waiting.push({ name, piece })
    return name
  }

  #freeName(wished: string): string {
    let name = wished
    let count = this.#wishes.get(wished) ?? 1
    while (this.#wishes.has(name)) name = `${wished}_${++count}`
    this.#wishes.set(wished, count).set(name, 1)
    return name
  }

  #inline(document: Document, node: Mapping, piece: Piece, path: Path, { places, depth }: Within): Data {
    const key = keyOf(piece.document, piece.path)
    if (places.includes(key))
      return refuse(document, [...path, '$ref'], '$ref leads back to what contains it; nothing can be there')
    const { $ref: _, ...others } = node
    const copy = this.#copy(piece.document, piece.value, 'object', piece.path, {
      places: [...places, key],
      depth: depth + 1,
    })
    return isMapping(copy) ? { ...copy, ...others } : copy
  }

  /** References among the values of a discriminator; the others are names. */
  #withMapping(document: Document, copy: Mapping, at: Path): Mapping {
    const { discriminator } = copy
    if (!isMapping(discriminator) || !isMapping(discriminator['mapping'])) return copy
    const toRef = (value: Data): Data => {
      if (typeof value !== 'string' || /^[\w.-]+$/.test(value) === !/\.(?:ya?ml|json)$/.test(value)) return value
      return `${schemaPrefix}${this.#nameOf(this.#library.resolve(document, value, at))}`
    }
    const mapping = Object.entries(discriminator['mapping']).map(([name, value]) => [name, toRef(value)] as const)
    return { ...copy, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } }
  }
}

function keyOf({ file }: Document, path: Path): string {
  return JSON.stringify([file, ...path.map(String)])
}

/** Follows the path from the root, through the references that it passes. */
function locate(library: Library, origins: ReadonlyMap<string, Piece>, path: Path): ReturnType<Bundle['locate']> {
  const [first, second, name, ...inside] = path
  const origin = first === 'components' && second === 'schemas' ? origins.get(String(name)) : undefined
  let document = origin?.document ?? library.root
  let at: Path = origin?.path ?? []
  let value: Data = origin?.value ?? library.root.data
  for (const step of origin === undefined ? path : inside) {
    if (isMapping(value) && typeof value['$ref'] === 'string' && value[String(step)] === undefined) {
      ;({ document, path: at, value } = library.resolve(document, value['$ref'], at))
    }
    at = [...at, step]
    value = isMapping(value) || Array.isArray(value) ? ((value as Mapping)[String(step)] ?? null) : null
  }
  return { file: document.file, line: document.lineOf(at), path: at }
}
