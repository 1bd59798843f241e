/**
 * A type of text -> a check of texts: what is wrong with one, in words that follow the name of the param and never hold
 * the text. All that XML Schema says counts: the built-in type, white space, lengths, bounds, digits, enumerations,
 * patterns, lists and unions.
 */
import { maxRequestValues } from './amount.ts'
import type { TextType } from './contract.ts'
import { type Builtin, builtinOf, type WhiteSpace } from './builtins.ts'
import { type FacetCheck, toFacetCheck } from './facets.ts'
import { Automaton, type Effort } from './pattern/automaton.ts'
import { readExpression, readPattern } from './pattern/syntax.ts'
import { UnknownSyntax } from './pattern/unknown-syntax.ts'
import { count, cut, describeValues } from './words.ts'

export interface TextCheck {
  /** What is wanted, in words that follow "expected". */
  readonly wanted: string
  /** Whether its texts may be several, with spaces between them. */
  readonly isList: boolean
  /** Whether true and false of JSON are texts of it. */
  readonly takesBooleans: boolean
  readonly number: TextType['number']
  /** What would be right, where the text is not: words that follow "expected". */
  problemOf(text: string, effort: Effort): string | undefined
  /** The same for texts that are the same value. */
  canonical(text: string): string
}

export function toTextCheck(type: TextType): TextCheck {
  if (type.members !== undefined && type.members.length > 0) return new UnionCheck(type, type.members)
  return type.item === undefined ? new PlainCheck(type) : new ListCheck(type, type.item)
}

const tooLong = 'a shorter text: this one takes too long to be compared with its pattern'

/** What holds for every kind of type. */
class Narrowing {
  readonly #enumeration: ReadonlySet<string> | undefined
  readonly #allowed: string
  readonly #patterns: readonly Pattern[]

  constructor({ enumeration, patterns = [], expression }: TextType, canonical: (text: string) => string) {
    this.#enumeration = enumeration && new Set(enumeration.map(canonical))
    this.#allowed = enumeration === undefined ? '' : describeValues(enumeration)
    this.#patterns = [
      ...patterns.map((source) => toPattern(source, readPattern)),
      ...(expression === undefined ? [] : [toPattern(expression, readExpression)]),
    ].filter((pattern) => pattern !== undefined)
  }

  get allowed(): string | undefined {
    return this.#enumeration === undefined ? undefined : this.#allowed
  }

  problemOf(text: string, canonical: string, effort: Effort): string | undefined {
    if (this.#enumeration?.has(canonical) === false) return this.#allowed
    for (const { automaton, shown } of this.#patterns) {
      const isMatch = automaton.matches(text, effort)
      if (isMatch === undefined) return tooLong
      if (!isMatch) return `text that matches ${shown} as a whole`
    }
    return undefined
  }
}

class PlainCheck implements TextCheck {
  readonly isList = false
  readonly takesBooleans: boolean
  readonly number: TextType['number']
  readonly wanted: string
  readonly #builtin: Builtin
  readonly #whiteSpace: WhiteSpace
  readonly #narrowing: Narrowing
  readonly #facets: readonly FacetCheck[]

  constructor(type: TextType) {
    const { base, facets = {} } = type
    this.#builtin = builtinOf(base)
    this.#whiteSpace = whiteSpaceOf(this.#builtin, facets)
    this.#narrowing = new Narrowing(type, (text) => this.canonical(text))
    this.#facets = Object.entries({ ...this.#builtin.bounds })
      .concat(Object.entries(facets))
      .flatMap(([name, value]) => {
        return toFacetCheck(name, value.trim(), this.#builtin) ?? []
      })
    this.number = type.number
    this.takesBooleans = this.#builtin.takesBooleans ?? false
    this.wanted = this.#narrowing.allowed ?? this.#builtin.wanted
  }

  canonical(text: string): string {
    const settled = settle(text, this.#whiteSpace)
    return this.#builtin.fits(settled) ? this.#builtin.canonical(settled) : settled
  }

  problemOf(given: string, effort: Effort): string | undefined {
    const text = settle(given, this.#whiteSpace)
    if (!this.#builtin.fits(text)) return this.wanted
    for (const facet of this.#facets) if (!facet.holds(text)) return facet.wanted
    return this.#narrowing.problemOf(
      text,
      this.#narrowing.allowed === undefined ? '' : this.#builtin.canonical(text),
      effort,
    )
  }
}

class ListCheck implements TextCheck {
  readonly isList = true
  readonly takesBooleans: boolean
  readonly number: TextType['number']
  readonly wanted: string
  readonly #item: TextCheck
  readonly #narrowing: Narrowing
  readonly #facets: Readonly<Record<string, string>>

  constructor(type: TextType, item: TextType) {
    this.#item = toTextCheck(item)
    this.#narrowing = new Narrowing(type, (text) => this.canonical(text))
    this.#facets = type.facets ?? {}
    this.number = type.number
    this.takesBooleans = this.#item.takesBooleans
    this.wanted = this.#narrowing.allowed ?? `a list, each item ${this.#item.wanted}`
  }

  canonical(text: string): string {
    return itemsOf(text)
      .map((item) => this.#item.canonical(item))
      .join(' ')
  }

  problemOf(text: string, effort: Effort): string | undefined {
    const items = itemsOf(text)
    if (items.length > maxRequestValues) return `at most ${count(maxRequestValues, 'item')}`
    const { length, minLength = length, maxLength = length } = this.#facets
    if (items.length < Number(minLength ?? 0)) return `at least ${count(minLength, 'item')}`
    if (items.length > Number(maxLength ?? Infinity)) return `at most ${count(maxLength, 'item')}`
    for (const item of items) {
      const problem = this.#item.problemOf(item, effort)
      if (problem !== undefined) return `of each item ${problem}`
    }
    return this.#narrowing.problemOf(items.join(' '), this.canonical(text), effort)
  }
}

class UnionCheck implements TextCheck {
  readonly isList: boolean
  readonly takesBooleans: boolean
  readonly number: TextType['number']
  readonly wanted: string
  readonly #members: readonly TextCheck[]
  readonly #narrowing: Narrowing

  constructor(type: TextType, members: readonly TextType[]) {
    this.#members = members.map(toTextCheck)
    this.#narrowing = new Narrowing(type, (text) => this.canonical(text))
    this.isList = this.#members.some(({ isList }) => isList)
    this.number = type.number
    this.takesBooleans = this.#members.some(({ takesBooleans }) => takesBooleans)
    this.wanted = this.#narrowing.allowed ?? [...new Set(this.#members.map(({ wanted }) => wanted))].join(', or ')
  }

  canonical(text: string): string {
    const member = this.#memberOf(text, { left: Infinity })
    return member?.canonical(text) ?? text
  }

  problemOf(text: string, effort: Effort): string | undefined {
    const member = this.#memberOf(text, effort)
    if (effort.left < 0) return tooLong
    if (member === undefined) return this.wanted
    return this.#narrowing.problemOf(settle(text, 'collapse'), member.canonical(text), effort)
  }

  /** The first that takes the text is the one that counts. */
  #memberOf(text: string, effort: Effort): TextCheck | undefined {
    return this.#members.find((member) => member.problemOf(text, effort) === undefined)
  }
}

function whiteSpaceOf({ whiteSpace }: Builtin, facets: Readonly<Record<string, string>>): WhiteSpace {
  const said = facets['whiteSpace']
  return said === 'collapse' || (said === 'replace' && whiteSpace === 'preserve') ? said : whiteSpace
}

/** White space of XML, which is four characters. */
function settle(text: string, whiteSpace: WhiteSpace): string {
  if (whiteSpace === 'preserve' || !/[ \t\n\r]/.test(text)) return text
  const replaced = text.replaceAll(/[\t\n\r]/g, ' ')
  if (whiteSpace === 'replace') return replaced
  return itemsOf(replaced).join(' ')
}

function itemsOf(text: string): readonly string[] {
  return text.split(/[ \t\n\r]+/).filter((item) => item !== '')
}

interface Pattern {
  readonly automaton: Automaton
  readonly shown: string
}

/** Undefined for an expression that is not known here: it says nothing. */
function toPattern(source: string, read: typeof readPattern): Pattern | undefined {
  try {
    return { automaton: new Automaton(read(source)), shown: cut(source) }
  } catch (error) {
    if (error instanceof UnknownSyntax) return undefined
    throw error
  }
}

/** What keeps an expression of ECMAScript from being matched here, as "found .."; undefined for one that is right. */
export function expressionProblem(source: string): string | undefined {
  try {
    void new RegExp(source, 'u')
    void new Automaton(readExpression(source))
    return undefined
  } catch (error) {
    if (error instanceof UnknownSyntax) return `found an expression that ${error.message}`
    if (error instanceof SyntaxError) return 'found an expression that cannot be read'
    throw error
  }
}
