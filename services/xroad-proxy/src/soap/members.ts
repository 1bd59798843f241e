/**
 * Members of one JSON object while they are being collected: key -> JSON text, in the order in which keys came up. A key
 * that comes up again makes an array of its values, wherever they stood.
 *
 * Texts are put together with + and never with join: the engine then copies each character once, at the very end, and not
 * once for each level of elements.
 */

/** So many keys are looked through one by one, the newest first; a Map for each element would cost more. */
const few = 12

export class Members {
  readonly #keys: string[] = []
  readonly #values: string[] = []
  #repeated: Set<number> | undefined
  /** Key -> place, once there are more than a few. */
  #places: Map<string, number> | undefined

  /** The key must need no escaping: names of XML do not. */
  add(key: string, value: string): void {
    const place = this.#find(key)
    if (place === -1) {
      this.#append(key, value)
      return
    }
    this.#repeated ??= new Set()
    this.#repeated.add(place)
    this.#values[place] = `${this.#values[place]},${value}`
  }

  /** A value of a key that has an array, however many there are. */
  addItem(key: string, value: string): void {
    this.add(key, value)
    this.#repeated ??= new Set()
    this.#repeated.add(this.#find(key))
  }

  /** An empty array, unless the key has values. */
  addList(key: string): void {
    if (this.#find(key) === -1) this.addItem(key, '')
  }

  get(key: string): string | undefined {
    const place = this.#find(key)
    const value = this.#values[place]
    return value !== undefined && this.#repeated?.has(place) ? `[${value}]` : value
  }

  /** The members without the braces. */
  toJson(): string {
    let json = ''
    for (const [place, key] of this.#keys.entries()) {
      const value = this.#values[place] as string
      json = joinMembers(json, this.#repeated?.has(place) ? `"${key}":[${value}]` : `"${key}":${value}`)
    }
    return json
  }

  #append(key: string, value: string): void {
    this.#places?.set(key, this.#keys.length)
    this.#keys.push(key)
    this.#values.push(value)
    if (this.#keys.length === few) this.#places = new Map(this.#keys.map((each, place) => [each, place]))
  }

  #find(key: string): number {
    return this.#places === undefined ? this.#keys.lastIndexOf(key) : (this.#places.get(key) ?? -1)
  }
}

export function joinMembers(before: string, after: string): string {
  return before === '' ? after : `${before},${after}`
}
