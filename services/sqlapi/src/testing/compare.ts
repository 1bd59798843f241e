/**
 * What was expected, and the JSON that came -> the first difference, with its path. Numbers are compared by their value
 * with all their digits, keys of an object in any order. Pure.
 */
import { type Data, isMapping, Literal } from '@services/config-file'
import { toJson } from './test-file.ts'

/** Stands for whatever is there. */
const whatever = '..'

export interface Difference {
  /** `rows[0].title`. */
  readonly path: string
  readonly message: string
}

/** JSON -> data as a test file has it. Throws where it is not JSON. */
export function readAnswer(text: string): Data {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const isBare = typeof value === 'number' || typeof value === 'boolean'
    return isBare ? new Literal(context?.source ?? String(value), value) : value
  }) as Data
}

/** Undefined where nothing differs. */
export function compareRows(expected: Data, found: Data, ordered: boolean): Difference | undefined {
  return ordered ? compare(expected, found, 'rows') : compareUnordered(expected, found, 'rows')
}

function compare(expected: Data, found: Data, path: string): Difference | undefined {
  if (expected === whatever) return undefined
  if (Array.isArray(expected) && Array.isArray(found)) return compareLists(expected, found, path)
  if (isMapping(expected) && isMapping(found)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)])
    for (const key of keys) {
      const at = `${path}.${key}`
      if (!Object.hasOwn(found, key))
        return { path: at, message: `expected ${shown(expected[key])}, found no such key` }
      if (!Object.hasOwn(expected, key))
        return { path: at, message: `found ${shown(found[key])}, expected no such key` }
      const difference = compare(expected[key] as Data, found[key] as Data, at)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  return isSame(expected, found) ? undefined : { path, message: `expected ${shown(expected)}, found ${shown(found)}` }
}

function compareLists(expected: readonly Data[], found: readonly Data[], path: string): Difference | undefined {
  for (const [index, item] of expected.entries()) {
    const at = `${path}[${index}]`
    if (index >= found.length) return { path: at, message: `expected ${shown(item)}, found ${inNumber(found.length)}` }
    const difference = compare(item, found[index] as Data, at)
    if (difference !== undefined) return difference
  }
  if (found.length === expected.length) return undefined
  const message = `found ${shown(found[expected.length])}, expected ${inNumber(expected.length)}`
  return { path: `${path}[${expected.length}]`, message }
}

/** Each expected row has a row of its own; a list of lists is that of a batch, whose lists keep their order. */
function compareUnordered(expected: Data, found: Data, path: string): Difference | undefined {
  if (!Array.isArray(expected) || !Array.isArray(found)) return compare(expected, found, path)
  const wanted = expected as readonly Data[]
  const rows = found as readonly Data[]
  if (wanted.length > 0 && wanted.every((each) => Array.isArray(each)) && wanted.length === rows.length) {
    for (const [index, each] of wanted.entries()) {
      const difference = compareUnordered(each, rows[index] as Data, `${path}[${index}]`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  return assign(wanted, rows, path)
}

/** A row that says `..` may fit several, so a row that is taken gives way where it fits another one too. */
function assign(expected: readonly Data[], found: readonly Data[], path: string): Difference | undefined {
  const takenBy = new Map<number, number>()
  const place = (index: number, seen: Set<number>): boolean =>
    found.some((row, at) => {
      if (seen.has(at) || compare(expected[index] as Data, row, path) !== undefined) return false
      seen.add(at)
      const other = takenBy.get(at)
      if (other !== undefined && !place(other, seen)) return false
      takenBy.set(at, index)
      return true
    })
  for (const [index, row] of expected.entries()) {
    if (!place(index, new Set()))
      return { path: `${path}[${index}]`, message: `expected ${shown(row)}, found it in no row` }
  }
  const left = found.findIndex((_, at) => !takenBy.has(at))
  return left === -1 ? undefined : { path, message: `found ${shown(found[left])}, which nothing expects` }
}

function isSame(expected: Data, found: Data): boolean {
  if (expected instanceof Literal && found instanceof Literal) {
    return expected.value === found.value && digitsOf(expected) === digitsOf(found)
  }
  return expected === found
}

/** `1.50` is `1.5`, and no digit of a long integer is lost. */
function digitsOf({ text, value }: Literal): string {
  if (typeof value === 'boolean') return text.toLowerCase()
  if (!/^[-+]?\d+(?:\.\d*)?$/.test(text)) return String(value)
  const [whole = '', rest = ''] = text.split('.')
  return `${BigInt(whole)}.${rest.replace(/0+$/, '')}`
}

/** Longer values are cut. */
const longest = 200

function shown(data: Data | undefined): string {
  const text = data === undefined ? 'nothing' : toJson(data)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function inNumber(rows: number): string {
  return rows === 1 ? 'one' : `${rows === 0 ? 'none' : rows} in all`
}
