/** The tokens of a statement -> a tree: words, signs, and what is in parentheses. Pure. */
import { lex } from '../../../sql/lex.ts'
import { grammar } from '../grammar.ts'

/** A word, a quoted name, a sign, or a pair of parentheses with what is in them. */
export interface Word {
  /** In upper case, as it is; empty for what is in quotes. */
  readonly word: string
  /** In lower case, without quotes; empty for what is not a name. */
  readonly name: string
  /** Undefined except for parentheses. */
  readonly inside: readonly Word[] | undefined
}

export function wordTree(text: string): readonly Word[] {
  const outermost: Word[] = []
  const open: Word[][] = [outermost]
  for (const { kind, start, end } of lex(text, grammar)) {
    const source = text.slice(start, end)
    const level = open.at(-1) as Word[]
    if (source === '(') {
      const inside: Word[] = []
      level.push({ word: '(', name: '', inside })
      open.push(inside)
    } else if (source === ')') {
      if (open.length > 1) open.pop()
    } else if (kind === 'word') {
      level.push({ word: source.toUpperCase(), name: source.toLowerCase(), inside: undefined })
    } else if (kind === 'quoted' && !source.startsWith("'")) {
      level.push({ word: '', name: source.slice(1, -1).toLowerCase(), inside: undefined })
    } else {
      level.push({ word: source, name: '', inside: undefined })
    }
  }
  return outermost
}

/** The list cut at each word that is one of these, which begins the part behind it; the first part has no such word. */
export function cutAt(words: readonly Word[], at: ReadonlySet<string>): Word[][] {
  const parts: Word[][] = [[]]
  for (const each of words) {
    if (at.has(each.word)) parts.push([])
    ;(parts.at(-1) as Word[]).push(each)
  }
  return parts
}

const queries = new Set(['SELECT', 'WITH', 'VALUES'])

/** What is in parentheses is a query. */
export function isQuery({ inside }: Word): boolean {
  return queries.has(inside?.[0]?.word ?? '')
}

/** Whether something like it is among the words, or in parentheses that are not a query. */
export function holds(
  words: readonly Word[],
  like: (word: Word, index: number, words: readonly Word[]) => boolean,
): boolean {
  return words.some(
    (word, index) =>
      like(word, index, words) || (word.inside !== undefined && !isQuery(word) && holds(word.inside, like)),
  )
}

/** Words between the queries of a compound. */
export const compounds: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT'])

/** Whether some query among the words has the rows of several. */
export function isCompound(words: readonly Word[]): boolean {
  return words.some(({ word, inside }) => compounds.has(word) || (inside !== undefined && isCompound(inside)))
}

/** Whether any of these names is anywhere. */
export function mentions(words: readonly Word[], names: ReadonlySet<string>): boolean {
  return words.some(({ name, inside }) => names.has(name) || (inside !== undefined && mentions(inside, names)))
}
