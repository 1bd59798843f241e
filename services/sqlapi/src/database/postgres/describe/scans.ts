/**
 * Statements -> the tables that their plans read as a whole, and why one that can be prepared has no plan. Plans are
 * made in a transaction that only reads, because planning calls immutable functions, and for no values in particular.
 */
import type { StatementPlan, TableScan } from '../../../description.ts'
import type { Statement } from '../../../model.ts'
import { toArrayText } from '../types/arrays.ts'
import type { Session } from '../sessions/session.ts'
import type { ServerError } from '../wire/frames.ts'
import { toFailed } from './mistakes.ts'
import { findTypesOf, toServerError, type Typed } from './types.ts'

const begin = `BEGIN READ ONLY; SET LOCAL lock_timeout = '2s'; SET LOCAL plan_cache_mode = force_generic_plan`

export async function makePlans(session: Session, statements: readonly Statement[]): Promise<StatementPlan[]> {
  const outcomes = await Promise.all(statements.map((statement) => findTypesOf(session, statement)))
  const plans: Plan[] = []
  await session.begin(begin)
  try {
    for (const [index, outcome] of outcomes.entries()) {
      const statement = statements[index] as Statement
      plans.push('typed' in outcome ? await planOf(session, statement, outcome.typed) : { nodes: [] })
    }
  } finally {
    await session.command('ROLLBACK')
  }
  const tables = plans.map(({ nodes }) => nodes.flatMap((node) => wholeTables(node, undefined)))
  const rows = await askForRows(session, [...new Set(tables.flat().map(({ table }) => table))])
  return plans.map(({ failure }, index) => ({
    scans: (tables[index] ?? []).map(({ table, rows: planned }) => {
      return { table, rows: Math.max(planned, rows.get(table) ?? 0) }
    }),
    failure,
  }))
}

interface Plan extends Pick<StatementPlan, 'failure'> {
  readonly nodes: readonly PlanNode[]
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

/** Without nodes for a command, which has no plan. */
async function planOf(session: Session, statement: Statement, { text, types }: Typed): Promise<Plan> {
  await session.command('SAVEPOINT sqlapi_explain')
  try {
    const { parameters } = await session.prepareText(text, types, name)
    const values = parameters.length === 0 ? '' : `(${parameters.map(() => 'NULL').join(', ')})`
    const rows = await session.list(`EXPLAIN (FORMAT JSON) EXECUTE ${name}${values}`, [])
    const plans = JSON.parse(rows.flat().join('\n')) as (string | { readonly Plan?: PlanNode })[]
    return { nodes: plans.flatMap((plan) => (typeof plan === 'string' ? [] : (plan.Plan ?? []))) }
  } catch (error) {
    return { nodes: [], ...whyNoPlan(toServerError(error), statement) }
  } finally {
    await session.command('ROLLBACK TO SAVEPOINT sqlapi_explain')
    // Prepared statements outlive their transaction.
    await session.command(`DEALLOCATE ${name}`).catch(() => session.command('ROLLBACK TO SAVEPOINT sqlapi_explain'))
  }
}

/** SQLSTATE or its class -> what to do, if the server has no hint of its own. */
const hints: readonly (readonly [prefix: string, hint: string])[] = [
  ['42P10', 'create a unique index on the columns of ON CONFLICT, or name columns that have one'],
  ['22', 'correct the constants: the database computes with them before there are any rows'],
]

/**
 * Nothing if the statement may run all the same: a constant is folded with the values beside it, and a function that
 * was called for an estimate may not be called for the rows.
 */
function whyNoPlan(error: ServerError, statement: Statement): Pick<StatementPlan, 'failure'> {
  const { code = '', context } = error
  if (context !== undefined || (code.startsWith('22') && statement.names.length > 0)) return {}
  const refusal = { error, isUnknownFunction: false, hasTypeInQuestion: false, isUndecided: false }
  const failure = toFailed(refusal, statement)
  if (failure.outcome !== 'failed') return {}
  const { hint = hints.find(([prefix]) => code.startsWith(prefix))?.[1] } = failure
  // A wrong kind of object, which is a matter of types only while a statement is prepared.
  return { failure: { ...failure, hint, mistake: code.startsWith('42809') ? 'syntax' : failure.mistake } }
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
