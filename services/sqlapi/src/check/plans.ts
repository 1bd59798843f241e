/**
 * What a database has planned for the statements of a file -> remarks about large tables that are read as a whole.
 * Pure.
 */
import { dialects } from '../dialects.ts'
import type { TableScan } from '../description.ts'
import type { Remark } from '../findings/finding.ts'
import type { Dialect, Statement } from '../model.ts'
import { Reading } from '../rules/reading.ts'

/** Reading fewer rows takes no time worth a remark. */
const largeTableRows = 100_000

export function slowPlans(statement: Statement, dialect: Dialect, scans: readonly TableScan[]): Remark[] {
  const large = new Map(scans.filter(({ rows }) => rows > largeTableRows).map(({ table, rows }) => [table, rows]))
  if (large.size === 0) return []
  const reading = new Reading(statement, dialects[dialect].grammar)
  return Array.from(large, ([table, rows]): Remark => {
    const named = reading.tokens.findIndex((_, index) => reading.nameAt(index) === table.toLowerCase())
    const { line, column } = reading.positionOf(Math.max(named, 0))
    const message = `the plan reads all of ${table}, some ${rows} rows by the database's estimate`
    return { code: 'slow-plan', line, column, message }
  })
}
