/**
 * The grammar of CSV (RFC 4180): text -> rows of cells with their lines. A line ends with CR LF or LF. Throws at what
 * is not CSV, with the line; what the cells mean is for lines.ts.
 */
import { Failure } from '../../errors.ts'

export interface CsvRow {
  /** In which it begins, from 1. */
  readonly line: number
  /** An empty cell is null, one of two quotes an empty text. */
  readonly cells: readonly (string | null)[]
}

/** The place at which reading goes on, and its line. */
interface Reader {
  readonly text: string
  at: number
  line: number
}

/** Takes time in proportion to the length of the text. */
export function* readRows(text: string): Generator<CsvRow> {
  const reader = { text, at: 0, line: 1 }
  while (reader.at < text.length) {
    const { line } = reader
    const cells: (string | null)[] = []
    do cells.push(readCell(reader))
    while (hasMore(reader))
    yield { line, cells }
  }
}

const bare = /[^",\r\n]*/y

function readCell(reader: Reader): string | null {
  const { text, at } = reader
  if (text[at] === '"') return readQuoted(reader)
  bare.lastIndex = at
  bare.test(text)
  reader.at = bare.lastIndex
  if (text[reader.at] === '"') throw noCsv(reader.line, 'a quote inside a cell that does not begin with one')
  return reader.at === at ? null : text.slice(at, reader.at)
}

function readQuoted(reader: Reader): string {
  const { text, at, line } = reader
  let end = text.indexOf('"', at + 1)
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  if (end < 0) throw noCsv(line, 'a quote that is never closed')
  const inside = text.slice(at + 1, end)
  for (let next = inside.indexOf('\n'); next >= 0; next = inside.indexOf('\n', next + 1)) reader.line++
  reader.at = end + 1
  return inside.includes('"') ? inside.replaceAll('""', '"') : inside
}

/** Steps over what is behind a cell. False behind the last one of its row. */
function hasMore(reader: Reader): boolean {
  const { text, at } = reader
  if (text[at] === ',') {
    reader.at++
    return true
  }
  if (at === text.length) return false
  const end = text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1
  if (text[at + end - 1] !== '\n') {
    throw noCsv(
      reader.line,
      text[at] === '\r' ? 'a carriage return without a line feed' : 'text behind a closing quote',
    )
  }
  reader.at += end
  reader.line++
  return false
}

export function noCsv(line: number, what: string): Failure {
  return new Failure('body_malformed', `Request body is not valid CSV: ${what}, in line ${line}`)
}
