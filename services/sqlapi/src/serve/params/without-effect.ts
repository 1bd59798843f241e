/**
 * Values of a request that had no effect -> one WARN for each file and key in ten minutes: keys that are nearly those
 * of a parameter, keys that occur twice, commas for `IN (:ids)`, the query string of a POST. Nothing of a value is
 * reported, and the answer stays as it is.
 */
import { nearName } from '@services/config-file/nearest'
import type { Events } from '../../events.ts'
import type { Endpoint, ParameterSet, ParameterSlot, Script } from '../../model.ts'

const pauseMs = 600_000
/** Files and keys that are remembered; if there are more, nothing is reported until these are old. */
const maxRemembered = 1000
/** Keys of one request that are looked at. */
const maxKeys = 50
const maxKeyLength = 64

/** Keys of one file whose near parameter is remembered: callers send the same ones with each request. */
const maxFound = 100

/** Parameters of a file, and the one that each other key is near to. */
interface Names {
  readonly known: ReadonlySet<string>
  readonly meant: Map<string, string | undefined>
}

interface Sent {
  readonly sets: readonly ParameterSet[]
  /** What is after the `?`. */
  readonly query: string
}

export class WithoutEffect {
  readonly #events: Events
  readonly #now: () => number
  /** File and key -> when it was reported. */
  readonly #reported = new Map<string, number>()
  readonly #names = new WeakMap<Script, Names>()

  constructor(events: Events, now: () => number = () => performance.now()) {
    this.#events = events
    this.#now = now
  }

  /** A request that has what its file needs, and no more, costs a comparison of two numbers for each set. */
  look({ method, file, declarations }: Endpoint, script: Script, { sets, query }: Sent): void {
    if (!this.#events.isEnabled('valueWithoutEffect')) return
    const { parameters } = script
    const params = declarations?.params ?? []
    const unknown = sets.find((set) => set.size > parameters.length)
    if (unknown !== undefined) this.#lookForOthers(file, unknown, this.#namesOf(script, params))
    if (query === '') return
    if (method === 'POST') {
      // A key may be a value without its key, so it is not reported.
      const cure = 'send the values in a JSON object as the body'
      this.#report(file, '?', 'the query string of a POST is not read', cure)
      return
    }
    const isList = (key: string): boolean => params.some(({ name, list }) => list && name === key)
    if (query.includes('&')) this.#lookForTwice(file, query, new Set(parameters.filter((key) => !isList(key))))
    const [set] = sets
    if (set === undefined || !comma.test(query)) return
    const typed = new Set(params.flatMap(({ name, type }) => (type === undefined ? [] : [name])))
    this.#lookForCommas(file, set, script.statements, typed)
  }

  /** `?ids=1,2` for `IN (:ids)`. */
  #lookForCommas(file: string, set: ParameterSet, statements: Script['statements'], typed: ReadonlySet<string>): void {
    const names = new Set(statements.flatMap(({ slots }) => slots.filter(isInList).map(({ name }) => name)))
    for (const name of names) {
      const value = set.get(name)
      if (typed.has(name) || typeof value !== 'string' || !parted.test(value)) continue
      const cure = `declare a list, -- @param ${name} string[], and repeat the key: ?${name}=..&${name}=..`
      this.#report(file, name, 'the text with its commas is one value, not a list', cure)
    }
  }

  #namesOf(script: Script, params: readonly { readonly name: string }[]): Names {
    let names = this.#names.get(script)
    if (names === undefined) {
      names = { known: new Set([...script.parameters, ...params.map(({ name }) => name)]), meant: new Map() }
      this.#names.set(script, names)
    }
    return names
  }

  #lookForOthers(file: string, set: ParameterSet, { known, meant: found }: Names): void {
    for (const key of first(set.keys(), maxKeys)) {
      if (known.has(key)) continue
      const meant = found.has(key) ? found.get(key) : nearName(key, known)
      if (found.size < maxFound && key.length <= maxKeyLength) found.set(key, meant)
      if (meant !== undefined) this.#report(file, key, 'the file has no such parameter', `did you mean ${meant}?`)
    }
  }

  #lookForTwice(file: string, query: string, singles: ReadonlySet<string>): void {
    const seen = new Set<string>()
    for (const key of first(keysOf(query), maxKeys)) {
      if (seen.has(key) && singles.has(key)) {
        const cure = `declare a list: -- @param ${key} string[]`
        this.#report(file, key, 'it occurs twice, and only its last value counts', cure)
      }
      seen.add(key)
    }
  }

  #report(file: string, key: string, problem: string, cure: string): void {
    const now = this.#now()
    if (this.#isReported(`${file}\0${key}`, now)) return
    const shown = Array.from(key.slice(0, 2 * maxKeyLength))
      .slice(0, maxKeyLength)
      .join('')
      .replaceAll(/\p{C}/gu, '\uFFFD')
    const place = `${file}\0${shown}`
    if (this.#isReported(place, now)) return
    if (this.#reported.size >= maxRemembered) this.#forget(now)
    if (this.#reported.size >= maxRemembered) return
    this.#reported.set(place, now)
    this.#events.emit('valueWithoutEffect', { file, key: shown, problem, cure })
  }

  #isReported(place: string, now: number): boolean {
    const time = this.#reported.get(place)
    return time !== undefined && now - time < pauseMs
  }

  #forget(now: number): void {
    for (const [place, time] of this.#reported) if (now - time >= pauseMs) this.#reported.delete(place)
  }
}

function isInList({ role }: ParameterSlot): boolean {
  return role === 'in' || role === 'notIn'
}

const comma = /,|%2c/i
/** Without white space: `Kask, Mari` is one text. */
const parted = /^[^\s,]{1,64}(?:,[^\s,]{1,64}){1,1000}$/

/** As they are decoded if that is possible. The query string has been read before. */
function* keysOf(query: string): Generator<string> {
  for (const pair of query.split('&')) {
    const key = pair.split('=', 1)[0] as string
    if (key === '') continue
    try {
      yield decodeURIComponent(key.replaceAll('+', ' '))
    } catch {
      yield key
    }
  }
}

function* first<Item>(items: Iterable<Item>, most: number): Generator<Item> {
  let count = 0
  for (const item of items) {
    if (++count > most) return
    yield item
  }
}
