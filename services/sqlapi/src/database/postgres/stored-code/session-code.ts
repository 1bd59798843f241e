/**
 * What the code that is stored in a database may do to the session, as far as one datasource has found out: the
 * routines that may change it, and whether a statement can reach one without naming it (by a trigger, a view, a default
 * ..). Asks the catalogue (catalog-questions.ts) on a connection of the caller; reads each routine once, as long as it
 * does not change. harmless.ts judges them.
 */
import { type Ask, maxFindings, maxRoutines, queries, type Rows, toDependency, toRoutine } from './catalog-questions.ts'
import { findRisky, judge, type Judgement, type Routine } from './harmless.ts'

/** Code that costs every request of the datasource a reset. */
export interface RiskyCode {
  /** Name of the routine and who uses it, or the object that is at fault itself. */
  readonly code: string
  readonly reason: string
}

/** Names of a routine's calls that are kept for all routines together. */
const maxCalls = 500_000
/** How many routines are read at a time, so that requests have their turn in between. */
const pageSize = 50
/** Reading goes on with the next question after this time. */
const readingMs = 200

export class SessionCode {
  /** Any statement may change the session; assumed until it is known. */
  isEverywhere = true
  /** Where it may, a trigger does it: nobody reaches it who only reads. */
  isBehindTriggers = false
  /** What there is was read at least once. */
  isKnown = false
  /** Counts up when another statement may be concerned than before. */
  version = 0
  /** Lower-cased names; a statement that holds one may change the session. */
  #names: ReadonlySet<string> = new Set()
  readonly #judged = new Map<string, { readonly version: string; readonly judgement: Judgement }>()
  /** Names that the judgements keep together. */
  #calls = 0
  #turns = 0
  #answered = 0
  readonly #told = new Set<string>()
  readonly #onFound: ((found: RiskyCode) => void) | undefined

  constructor(onFound?: (found: RiskyCode) => void) {
    this.#onFound = onFound
  }

  /**
   * Whether a statement names code that may change the session. The whole text counts, so that no way of quoting hides
   * a name.
   */
  isNamedIn(text: string, except?: ReadonlySet<string>): boolean {
    const plain = text.toLowerCase().replaceAll('""', '"')
    const words = new Set(plain.match(/[\w$\u0080-\uffff]+/g) ?? [])
    for (const name of this.#names) {
      if (except?.has(name) === true) continue
      if (words.has(name) || (!/^[\w$\u0080-\uffff]+$/.test(name) && plain.includes(name))) return true
    }
    return false
  }

  /**
   * Finds out what there is now. False when there is more to read: look again. Rejects where the catalogue gives no
   * answer.
   */
  async look(ask: Ask): Promise<boolean> {
    const turn = ++this.#turns
    const [routines, builtins, dependencies, stored] = await Promise.all([
      ask(queries.routines, []),
      ask(queries.builtins, []),
      ask(queries.dependencies, []),
      ask(queries.stored, []),
    ])
    if (routines.length > maxRoutines) {
      this.#tell({ code: `${maxRoutines} routines and more`, reason: 'are too many to be read' })
      this.isKnown = true
      this.#set(turn, true, this.#names)
      return true
    }
    const judgements = await this.#read(ask, routines)
    if (judgements === undefined) {
      this.#set(turn, true, this.#names)
      return false
    }
    const names = new Set(builtins.map(([name]) => name ?? ''))
    const found = findRisky(judgements, dependencies.map(toDependency), new Set([...names, 'pg_settings']))
    const users = found.size === 0 ? [] : await ask(queries.users, [`{${[...found.keys()].join(',')}}`])
    for (const [id, user] of users) {
      this.#tell({ code: `${judgements.get(id ?? '')?.name} (${user})`, reason: found.get(id ?? '') ?? '' })
    }
    for (const [object, reason] of stored) this.#tell({ code: object ?? '', reason: reason ?? '' })
    for (const id of found.keys()) names.add(judgements.get(id)?.name ?? '')
    this.isKnown = true
    const reached = [...users, ...stored]
    this.#set(
      turn,
      reached.length > 0,
      names,
      reached.length > 0 && reached.every(([, , isTrigger]) => isTrigger === 't'),
    )
    return true
  }

  /** Undefined if the time was not enough, or if another look has seen another state in the meantime. */
  async #read(ask: Ask, routines: Rows): Promise<ReadonlyMap<string, Judgement> | undefined> {
    const current = new Map(routines.map(([id, version]) => [id ?? '', version ?? '']))
    for (const [id, { version }] of this.#judged) if (current.get(id) !== version) this.#forget(id)
    const unknown = [...current.keys()].filter((id) => !this.#judged.has(id))
    const until = performance.now() + readingMs
    for (let at = 0; at < unknown.length; at += pageSize) {
      if (at > 0 && performance.now() > until) return undefined
      const page = unknown.slice(at, at + pageSize)
      for (const row of await ask(queries.sources, [`{${page.join(',')}}`])) this.#keep(toRoutine(row), current)
    }
    const judgements = new Map<string, Judgement>()
    for (const [id, version] of current) {
      const judged = this.#judged.get(id)
      if (judged?.version !== version) return undefined
      judgements.set(id, judged.judgement)
    }
    return judgements
  }

  #keep(routine: Routine, current: ReadonlyMap<string, string>): void {
    this.#forget(routine.id)
    const judgement = judge(routine)
    const isTooMuch = this.#calls + judgement.calls.size > maxCalls
    const kept = isTooMuch
      ? { ...judgement, reason: 'is one of too many to be read', calls: new Set<string>() }
      : judgement
    this.#calls += kept.calls.size
    this.#judged.set(routine.id, { version: current.get(routine.id) ?? '', judgement: kept })
  }

  #forget(id: string): void {
    this.#calls -= this.#judged.get(id)?.judgement.calls.size ?? 0
    this.#judged.delete(id)
  }

  #tell(found: RiskyCode): void {
    const key = `${found.code}\n${found.reason}`
    if (this.#told.has(key) || this.#told.size >= maxFindings) return
    this.#told.add(key)
    this.#onFound?.(found)
  }

  /** A look that began before another one that has an answer already says nothing new. */
  #set(turn: number, isEverywhere: boolean, names: ReadonlySet<string>, isBehindTriggers = false): void {
    if (turn < this.#answered) return
    this.#answered = turn
    this.isEverywhere = isEverywhere
    this.isBehindTriggers = isBehindTriggers
    if (names.size === this.#names.size && [...names].every((name) => this.#names.has(name))) return
    this.#names = names
    this.version++
  }
}
