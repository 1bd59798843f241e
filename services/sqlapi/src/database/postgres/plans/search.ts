/**
 * Finds types with which a text can be prepared: for each `$n` a list of candidates comes in, and every attempt is one
 * question to the server. What is found is as near to the declared types, which stand first, as the server allows.
 *
 * The declared types are tried first. Where they are refused, other candidates are tried for all parameters of one type
 * together, then for each by itself; known types before open ones. If the error then comes from elsewhere in the text,
 * one thing is solved, and the search goes on from there; else from where the error has changed. At the end the types
 * that were given up are tried again, so that one parameter's oddity does not change the others. Nothing counts but the
 * text, the candidates and the server.
 */
import { oid } from '../types/types.ts'
import { sqlStates } from './sql-states.ts'

/** Attempts to find types; as many again are made to give declared ones back. */
export const maxAttempts = 64

/** Prepares the text with these types and gives those that the server reports; rejects with the server's error. */
export type Describe = (types: readonly number[]) => Promise<readonly number[]>

export interface Found {
  /** What each parameter was declared with. */
  readonly chosen: readonly number[]
  /** What the server made of it. */
  readonly reported: readonly number[]
}

/** Errors that say that a parameter's type does not fit, by SQLSTATE. */
const typeErrors = new Set([
  '42804', // datatype mismatch
  '42883', // undefined function or operator
  '42846', // cannot coerce
  '42P08', // ambiguous parameter
  '42P18', // indeterminate datatype
  '42809', // wrong object type: `= ANY` of something that is not an array
  '42725', // ambiguous function
])

interface ServerSaid extends Error {
  readonly code?: string
  readonly position?: number | undefined
}

export function isTypeError(error: unknown): boolean {
  return typeErrors.has((error as ServerSaid).code ?? '')
}

/**
 * Of an error of Parse: whether other types might do. A literal beside a parameter is read as what the parameter is,
 * and class 22 says that it cannot be: `nullif($1, '')` with an integer.
 */
export function mayBeOfTypes(error: unknown): boolean {
  return isTypeError(error) || (error as ServerSaid).code?.startsWith('22') === true
}

/**
 * Rejects with the error of the declared types where none are found, and at once with an error that no other types
 * could repair.
 */
export async function findTypes(
  describe: Describe,
  candidates: readonly (readonly number[])[],
  attempts = maxAttempts,
): Promise<Found> {
  const search = new Search(describe, candidates, attempts)
  const declared = candidates.map(() => 0)
  const first = await search.attempt(declared)
  if (first === undefined || 'reported' in first) return first as Accepted
  const accepted = await search.from(declared, first.error)
  if (accepted === undefined) throw first.error
  return search.raise(accepted)
}

/** For each parameter the number of its candidate. */
type Levels = readonly number[]

/** A parameter and the number of the candidate that it gets. */
type Step = readonly [index: number, level: number]

interface Accepted extends Found {
  readonly levels: Levels
}

interface Refused {
  readonly levels: Levels
  readonly error: ServerSaid
}

class Search {
  readonly #describe: Describe
  readonly #candidates: readonly (readonly number[])[]
  readonly #tried = new Set<string>()
  /** Parameters that nothing gives a type to where they are left open; they are text then. */
  readonly #typeless = new Set<number>()
  #left: number

  constructor(describe: Describe, candidates: readonly (readonly number[])[], attempts: number) {
    this.#describe = describe
    this.#candidates = candidates
    this.#left = attempts
  }

  /** Nothing where the attempt was made before, or none is left. */
  async attempt(levels: Levels): Promise<Accepted | Refused | undefined> {
    const key = levels.join()
    if (this.#left === 0 || this.#tried.has(key)) return undefined
    this.#left--
    this.#tried.add(key)
    const chosen = levels.map((level, index) => this.#candidates[index]?.[level] as number)
    for (const index of this.#typeless) if (chosen[index] === oid.unspecified) chosen[index] = oid.text
    for (;;) {
      try {
        return { levels, chosen, reported: await this.#describe([...chosen]) }
      } catch (error) {
        const index = typelessParameter(error as ServerSaid)
        if (index !== undefined && chosen[index] === oid.unspecified) {
          this.#typeless.add(index)
          chosen[index] = oid.text
        } else if (mayBeOfTypes(error)) {
          return { levels, error: error as ServerSaid }
        } else {
          throw error
        }
      }
    }
  }

  /** Types that are accepted, found by giving up more of those that were refused with this error. */
  async from(levels: Levels, { position, message }: ServerSaid): Promise<Accepted | undefined> {
    const otherwise: Refused[] = []
    const alike: Refused[] = []
    let hasMoved = false
    for (const next of this.#moves(levels)) {
      const outcome = await this.attempt(next)
      if (outcome === undefined) continue
      if ('reported' in outcome) return outcome
      const { error } = outcome
      if (error.position !== position || (position === undefined && error.message !== message)) {
        hasMoved = true
        const accepted = await this.from(next, error)
        if (accepted !== undefined) return accepted
      } else if (error.message === message) {
        alike.push(outcome)
      } else {
        otherwise.push(outcome)
      }
    }
    // What makes no difference here may do so together with others, if anything does.
    for (const { levels: next, error } of hasMoved ? [...otherwise, ...alike] : otherwise) {
      const accepted = await this.from(next, error)
      if (accepted !== undefined) return accepted
    }
    return undefined
  }

  /** Gives up as few types as this leaves accepted. */
  async raise(accepted: Accepted): Promise<Accepted> {
    this.#left = maxAttempts
    const given = accepted.levels.keys().filter((index) => accepted.levels[index] !== 0)
    return this.#raiseAll(accepted, given.toArray())
  }

  /** All together where that is accepted, else each half of them. */
  async #raiseAll(accepted: Accepted, indexes: readonly number[]): Promise<Accepted> {
    if (this.#left === 0) return accepted
    let best = accepted
    const lowest = indexes.reduce((sum, index) => Math.max(sum, accepted.levels[index] as number), 0)
    for (let level = 0; level < lowest; level++) {
      const steps = indexes.map((index): Step => [index, Math.min(level, accepted.levels[index] as number)])
      const raised = changed(accepted.levels, steps)
      const outcome = await this.attempt(raised)
      if (outcome === undefined || 'error' in outcome) continue
      if (level === 0) return outcome
      best = outcome
      break
    }
    if (indexes.length < 2) return best
    const half = Math.ceil(indexes.length / 2)
    return this.#raiseAll(await this.#raiseAll(best, indexes.slice(0, half)), indexes.slice(half))
  }

  /**
   * What may be tried next: another type for all parameters of one type, then for each; known types before open ones.
   */
  *#moves(levels: Levels): Generator<Levels> {
    for (const isOpen of [false, true]) {
      const groups = this.#steps(levels, isOpen)
      for (const steps of groups) yield changed(levels, steps)
      for (const step of groups.flat()) {
        if (this.#left === 0) return
        yield changed(levels, [step])
      }
    }
  }

  /** Steps to another candidate, those together that lead from one type to one other. */
  #steps(levels: Levels, isOpen: boolean): Step[][] {
    const groups = new Map<string, Step[]>()
    for (const [index, level] of levels.entries()) {
      const candidates = this.#candidates[index] as readonly number[]
      for (let target = level + 1; target < candidates.length; target++) {
        if ((candidates[target] === oid.unspecified) !== isOpen) continue
        const key = `${candidates[level]} ${candidates[target]}`
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [[index, target]])
        else group.push([index, target])
      }
    }
    return groups.values().toArray()
  }
}

function changed(levels: Levels, steps: readonly Step[]): Levels {
  const copy = [...levels]
  for (const [index, level] of steps) copy[index] = level
  return copy
}

/** Index of the parameter in `could not determine data type of parameter $2`, in whatever language. */
function typelessParameter({ code, message }: ServerSaid): number | undefined {
  if (code !== sqlStates.indeterminateDatatype) return undefined
  const number = /\$(\d+)/.exec(message)?.[1]
  return number === undefined ? undefined : Number(number) - 1
}
