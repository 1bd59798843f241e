/**
 * Members of one JSON object while they are being collected: key -> JSON text, in the order in which keys first
 * occurred. A key that occurs again makes an array of its values, wherever they were.
 *
 * Texts are put together with + and never with join: the engine then copies each character once, at the very end, and
 * not once for each level of elements.
 */

import { type Json, joinJson } from './json-text.ts'

/** Up to this many keys are searched one by one, the newest first; a Map for each element would cost more. */
const few = 12

export class Members {
  readonly #keys: string[] = []
  readonly #values: Json[] = []
  #repeated: Set<number> | undefined
  /** Key -> index, once there are more than a few. */
  #places: Map<string, number> | undefined

  /** The key must need no escaping: names of XML do not. */
  add(key: string, value: Json): void {
    const place = this.#find(key)
    if (place === -1) {
      this.#append(key, value)
      return
    }
    this.#repeated ??= new Set()
    this.#repeated.add(place)
    this.#values[place] = joinJson(joinJson(this.#values[place] as Json, ','), value)
  }

  /** A value of a key that has an array, however many there are. */
  addItem(key: string, value: Json): void {
    this.add(key, value)
    this.#repeated ??= new Set()
    this.#repeated.add(this.#find(key))
  }

  /** An empty array, unless the key has values. */
  addList(key: string): void {
    if (this.#find(key) === -1) this.addItem(key, '')
  }

  get(key: string): Json | undefined {
    const place = this.#find(key)
    const value = this.#values[place]
    return value !== undefined && this.#repeated?.has(place) ? joinJson(joinJson('[', value), ']') : value
  }

  /** The members without the braces. */
  toJson(): Json {
    let json: Json = ''
    for (const [place, key] of this.#keys.entries()) {
      const value = this.#values[place] as Json
      const isList = this.#repeated?.has(place) === true
      if (typeof value === 'string') json = joinMembers(json, isList ? `"${key}":[${value}]` : `"${key}":${value}`)
      else {
        json = joinJson(joinMembers(json, isList ? `"${key}":[` : `"${key}":`), value)
        if (isList) json = joinJson(json, ']')
      }
    }
    return json
  }

  #append(key: string, value: Json): void {
    this.#places?.set(key, this.#keys.length)
    this.#keys.push(key)
    this.#values.push(value)
    if (this.#keys.length === few) this.#places = new Map(this.#keys.map((each, place) => [each, place]))
  }

  #find(key: string): number {
    return this.#places === undefined ? this.#keys.lastIndexOf(key) : (this.#places.get(key) ?? -1)
  }
}

export function joinMembers(before: Json, after: Json): Json {
  return before === '' ? after : joinJson(joinJson(before, ','), after)
}

export function addAttribute(members: Json, name: string, json: Json): Json {
  return joinMembers(members, joinJson(`"@${name}":`, json))
}
