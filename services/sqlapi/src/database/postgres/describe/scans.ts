/**
 * Statements -> the tables that their plans read as a whole. Plans are made in a transaction that only reads, because
 * planning may call functions, and for no values in particular.
 */
import type { TableScan } from '../../../description.ts'
import type { Statement } from '../../../model.ts'
import { toArrayText } from '../types/arrays.ts'
import type { Session } from '../sessions/session.ts'
import { findTypesOf, toServerError, type Typed } from './types.ts'

const begin = `BEGIN READ ONLY; SET LOCAL lock_timeout = '2s'; SET LOCAL plan_cache_mode = force_generic_plan`

export async function findScans(session: Session, statements: readonly Statement[]): Promise<TableScan[][]> {
  const outcomes = await Promise.all(statements.map((statement) => findTypesOf(session, statement)))
  const plans: PlanNode[][] = []
  await session.begin(begin)
  try {
    for (const outcome of outcomes) plans.push('typed' in outcome ? await planOf(session, outcome.typed) : [])
  } finally {
    await session.command('ROLLBACK')
  }
  const tables = plans.map((plan) => plan.flatMap((node) => wholeTables(node, undefined)))
  const rows = await askForRows(session, [...new Set(tables.flat().map(({ table }) => table))])
  return tables.map((own) =>
    own.map(({ table, rows: planned }) => ({ table, rows: Math.max(planned, rows.get(table) ?? 0) })),
  )
}

/** As `EXPLAIN (FORMAT JSON)` has it. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Plan Rows'?: number
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

const name = 'sqlapi_explained'

/** Nothing for what has no plan: a command, or a statement that cannot be planned after all. */
async function planOf(session: Session, { text, types }: Typed): Promise<PlanNode[]> {
  await session.command('SAVEPOINT sqlapi_explain')
  try {
    const { parameters } = await session.prepareText(text, types, name)
    const values = parameters.length === 0 ? '' : `(${parameters.map(() => 'NULL').join(', ')})`
    const rows = await session.list(`EXPLAIN (FORMAT JSON) EXECUTE ${name}${values}`, [])
    const plans = JSON.parse(rows.flat().join('\n')) as { Plan: PlanNode }[]
    return plans.map(({ Plan: node }) => node)
  } catch (error) {
    toServerError(error)
    return []
  } finally {
    await session.command('ROLLBACK TO SAVEPOINT sqlapi_explain')
    // Prepared statements outlive their transaction.
    await session.command(`DEALLOCATE ${name}`).catch(() => session.command('ROLLBACK TO SAVEPOINT sqlapi_explain'))
  }
}

function wholeTables(node: PlanNode, above: PlanNode | undefined): TableScan[] {
  const { 'Node Type': type, 'Relation Name': table, 'Plan Rows': rows = 0, Filter: filter, Plans: below = [] } = node
  // The first rows of a table are not all of it.
  const isCut = above?.['Node Type'] === 'Limit' && filter === undefined
  const own = type === 'Seq Scan' && table !== undefined && !isCut ? [{ table, rows }] : []
  return [...own, ...below.flatMap((child) => wholeTables(child, node))]
}

const rowsQuery = `
SELECT relname, max(reltuples)::bigint FROM pg_catalog.pg_class
WHERE relname = ANY ($1::text[]) AND relkind IN ('r', 'm', 'p') GROUP BY relname`

/** What is left of a table behind a condition says nothing of what was read; that is how many rows the table has. */
async function askForRows(session: Session, tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (tables.length === 0) return new Map()
  const rows = await session.list(rowsQuery, [toArrayText(tables)])
  return new Map(rows.map(([table, count]) => [table ?? '', Number(count)]))
}
