/**
 * A statement -> the parameters that look like lists and stand where a list is one value: beside others in `IN (..)` or
 * `ARRAY[..]`, or alone in `IN (..)` with something around them. Alone they would be expanded.
 */
import type { Reading } from './reading.ts'

export interface ListPosition {
  /** Number of the parameter's token. */
  readonly at: number
  readonly name: string
  /** What is around it. */
  readonly because: 'others' | 'brackets' | 'cast'
}

/** `lists` are names that are known to be lists. */
export function findListPositions(reading: Reading, lists: ReadonlySet<string>): ListPosition[] {
  const found: ListPosition[] = []
  for (const index of reading.tokens.keys()) {
    const isIn = reading.textAt(index) === '(' && reading.wordAt(index - 1) === 'IN'
    const isArray = reading.textAt(index) === '[' && reading.wordAt(index - 1) === 'ARRAY'
    if (!isIn && !isArray) continue
    const items = itemsOf(reading, index)
    if (items.length > 1) found.push(...besideOthers(reading, items, lists))
    else if (isIn) found.push(...wrapped(reading, items[0] as Item))
  }
  return found
}

/** First token, and the token behind the last. */
type Item = readonly [from: number, to: number]

/** What commas part between the bracket at `open` and its end. */
function itemsOf(reading: Reading, open: number): Item[] {
  const close = reading.closingOf(open)
  const items: Item[] = []
  let from = open + 1
  for (let at = from; at < close; at++) {
    const text = reading.textAt(at)
    if (text === '(' || text === '[') at = reading.closingOf(at)
    else if (text === ',') {
      items.push([from, at])
      from = at + 1
    }
  }
  items.push([from, close])
  return items
}

function besideOthers(reading: Reading, items: readonly Item[], lists: ReadonlySet<string>): ListPosition[] {
  return items.flatMap(([from, to]): ListPosition[] => {
    const name = parameterAt(reading, from)
    const isAlone = to === from + 1 || reading.textAt(from + 1) === '::'
    return name !== undefined && isAlone && lists.has(name) ? [{ at: from, name, because: 'others' }] : []
  })
}

/** One item: `(:xs)`, `:xs::numeric(10, 2)`, `:xs::int[]`, `cast(:xs AS int)`. One with a plain cast is expanded. */
function wrapped(reading: Reading, [from, to]: Item): ListPosition[] {
  const isCast = reading.wordAt(from) === 'CAST' && reading.textAt(from + 1) === '('
  if (isCast) {
    const isWhole = reading.wordAt(from + 3) === 'AS' && reading.closingOf(from + 1) === to - 1
    return isWhole ? positionAt(reading, from + 2, 'cast') : []
  }
  if (reading.textAt(from) === '(') return to === from + 3 ? positionAt(reading, from + 1, 'brackets') : []
  return reading.textAt(from + 1) === '::' && isTypeWithBrackets(reading, from + 2, to)
    ? positionAt(reading, from, 'cast')
    : []
}

function positionAt(reading: Reading, at: number, because: ListPosition['because']): ListPosition[] {
  const name = parameterAt(reading, at)
  return name === undefined ? [] : [{ at, name, because }]
}

/** The name of a type, brackets, and nothing behind them. */
function isTypeWithBrackets(reading: Reading, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const text = reading.textAt(at)
    if (text === '(' || text === '[') return reading.closingOf(at) === to - 1
    if (text !== '.' && !['word', 'quoted'].includes(reading.tokens[at]?.kind ?? '')) return false
  }
  return false
}

function parameterAt(reading: Reading, index: number): string | undefined {
  return reading.tokens[index]?.kind === 'parameter' ? reading.textAt(index).slice(1) : undefined
}
