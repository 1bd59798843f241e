/** A name that a database does not know -> the cure, if what the database has shows which name was meant. Pure. */
import { nearest } from '@services/config-file'
import type { CatalogNames, Mistake } from '../description.ts'
import type { Dialect, Statement } from '../model.ts'
import { dialects } from '../dialects.ts'
import type { Position } from '../sql/position.ts'
import { Reading } from '../rules/reading.ts'

export interface UnknownName {
  readonly mistake: Mistake
  /** The database's own words. */
  readonly message: string
  /** Where the database has found the name in the file. */
  readonly at: Position
  readonly names: CatalogNames
}

export function cureOfName(
  statement: Statement,
  dialect: Dialect,
  { mistake, message, at, names }: UnknownName,
): string | undefined {
  const reading = new Reading(statement, dialects[dialect].grammar)
  const first = reading.tokens.findIndex((_, index) => {
    const { line, column } = reading.positionOf(index)
    return line === at.line && column === at.column
  })
  if (first === -1) return undefined
  const wanted = qualifiedName(reading, first)
  const said = message.toLowerCase()
  // What is missing may stand elsewhere, as in the text of a view.
  if (!wanted.some((part) => said.includes(part.replaceAll("'", '')))) return undefined
  if (mistake === 'unknown-table' && wanted.length > 1 && !said.includes(wanted.join('.'))) {
    return `add ${wanted[0]} to FROM, or write the name or alias that stands there`
  }
  const meant = nearestName(reading, wanted, mistake, names)
  if (meant === undefined) return undefined
  const shown = meant
    .split('.')
    .map((part) => asWritten(part, dialect))
    .join('.')
  return shown === wanted.join('.') ? undefined : `did you mean ${shown}?`
}

function nearestName(
  reading: Reading,
  wanted: readonly string[],
  mistake: Mistake,
  names: CatalogNames,
): string | undefined {
  switch (mistake) {
    case 'unknown-table':
      return ofAnySchema(
        wanted,
        names.tables.map(({ name }) => name),
      )
    case 'unknown-function':
      return ofAnySchema(wanted, names.functions)
    case 'unknown-name':
      return nearest(wanted.join('.'), names.others)
    case 'unknown-column':
      return nearestColumn(reading, wanted, names)
    default:
      return undefined
  }
}

/** A name that a database would take for another one needs quotes. Types of several words need none. */
function asWritten(part: string, dialect: Dialect): string {
  const isPlain = dialects[dialect].grammar.foldsNames ? /^[a-z_][a-z0-9_$ ]*$/ : /^[a-z_][a-z0-9_$]*$/i
  return isPlain.test(part) ? part : `"${part}"`
}

/** The parts of `a.b.c` that begins with this token. */
function qualifiedName(reading: Reading, first: number): string[] {
  const parts = [reading.nameAt(first)]
  for (let at = first; reading.textAt(at + 1) === '.'; at += 2) parts.push(reading.nameAt(at + 2))
  return parts
}

/** One of the same name in another schema, else one that is spelled alike. */
function ofAnySchema(wanted: readonly string[], known: readonly string[]): string | undefined {
  const name = wanted.at(-1) ?? ''
  const elsewhere = known.filter((each) => each.toLowerCase().endsWith(`.${name}`))
  return elsewhere.length === 1 ? elsewhere[0] : nearest(wanted.join('.'), known)
}

/** Of the tables that the statement mentions. */
function nearestColumn(reading: Reading, wanted: readonly string[], { tables }: CatalogNames): string | undefined {
  const mentioned = new Set(reading.tokens.map((_, index) => reading.nameAt(index)))
  const near = tables.filter(({ name }) => mentioned.has(lastPart(name)))
  const name = wanted.at(-1) ?? ''
  const owner = near.find(({ columns }) => columns.some((column) => column.toLowerCase() === name))
  if (owner !== undefined && wanted.length > 1) return `${aliasOf(reading, lastPart(owner.name))}.${name}`
  return nearest(
    name,
    near.flatMap(({ columns }) => columns),
  )
}

function lastPart(name: string): string {
  return (name.split('.').at(-1) as string).toLowerCase()
}

const beforeTable = new Set(['FROM', 'JOIN', 'INTO', 'UPDATE', ''])
const noAlias = new Set(
  'AS CROSS EXCEPT FETCH FOR FULL GROUP HAVING INNER INTERSECT JOIN LEFT LIMIT NATURAL OFFSET ON ORDER RETURNING RIGHT SET UNION USING VALUES WHERE WINDOW'.split(
    ' ',
  ),
)

/** The name by which the statement knows a table: its alias hides its own name. */
function aliasOf(reading: Reading, table: string): string {
  for (const [at] of reading.tokens.entries()) {
    if (reading.nameAt(at) !== table || reading.textAt(at + 1) === '.' || !beforeTable.has(reading.wordAt(at - 1)))
      continue
    const alias = reading.wordAt(at + 1) === 'AS' ? at + 2 : at + 1
    if (reading.wordAt(alias) !== '' && !noAlias.has(reading.wordAt(alias))) return reading.nameAt(alias)
  }
  return table
}
