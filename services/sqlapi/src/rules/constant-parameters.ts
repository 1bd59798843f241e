/**
 * A statement -> the parameters that stand alone where a column is wanted, in ORDER BY and GROUP BY. A database takes
 * the value itself, which is the same for each row: a name of a column or a number of one means nothing there.
 */
import type { Reading } from './reading.ts'

export interface ConstantParameter {
  /** Number of the parameter's token. */
  readonly at: number
  readonly name: string
  readonly clause: 'ORDER BY' | 'GROUP BY'
}

export function findConstantParameters(reading: Reading): ConstantParameter[] {
  return [...reading.tokens.keys()].flatMap((index) => {
    const first = reading.wordAt(index)
    if ((first !== 'ORDER' && first !== 'GROUP') || reading.wordAt(index + 1) !== 'BY') return []
    const clause = `${first} BY` as const
    return itemsOf(reading, index + 2).flatMap((at): ConstantParameter[] => {
      const name = constantAt(reading, at)
      const isMeant = name === undefined || (clause === 'GROUP BY' && occursElsewhere(reading, at))
      return isMeant ? [] : [{ at, name, clause }]
    })
  })
}

/** Numbers of the tokens with which the items of the list begin. */
function itemsOf(reading: Reading, from: number): number[] {
  const items = [from]
  for (let at = from; at < reading.tokens.length; at++) {
    const text = reading.textAt(at)
    if (text === '(' || text === '[') at = reading.closingOf(at)
    else if (text === ')' || text === ']' || behindList.has(reading.wordAt(at))) break
    else if (text === ',') items.push(at + 1)
  }
  return items
}

/** Its name, where the item is a parameter and nothing else. */
function constantAt(reading: Reading, at: number): string | undefined {
  if (reading.tokens[at]?.kind !== 'parameter') return undefined
  const end = behindCasts(reading, at + 1)
  const isAlone = [',', ')', ']', ';', ''].includes(reading.textAt(end)) || behindItem.has(reading.wordAt(end))
  return isAlone ? reading.textAt(at).slice(1) : undefined
}

/** Behind `::text`, `::numeric(10, 2)`. */
function behindCasts(reading: Reading, from: number): number {
  let at = from
  while (reading.textAt(at) === '::') {
    at += 2
    while (reading.textAt(at) === '.') at += 2
    if (reading.textAt(at) === '(') at = reading.closingOf(at) + 1
  }
  return at
}

/** Who also selects it groups by it for the sake of the database. */
function occursElsewhere(reading: Reading, at: number): boolean {
  const name = reading.textAt(at)
  return reading.tokens.some(
    ({ kind }, other) => kind === 'parameter' && other !== at && reading.textAt(other) === name,
  )
}

/** Words that end the list. */
const behindList = new Set(
  'LIMIT OFFSET FETCH FOR HAVING WINDOW UNION INTERSECT EXCEPT ROWS RANGE GROUPS ORDER RETURNING'.split(' '),
)

/** Words that say no more than how an item is sorted, or end the list. */
const behindItem = new Set(['ASC', 'DESC', 'NULLS', 'COLLATE', ...behindList])
