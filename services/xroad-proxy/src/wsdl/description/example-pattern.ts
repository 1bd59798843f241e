/**
 * A pattern of XML Schema -> a short text that it matches, for examples. Takes the first way through: the first
 * alternative, the fewest repetitions, the first character of a class. Gives nothing for a pattern with something else
 * in it. Where a type has more to say than one pattern, tries more repetitions until the text fits it all.
 */
import { Automaton } from '../../soap/check/pattern/automaton.ts'
import { Cursor } from '../../soap/check/pattern/cursor.ts'
import { readPattern } from '../../soap/check/pattern/syntax.ts'
import { UnknownSyntax } from '../../soap/check/pattern/unknown-syntax.ts'
import type { SimpleType } from '../schema/simple-type.ts'

const maxLength = 200

/** `more` is how many repetitions there are beyond the fewest, where the pattern allows that many. */
export function matchPattern(pattern: string, more = 0): string | undefined {
  try {
    const reader = new Reader(pattern, more)
    const text = reader.alternatives()
    return reader.isDone && text.length <= maxLength ? text : undefined
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The pattern of the type itself, which is as narrow as those of the types that it comes from. */
function matchOwn({ patterns }: SimpleType): string | undefined {
  return matchPattern(bare(patterns.at(-1) ?? ''))
}

export interface WantedText {
  /** Characters. */
  readonly least: number
  readonly most: number
  /** Taken where the patterns let it pass. */
  readonly usual: string | undefined
}

/** A text that all patterns of the type match. */
export function matchAll({ patterns }: SimpleType, { least, most, usual }: WantedText): string | undefined {
  const sources = patterns.map(bare)
  const isNew = sources.length > 1 || usual !== undefined
  const tests = isNew ? sources.map(toTest) : []
  const isRight = (text: string): boolean =>
    text.length >= least && text.length <= most && tests.every((test) => test(text))
  if (usual !== undefined && isRight(usual)) return usual
  for (const source of sources.toReversed()) {
    let before: string | undefined
    for (let more = 0; more <= maxLength; more++) {
      const text = matchPattern(source, more)
      if (text === undefined || text === before || text.length > most) break
      if (isRight(text)) return text
      before = text
    }
  }
  return undefined
}

/** Authors who write ^ and $ at both ends mean the ends of the text. */
function bare(pattern: string): string {
  return /^\^(.*)\$$/su.exec(pattern)?.[1] ?? pattern
}

/** In one pass over the text: some expressions of WSDLs take hours otherwise. What cannot be judged is let pass. */
function toTest(source: string): (text: string) => boolean {
  try {
    const automaton = new Automaton(readPattern(source))
    return (text) => automaton.matches(text, { left: maxEffort }) !== false
  } catch (error) {
    if (error instanceof UnknownSyntax) return () => true
    throw error
  }
}

const maxEffort = 100_000

/** Its patterns let the text be left out, as far as that shows without running them: some take hours. */
export function leavesEmpty(type: SimpleType): boolean {
  return type.patterns.length > 0 && matchOwn(type) === ''
}

class Unreadable extends Error {}

/** Escape -> a character of its class; any other escaped character is itself. */
const classes: ReadonlyMap<string, string> = new Map([
  ['d', '1'],
  ['w', 'a'],
  ['s', ' '],
  ['S', 'a'],
  ['D', 'a'],
  ['i', 'a'],
  ['c', 'a'],
  ['W', '-'],
  ['I', '1'],
  ['C', ' '],
])

/** Kind of characters, as `\\p` names it -> one of them. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['L', 'a'],
  ['Lu', 'A'],
  ['Ll', 'a'],
  ['N', '1'],
  ['Nd', '1'],
  ['P', '-'],
  ['Z', ' '],
  ['Zs', ' '],
  ['S', '+'],
  ['IsBasicLatin', 'a'],
  ['IsLatin-1Supplement', 'õ'],
  ['IsLatinExtended-A', 'š'],
  ['IsCyrillic', 'б'],
  ['IsGreek', 'β'],
])

class Reader {
  readonly #cursor: Cursor
  readonly #more: number
  #depth = 0

  constructor(pattern: string, more: number) {
    this.#cursor = new Cursor(pattern)
    this.#more = more
  }

  get isDone(): boolean {
    return this.#cursor.isDone
  }

  /** The first one; the others are read past. */
  alternatives(): string {
    this.#depth++
    if (this.#depth > maxLength) throw new Unreadable()
    const first = this.#sequence()
    while (this.#cursor.take('|')) this.#sequence()
    this.#depth--
    return first
  }

  #sequence(): string {
    let text = ''
    while (!this.isDone && !'|)'.includes(this.#cursor.peek())) {
      const atom = this.#atom()
      text += atom.repeat(this.#repetitions())
      if (text.length > maxLength) throw new Unreadable()
    }
    return text
  }

  #atom(): string {
    const character = this.#next()
    if (character === '(') return this.#group()
    if (character === '[') return this.#choice()
    if (character === '\\') return this.#escape()
    // Authors who write ^ and $ mean the ends of the text; XML Schema takes them for characters.
    if ('*+?{}]^$'.includes(character)) throw new Unreadable()
    return character === '.' ? 'a' : character
  }

  #group(): string {
    const text = this.alternatives()
    if (!this.#cursor.take(')')) throw new Unreadable()
    return text
  }

  #choice(): string {
    const start = this.#cursor.at - 1
    const isNegated = this.#cursor.take('^')
    const first = this.#member()
    while (!this.#cursor.take(']')) this.#member()
    return isNegated ? this.#outside(this.#cursor.since(start)) : first
  }

  #outside(negated: string): string {
    const expression = new RegExp(negated, 'v')
    const character = ['a', '1', 'A', ' ', '-'].find((sample) => expression.test(sample))
    if (character === undefined) throw new Unreadable()
    return character
  }

  #member(): string {
    const character = this.#next()
    if (character === '[') throw new Unreadable()
    return character === '\\' ? this.#escape() : character
  }

  #escape(): string {
    const character = this.#next()
    if (character === 'P') throw new Unreadable()
    return character === 'p' ? this.#kind() : (classes.get(character) ?? character)
  }

  #kind(): string {
    const [, name = ''] = this.#cursor.match(/^\{([\w-]+)\}/u) ?? []
    const character = kinds.get(name)
    if (character === undefined) throw new Unreadable()
    return character
  }

  #repetitions(): number {
    if (this.#cursor.take('?')) return Math.min(1, this.#more)
    if (this.#cursor.take('*')) return this.#more
    if (this.#cursor.take('+')) return 1 + this.#more
    if (!this.#cursor.take('{')) return 1
    const [, least, most = least] = this.#cursor.match(/^(\d{1,3})(?:,(\d*))?\}/u) ?? []
    if (least === undefined) throw new Unreadable()
    return Math.min(Number(least) + this.#more, most === '' ? Infinity : Number(most))
  }

  #next(): string {
    const character = this.#cursor.next()
    if (character === '') throw new Unreadable()
    return character
  }
}
