/**
 * A statement of a GET file -> the parameters that take the place of a list and have no declared type. Without a
 * declaration a query string gives one text: IN compares with that alone, and ANY needs an array literal.
 */
import type { Remark } from '../findings/finding.ts'
import type { Declarations } from '../model.ts'
import type { Reading } from './reading.ts'

export const mayTakeList = /\b(?:IN|ANY|ALL|SOME)\s*\(\s*$/i

/** `hasArrays`: ANY and ALL take an array. */
export function findUndeclaredLists(
  reading: Reading,
  declarations: Declarations | undefined,
  hasArrays: boolean,
): Remark[] {
  const known = new Set((declarations?.params ?? []).flatMap(({ name, type }) => (type === undefined ? [] : [name])))
  return reading.tokens.flatMap(({ kind }, at): Remark[] => {
    const name = kind === 'parameter' ? reading.textAt(at).slice(1) : ''
    if (name === '' || known.has(name) || !isAlone(reading, at)) return []
    const word = reading.wordAt(at - 2)
    const isIn = word === 'IN'
    if (!isIn && !(hasArrays && ['ANY', 'ALL', 'SOME'].includes(word))) return []
    known.add(name)
    const declare = `write -- @param ${name} integer[] (or string[]) above the SQL; callers repeat the key: ?${name}=1&${name}=2`
    const { line, column } = reading.positionOf(at)
    const place = { code: 'list-undeclared', line, column } as const
    if (isIn) {
      const message = `a query string gives :${name} one text, so IN compares with that alone: ?${name}=1,2 is no list`
      const equal = reading.wordAt(at - 3) === 'NOT' ? '<>' : '='
      return [{ ...place, message, cure: `${declare}. For one value write ${equal} :${name}` }]
    }
    const message = `a query string gives :${name} one text, so callers have to write an array literal: ?${name}={1,2}`
    return [{ ...place, severity: 'info', message, cure: declare }]
  })
}

/** Between the brackets, except for a cast. */
function isAlone(reading: Reading, at: number): boolean {
  if (reading.textAt(at - 1) !== '(') return false
  const close = reading.closingOf(at - 1)
  return close === at + 1 || (reading.textAt(at + 1) === '::' && !hasOperator(reading, at + 2, close))
}

function hasOperator(reading: Reading, from: number, to: number): boolean {
  return reading.tokens.slice(from, to).some(({ kind }, index) => {
    return kind === 'symbol' && !/^[.[\]()\d]/.test(reading.textAt(from + index))
  })
}
