/**
 * Whether two answers mean the same. Contenders spell things differently: 64-bit integers and numerics are numbers or
 * strings, times have milliseconds or not, members come in any order. SQLite has no booleans: columns that are meant as
 * such may be 0 and 1.
 */
import { isDeepStrictEqual } from 'node:util'

export function isSameMeaning(one: string, other: string, booleans: readonly string[] = []): boolean {
  const [first, second] = [read(one, booleans), read(other, booleans)]
  return first !== undefined && isDeepStrictEqual(first.value, second?.value)
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

function read(body: string, booleans: readonly string[]): { value: unknown } | undefined {
  const reviver: Reviver = (key, value, { source }) => {
    if (booleans.includes(key) && (value === 0 || value === 1)) return value === 1
    // The digits as they stand: a 64-bit integer does not fit into a number. 1.0 is 1.
    if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : source
    const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
    return isTime ? new Date(value).toISOString() : value
  }
  try {
    return { value: JSON.parse(body, reviver as (key: string, value: unknown) => unknown) as unknown }
  } catch {
    return undefined
  }
}
