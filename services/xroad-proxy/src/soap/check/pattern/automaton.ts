/**
 * The tree of an expression -> whether a whole text matches it. Each character is looked at once, whatever the
 * expression is: those of a WSDL come from strangers, and the engine of JavaScript may take hours for `(a+)+b`.
 *
 * States are those of a nondeterministic automaton (Thompson); sets of them are kept as they are met, so that most
 * characters cost one look-up. What is kept has a bound.
 */
import type { Expression } from './syntax.ts'
import { UnknownSyntax } from './unknown-syntax.ts'

/**
 * What all patterns of one request together may cost. A look-up costs 1, a set of states that is new as many as it has,
 * ten times.
 */
export interface Effort {
  left: number
}

export const maxEffort = 5_000_000
const costOfState = 10
/** States of one expression: `a{5000}` has as many. */
const maxStates = 5000
/** Repetitions of nothing make no state and still take their time. */
const maxBuilt = 100_000
/** States in all sets that one expression keeps; when there are more, all are forgotten. */
const maxKept = 50_000

/** Where a character leads that is in the class, or two ways that take none. */
type State =
  | { readonly kind: 'character'; readonly test: RegExp; next: number }
  | { readonly kind: 'fork'; readonly next: number[] }

interface StateSet {
  /** Those that want a character. */
  readonly states: readonly number[]
  readonly isEnd: boolean
  /** By code point. */
  readonly steps: Map<number, StateSet>
}

const end = 0

export class Automaton {
  readonly #states: State[] = [{ kind: 'fork', next: [] }]
  readonly #tests = new Map<string, RegExp>()
  readonly #start: number
  #known = new Map<string, StateSet>()
  #first: StateSet
  #kept = 0
  #built = 0

  /** Throws `UnknownSyntax` for an expression that is too large. */
  constructor(expression: Expression) {
    this.#start = this.#build(expression, end)
    this.#first = this.#setOf([this.#start])
  }

  /** Undefined when the effort is used up. */
  matches(text: string, effort: Effort): boolean | undefined {
    let set = this.#first
    for (let at = 0; at < text.length; at++) {
      const codePoint = text.codePointAt(at) ?? 0
      if (codePoint > 0xff_ff) at++
      effort.left--
      set = set.steps.get(codePoint) ?? this.#step(set, codePoint, effort)
      if (effort.left < 0) return undefined
      if (set.states.length === 0 && !set.isEnd) return false
    }
    return set.isEnd
  }

  #step(from: StateSet, codePoint: number, effort: Effort): StateSet {
    effort.left -= costOfState * from.states.length
    const character = String.fromCodePoint(codePoint)
    const reached: number[] = []
    for (const index of from.states) {
      const state = this.#states[index] as State
      if (state.kind === 'character' && state.test.test(character)) reached.push(state.next)
    }
    if (this.#kept >= maxKept) this.#forget()
    const set = this.#setOf(reached)
    effort.left -= costOfState * set.states.length
    from.steps.set(codePoint, set)
    this.#kept += 1 + set.states.length
    return set
  }

  /** The sets that are in use go on; what they lead to is found again. */
  #forget(): void {
    this.#known = new Map()
    this.#first = this.#setOf([this.#start])
    this.#kept = 0
  }

  /** With all that is reached without a character. */
  #setOf(reached: readonly number[]): StateSet {
    const seen = new Set<number>()
    const open = [...reached]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen.has(index)) continue
      seen.add(index)
      const state = this.#states[index] as State
      if (state.kind === 'fork') open.push(...state.next)
    }
    const states = [...seen].filter((index) => this.#states[index]?.kind === 'character').sort((a, b) => a - b)
    const isEnd = seen.has(end)
    const key = `${states.join(',')} ${isEnd}`
    const known = this.#known.get(key) ?? { states, isEnd, steps: new Map() }
    this.#known.set(key, known)
    return known
  }

  /** States for an expression that leads to `next`; where they begin. */
  #build(expression: Expression, next: number): number {
    this.#built++
    if (this.#built > maxBuilt) throw tooLarge()
    switch (expression.kind) {
      case 'character':
        return this.#add({ kind: 'character', test: this.#testOf(expression.source), next })
      case 'sequence':
        return expression.parts.reduceRight((following, part) => this.#build(part, following), next)
      case 'choice':
        return this.#add({ kind: 'fork', next: expression.parts.map((part) => this.#build(part, next)) })
      case 'repeat':
        return this.#repeat(expression, next)
    }
  }

  #repeat({ part, min, max }: Extract<Expression, { kind: 'repeat' }>, next: number): number {
    let start = next
    if (max === Infinity) {
      const ways = [next]
      start = this.#add({ kind: 'fork', next: ways })
      ways.push(this.#build(part, start))
    }
    // Each that may be left out leads to the end of all, so that few states are alive at a time.
    for (let left = max === Infinity ? 0 : max - min; left > 0; left--) {
      start = this.#add({ kind: 'fork', next: [next, this.#build(part, start)] })
    }
    for (let count = 0; count < min; count++) start = this.#build(part, start)
    return start
  }

  #add(state: State): number {
    if (this.#states.length >= maxStates) throw tooLarge()
    return this.#states.push(state) - 1
  }

  #testOf(source: string): RegExp {
    const known = this.#tests.get(source)
    if (known !== undefined) return known
    const test = toRegExp(source)
    this.#tests.set(source, test)
    return test
  }
}

function toRegExp(source: string): RegExp {
  try {
    return new RegExp(`^${source}$`, 'v')
  } catch {
    throw new UnknownSyntax('has a class of characters that is not known here')
  }
}

function tooLarge(): UnknownSyntax {
  return new UnknownSyntax(`has more than ${maxStates} states`)
}
