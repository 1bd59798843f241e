/**
 * The xop:Include elements of a response (XML-binary Optimized Packaging 1.0): which elements they are, whatever prefix
 * their namespace has, and the text that replaces each. What an address leads to is for the owner of the
 * parts to say.
 */
import type { Json } from './json-text.ts'
import { isBlank } from './leaf.ts'
import type { CollectedText } from './long-text.ts'
import { type Attributes, NamespacePrefixes, valueOf } from './schema-response.ts'
import { XmlError } from './xml-error.ts'

/**
 * The JSON of the text for an address; undefined for one that is none of a part. Throws an XmlError for a part that is
 * not there.
 */
export type Include = (address: string) => Json | undefined

const xop = 'http://www.w3.org/2004/08/xop/include'

export class Inclusions {
  readonly #include: Include
  readonly #prefixes = new NamespacePrefixes(xop)
  /** For each element that is open, the prefixes that it has changed. */
  readonly #changed: (readonly string[])[] = []

  constructor(include: Include) {
    this.#include = include
  }

  /** As `NamespacePrefixes.take`. */
  take(name: string, value: string): void {
    this.#prefixes.take(name, value)
  }

  /** An element opens. The text that it stands for, where it is an xop:Include. */
  enter(name: string, attributes: Attributes): Json | undefined {
    this.#changed.push(this.#prefixes.enter(attributes))
    const colon = name.indexOf(':')
    if (name.slice(colon + 1) !== 'Include') return undefined
    const isOfXop = colon === -1 ? valueOf('xmlns', attributes) === xop : this.#prefixes.has(name.slice(0, colon))
    const address = valueOf('href', attributes)
    return isOfXop && address !== undefined ? this.#include(address) : undefined
  }

  leave(): void {
    this.#prefixes.leave(this.#changed.pop() ?? [])
  }
}

/** What an element holds instead of an xop:Include. Nothing else may be beside it. */
export class IncludedText implements CollectedText {
  readonly isBlank = false
  readonly #json: Json

  constructor(json: Json) {
    this.#json = json
  }

  add(text: string): void {
    if (!isBlank(text)) throw new XmlError('an xop:Include has text beside it')
  }

  toJson(): Json {
    return this.#json
  }
}
