/**
 * A statement -> the DELETE that begins a line of it and is the name of a column there, because the semicolon in front
 * of it is missing: SELECT :id, then DELETE FROM item below it, reads one row and deletes none.
 */
import type { Remark } from '../findings/finding.ts'
import type { Reading } from './reading.ts'

export const mayLackSemicolon = /\n\s*DELETE\s+FROM\b/i

/** Every other keyword, or one after FROM, is a mistake that the database finds. */
export function findLostSemicolons(reading: Reading): Remark[] {
  let depth = 0
  let select: number | undefined
  for (const at of reading.tokens.keys()) {
    const text = reading.textAt(at)
    if (text === '(' || text === '[') depth++
    else if (text === ')' || text === ']') depth--
    if (depth > 0) continue
    const word = reading.wordAt(at)
    if (word === 'DELETE' && select !== undefined && isAlias(reading, at, select)) return [remarkAt(reading, at)]
    if (word === 'SELECT') select = at
    else if (word === 'FROM') select = undefined
  }
  return []
}

function isAlias(reading: Reading, at: number, select: number): boolean {
  const { source, tokens } = reading
  const before = tokens[at - 1]
  if (before === undefined || at - 1 === select || reading.wordAt(at + 1) !== 'FROM') return false
  if (!source.slice(before.end, tokens[at]?.start).includes('\n')) return false
  return before.kind === 'symbol' ? /^[)\]\d]/.test(reading.textAt(at - 1)) : !wantsMore.has(reading.wordAt(at - 1))
}

/** After these words DELETE is the name of a column that is meant. */
const wantsMore = new Set('AS ALL DISTINCT AND OR NOT IN LIKE ILIKE IS BETWEEN CASE WHEN THEN ELSE'.split(' '))

function remarkAt(reading: Reading, at: number): Remark {
  const word = reading.textAt(at)
  const message = `${word} is the name of a column here (an alias), and nothing is deleted`
  const cure = `put a semicolon in front of ${word} if a statement begins there, else write AS ${word.toLowerCase()}`
  return { code: 'lost-semicolon', ...reading.positionOf(at), message, cure }
}
