/**
 * A command with a query in it that the server does not look at before it runs -> the query alone, at the same place of
 * the text: blanks stand for what is in front of it. Pure.
 */
import type { Statement } from '../../../model.ts'
import { lex } from '../../../sql/lex.ts'
import { sourceOf } from '../../../sql/position.ts'
import { grammar } from '../grammar.ts'

/** Nothing for other commands, and for those with parameters, which they cannot have. */
export function innerQuery(statement: Statement): string | undefined {
  if (statement.slots.length > 0) return undefined
  const source = sourceOf(statement)
  const tokens = lex(source, grammar)
  const wordAt = (at: number): string => source.slice(tokens[at]?.start ?? 0, tokens[at]?.end ?? 0).toUpperCase()
  const begins = wordAt(0)
  if (begins === 'COPY' && wordAt(1) === '(') {
    const end = closingOf(
      tokens.map((_, at) => wordAt(at)),
      1,
    )
    return blanked(source, tokens[2]?.start, tokens[end]?.start)
  }
  const isView = begins === 'CREATE' && [1, 2, 3, 4].some((at) => wordAt(at) === 'VIEW')
  if (!isView && begins !== 'PREPARE') return undefined
  const as = tokens.findIndex((_, at) => wordAt(at) === 'AS')
  return as === -1 ? undefined : blanked(source, tokens[as + 1]?.start, source.length)
}

function blanked(source: string, from: number | undefined, to: number | undefined): string | undefined {
  if (from === undefined || to === undefined) return undefined
  return source.slice(0, from).replaceAll(/[^\n]/gu, ' ') + source.slice(from, to)
}

function closingOf(words: readonly string[], from: number): number {
  let depth = 0
  return words.findIndex((word, at) => {
    if (at < from) return false
    if (word === '(') depth++
    return word === ')' && --depth === 0
  })
}
