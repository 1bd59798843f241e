/**
 * The body of a batch in a format that has a set of parameters a line, CSV or NDJSON -> these sets. Owns what the media
 * type may say, and what a line may be; which requests may send such a body is decided in request-sets.ts.
 */
import { Failure } from '../../errors.ts'
import { readJsonText, toText } from '../../json/read.ts'
import type { ParameterSet } from '../../model.ts'
import { toSet } from './params.ts'
import { noCsv, readRows } from './csv.ts'

/** What a body of lines holds. */
export interface Lines {
  readonly sets: readonly ParameterSet[]
  /** The format has no other values, besides null. */
  readonly areTexts: boolean
}

const readers: ReadonlyMap<string, (text: string) => Lines> = new Map<string, (text: string) => Lines>([
  ['text/csv', (text) => ({ sets: readCsv(text), areTexts: true })],
  ['application/x-ndjson', (text) => ({ sets: readNdjson(text), areTexts: false })],
])

/** Undefined for any other media type. Throws for a body that is not what it says. */
export function readLines(contentType: string | undefined, body: Buffer): Lines | undefined {
  if (contentType === undefined) return undefined
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const read = readers.get(type)
  if (read === undefined) return undefined
  requireReadable(parameters)
  const text = toText(body)
  return read(text.startsWith('\ufeff') ? text.slice(1) : text)
}

/** A charset that UTF-8 does not include would be read wrong, and without names nobody knows what a cell is. */
function requireReadable(parameters: readonly string[]): void {
  for (const parameter of parameters) {
    const [, name, value = ''] = /^([^=]+)="?([^"]*)"?$/.exec(parameter) ?? []
    if (name === 'charset' && !['utf-8', 'utf8', 'us-ascii'].includes(value)) {
      throw malformed('Request body has a charset that is not supported; send UTF-8')
    }
    if (name === 'header' && value === 'absent')
      throw malformed('Request body needs a line with the names of the columns')
  }
}

function readCsv(text: string): ParameterSet[] {
  const rows = readRows(text)
  const first = rows.next()
  if (first.done === true) throw malformed('Request body has no line with the names of the columns')
  const names = toNames(first.value.cells)
  const sets: ParameterSet[] = []
  for (const { line, cells } of rows) {
    const isEmpty = cells.length === 1 && cells[0] === null
    // In a single column it is a null.
    if (isEmpty && names.length > 1) continue
    if (cells.length !== names.length) {
      throw noCsv(line, `found ${count(cells.length, 'cell')}, expected ${names.length} as in the first line`)
    }
    sets.push(new Map(names.map((name, index) => [name, cells[index] as string | null])))
  }
  return sets
}

function toNames(cells: readonly (string | null)[]): readonly string[] {
  const names = cells.map((cell) => cell ?? '')
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw noCsv(1, `the column ${JSON.stringify(name.slice(0, 64))} occurs twice`)
    seen.add(name)
  }
  const [only = ''] = names
  if (names.length === 1 && /[;\t|]/.test(only)) throw noCsv(1, 'found one column; cells are separated by commas')
  return names
}

/** A line of white space is passed over. */
function readNdjson(text: string): ParameterSet[] {
  const sets: ParameterSet[] = []
  let line = 0
  for (let at = 0; at < text.length;) {
    line++
    const next = text.indexOf('\n', at)
    const end = next < 0 ? text.length : next
    const object = text.slice(at, end)
    at = end + 1
    if (/\S/.test(object)) sets.push(readObject(object, line))
  }
  return sets
}

function readObject(text: string, line: number): ParameterSet {
  try {
    return toSet(readJsonText(text), 'A line')
  } catch (error) {
    throw error instanceof Failure ? malformed(`${error.message}, in line ${line}`) : error
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function malformed(message: string): Failure {
  return new Failure('body_malformed', message)
}
