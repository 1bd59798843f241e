/**
 * A statement -> the placeholders of other tools that the database reads as something else: `'{{name}}'`, `'%s'`,
 * `@id`, `%s`, `#{name}`, `?`. Only in the place of a value: after a comparison, in IN, in VALUES. As an argument of a
 * function they may be meant: `format('%s', a)`. Those that the scanner refuses (`$1`, and `@id` on SQLite) are not
 * here.
 */
import type { Remark } from '../findings/finding.ts'
import type { Reading } from './reading.ts'

export const mayBeForeign = /@\w|%[sd(]|[#$]?\{|\?/

export function findForeignPlaceholders(reading: Reading): Remark[] {
  return [...reading.tokens.keys()].flatMap((at): Remark[] => {
    const found = quoted(reading, at) ?? absolute(reading, at) ?? braces(reading, at) ?? sign(reading, at)
    return found === undefined ? [] : [{ ...found, ...reading.positionOf(at) }]
  })
}

type Found = Pick<Remark, 'code' | 'severity' | 'message' | 'cure'>

const template = /^'(?:(?:[#$]\{|\{\{)\s*([a-z_]\w*)\s*\}\}?|%[sd]|%\(([a-z_]\w*)\)s)'$/i

function quoted(reading: Reading, at: number): Found | undefined {
  const found = reading.tokens[at]?.kind === 'quoted' ? template.exec(reading.textAt(at)) : null
  // `'{{a}}'::text[]` is an array, and `LIKE '%s'` finds texts that end with an s.
  if (found === null || !isValue(reading, at) || ['::', '|'].includes(reading.textAt(at + 1))) return undefined
  const [text, inBraces, inBrackets] = found
  if (text.startsWith("'%") && reading.wordAt(at - 1).endsWith('LIKE')) return undefined
  const name = inBraces ?? inBrackets ?? 'name'
  return { code: 'quoted-parameter', message: `${text} is a text and not a parameter`, cure: `write :${name}` }
}

/** `@id`, for which PostgreSQL computes the absolute value of a column. */
function absolute(reading: Reading, at: number): Found | undefined {
  const isOne = reading.textAt(at) === '@' && reading.wordAt(at + 1) !== '' && isGlued(reading, at + 1)
  if (!isOne || !isValue(reading, at)) return undefined
  const name = reading.textAt(at + 1)
  const message = `@${name} is the absolute value of ${name}, not a parameter`
  return { code: 'foreign-placeholder', message, cure: `write :${name}, or abs(${name}) if you mean that` }
}

/** Neither kind of database knows braces. */
function braces(reading: Reading, at: number): Found | undefined {
  const isMarked = ['#', '$'].includes(reading.textAt(at)) && reading.textAt(at + 1) === '{'
  if (!isMarked && (reading.textAt(at) !== '{' || /[{#$]/.test(reading.textAt(at - 1)))) return undefined
  let last = at
  while (['#', '$', '{'].includes(reading.textAt(last))) last++
  const name = reading.wordAt(last) === '' ? 'name' : reading.textAt(last)
  while (reading.textAt(last + 1) === '}') last++
  return cannotRun(reading.source.slice(reading.tokens[at]?.start, reading.tokens[last]?.end), name)
}

/** `%s`, `%(name)s` and `?`, unless a value comes before them: then they are operators. */
function sign(reading: Reading, at: number): Found | undefined {
  const text = reading.textAt(at)
  if ((text !== '%' && text !== '?') || !isValue(reading, at)) return undefined
  if (text === '?') return mayBegin(reading, at + 1) ? undefined : cannotRun('?', 'name')
  if (!isGlued(reading, at + 1)) return undefined
  if (/^[SD]$/.test(reading.wordAt(at + 1))) return cannotRun(`%${reading.textAt(at + 1)}`, 'name')
  const isNamed = reading.textAt(at + 1) === '(' && reading.textAt(at + 3) === ')' && reading.wordAt(at + 4) === 'S'
  return isNamed ? cannotRun(`%(${reading.textAt(at + 2)})s`, reading.textAt(at + 2)) : undefined
}

function cannotRun(shown: string, name: string): Found {
  const message = `${shown} is a placeholder of another tool`
  return { code: 'foreign-placeholder', severity: 'error', message, cure: `write :${name}` }
}

const comparisons = new Set(['=', '==', '<>', '!=', '<', '>', '<=', '>='])
const words = new Set(['LIKE', 'ILIKE', 'BETWEEN', 'LIMIT', 'OFFSET'])

/** After a comparison, or an item of IN or VALUES. */
function isValue(reading: Reading, at: number): boolean {
  const before = reading.textAt(at - 1)
  if (before !== '(' && before !== ',') return words.has(reading.wordAt(at - 1)) || isCompared(reading, at)
  const open = openingOf(reading, at)
  if (['IN', 'VALUES'].includes(reading.wordAt(open - 1))) return true
  return reading.textAt(open) === '(' && reading.textAt(open - 1) === ',' && reading.textAt(open - 2) === ')'
}

/** The whole operator: the end of `@>` or `=>` is no comparison, nor is the beginning of `<@`. */
function isCompared(reading: Reading, at: number): boolean {
  let first = at - 1
  while (isOperator(reading.textAt(first - 1)) && isGlued(reading, first)) first--
  const operator = reading.source.slice(reading.tokens[first]?.start, reading.tokens[at - 1]?.end)
  const isPart = isOperator(reading.textAt(at)) && isGlued(reading, at) && operator !== '='
  return comparisons.has(operator) && !isPart
}

function isOperator(text: string): boolean {
  return /^[-+*/<>=~!@#%^&|`?]$/.test(text)
}

function isGlued(reading: Reading, at: number): boolean {
  return reading.tokens[at - 1]?.end === reading.tokens[at]?.start
}

function openingOf(reading: Reading, from: number): number {
  let depth = 0
  for (let at = from - 1; at >= 0; at--) {
    const text = reading.textAt(at)
    if (text === ')' || text === ']') depth++
    else if ((text === '(' || text === '[') && --depth < 0) return at
  }
  return -1
}

/** Something that a `?` before it could be applied to. */
function mayBegin(reading: Reading, at: number): boolean {
  const kind = reading.tokens[at]?.kind
  return kind === 'quoted' || kind === 'parameter' || ['(', '&', '|'].includes(reading.textAt(at))
}
