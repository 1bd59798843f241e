/** A name that a database does not know -> the one that was probably meant, of those that it has. Pure. */
import { nearest } from '@services/config-file'
import type { CatalogNames, Mistake } from '../description.ts'
import type { Dialect, Statement } from '../model.ts'
import { dialects } from '../dialects.ts'
import type { Position } from '../sql/position.ts'
import { Reading } from '../rules/reading.ts'

/** `at` is where the database has found the name in the file. */
export function nearestName(
  statement: Statement,
  dialect: Dialect,
  { mistake, at, names }: { readonly mistake: Mistake; readonly at: Position; readonly names: CatalogNames },
): string | undefined {
  const reading = new Reading(statement, dialects[dialect].grammar)
  const first = reading.tokens.findIndex((_, index) => {
    const { line, column } = reading.positionOf(index)
    return line === at.line && column === at.column
  })
  if (first === -1) return undefined
  const wanted = qualifiedName(reading, first)
  switch (mistake) {
    case 'unknown-table':
      return ofAnySchema(
        wanted,
        names.tables.map(({ name }) => name),
      )
    case 'unknown-function':
      return ofAnySchema(wanted, names.functions)
    case 'unknown-column':
      return nearest(wanted.at(-1) ?? '', columnsNear(reading, names))
    default:
      return undefined
  }
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
function columnsNear(reading: Reading, { tables }: CatalogNames): string[] {
  const mentioned = new Set(reading.tokens.map((_, index) => reading.nameAt(index)))
  return tables.flatMap(({ name, columns }) => {
    return mentioned.has((name.split('.').at(-1) as string).toLowerCase()) ? columns : []
  })
}
