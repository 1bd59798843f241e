/** Messages about a field: its name, what was found there and what would be right. Pure. */
import { isGlued, shownKey } from './secrets.ts'

/** Steps from the top of a file to a value. */
export type Path = readonly PropertyKey[]

/** A mistake in one field. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

export interface Showing {
  /** The value is not a secret, not even by mistake. */
  readonly shown?: boolean
  /** It may be one even where it is a number, as when a password replaces its variable. */
  readonly secret?: boolean
  /** A list or a group of fields is wanted: quotes would make nothing right. */
  readonly isOfParts?: boolean
}

const shownCharacters = 64

/** A value as it came, numbers and booleans too. */
export function found(value: unknown, { shown = false, secret = false, isOfParts = false }: Showing = {}): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'left empty'
  if (Array.isArray(value)) return 'found a list'
  if (typeof value === 'object') return 'found a group of fields'
  if (typeof value === 'number' || typeof value === 'boolean') {
    if (secret) return `found a ${typeof value}`
    return `found the ${typeof value} ${value}${shown || isOfParts ? '' : ' (as a text it needs quotes)'}`
  }
  if (typeof value !== 'string') return 'found something else'
  if (value.trim() === '') return 'found an empty text'
  if (isOfParts && isGlued(value) && !value.includes('://')) return 'found a text (a colon needs a space after it)'
  return shown ? `found ${JSON.stringify(value.slice(0, shownCharacters))}` : 'found a text'
}

/**
 * `a.b[0]`, as messages name a field; a key that is not a plain name is in quotes, and never with a password in it.
 */
export function toFieldName(path: Path): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`
      const key = shownKey(String(step))
      return /^[\w-]+…?$/.test(key) ? `.${key}` : `.${JSON.stringify(key.slice(0, shownCharacters))}`
    })
    .join('')
    .replace(/^\./, '')
}

/** Lines of fields in their file. */
export interface Lines {
  lineOf(path: Path): number
}

/** Problems of one file in the order in which a person reads it. */
export function byLine(problems: readonly Problem[], places: Lines): Problem[] {
  const lines = new Map(problems.map((problem) => [problem, places.lineOf(problem.path)]))
  return problems.toSorted((a, b) => (lines.get(a) as number) - (lines.get(b) as number))
}

const maxTold = 50

/** All problems of a file in one text, in the order of lines; `inWords` gives one of them. */
export function joinProblems(
  problems: readonly Problem[],
  places: Lines,
  inWords: (problem: Problem) => string,
): string {
  // A value may break several rules of its field in the same words: a number that is not whole and is too large.
  const told = [...new Set(byLine(problems, places).map(inWords))]
  const more = told.length - maxTold
  return [...told.slice(0, maxTold), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
