/**
 * A statement -> which columns of its result may be null although they come straight from a column that is not: those
 * from the nullable side of an outer join or from a grouping set, at any depth. The server says from which table a
 * column comes even then. Pure except for the parser. Where it is in doubt, a column may be null.
 *
 * Tables are distinguished by their names: one that occurs twice in a statement, once on a nullable side, may be null
 * in both, unless the column says with its alias which one it means.
 */
import type { InsertStmt, JoinExpr, Node, ReturningClause, SelectStmt } from 'libpg-query'
import { parseSql } from '../parser.ts'

export interface Nullability {
  /** Whether column number `index` of the result may be null, where it comes from a NOT NULL column of this table. */
  mayBeNull(index: number, table: string): boolean
}

const unknown: Nullability = { mayBeNull: () => true }

export async function findNullability(text: string): Promise<Nullability> {
  // The parser's version may not be the server's.
  const nodes = await parseSql(text).catch(() => [])
  const [statement] = nodes
  return statement === undefined || nodes.length > 1 ? unknown : judge(statement)
}

function judge(statement: Node): Nullability {
  const tables = new NullableTables()
  tables.addStatement(statement, outermost)
  if (tables.isDoubtful) return unknown
  const aliases = 'SelectStmt' in statement ? aliasesOf(statement.SelectStmt) : []
  return {
    mayBeNull(index, table) {
      const alias = aliases[index]
      const isNullableAlias = alias === undefined ? undefined : tables.aliases.get(alias)
      return isNullableAlias ?? tables.nullable.has(table)
    },
  }
}

/**
 * For each column the alias before its name; nothing where it has none, or where a star makes it unclear which is
 * which.
 */
function aliasesOf({ targetList = [] }: SelectStmt): readonly (string | undefined)[] {
  const aliases: (string | undefined)[] = []
  for (const target of targetList) {
    const fields = columnFields(target)
    if (fields?.some((field) => field === '*') === true) break
    aliases.push(fields?.length === 2 ? fields[0] : undefined)
  }
  return aliases
}

/** The parts of a plain `a.b` or `a.*`; nothing for an expression. */
function columnFields(target: Node): string[] | undefined {
  const value = 'ResTarget' in target ? target.ResTarget.val : undefined
  if (value === undefined || !('ColumnRef' in value)) return undefined
  return (value.ColumnRef.fields ?? []).map((field) => ('String' in field ? (field.String.sval ?? '') : '*'))
}

/** Where in the statement something is. */
interface Side {
  readonly isNullable: boolean
  /** It can see the tables of the query around it. */
  readonly isLateral: boolean
  /** Directly in the FROM of the whole statement. */
  readonly isTop: boolean
}

const outermost: Side = { isNullable: false, isLateral: false, isTop: true }

/** Collects the tables of a statement that stand at nullable tables. */
class NullableTables {
  /** Names of tables, and of queries in WITH. */
  readonly nullable = new Set<string>()
  /** Aliases in the FROM of the whole statement that stand for tables -> whether they stand on a nullable side. */
  readonly aliases = new Map<string, boolean>()
  isDoubtful = false
  /** Those in WITH, by name. */
  readonly #queries = new Map<string, { readonly query: Node; readonly side: Side }[]>()

  addStatement(node: Node, side: Side): void {
    if ('SelectStmt' in node) this.#addSelect(node.SelectStmt, side)
    else if ('InsertStmt' in node) this.#addChange(node.InsertStmt, [], side)
    else if ('UpdateStmt' in node) this.#addChange(node.UpdateStmt, node.UpdateStmt.fromClause, side)
    else if ('DeleteStmt' in node) this.#addChange(node.DeleteStmt, node.DeleteStmt.usingClause, side)
    // MERGE may give rows without a source, EXECUTE those of a statement that is not here.
    else this.isDoubtful = true
  }

  #addSelect(select: SelectStmt, side: Side): void {
    const { withClause, op, larg, rarg, fromClause = [], groupClause = [] } = select
    this.#addQueries(withClause?.ctes, side)
    const isCompound = op !== undefined && op !== 'SETOP_NONE'
    const isGrouped = groupClause.some((item) => 'GroupingSet' in item)
    const inside = this.#at(side, isCompound || isGrouped)
    for (const part of [larg, rarg]) if (part !== undefined) this.#addSelect(part, { ...inside, isTop: false })
    for (const item of fromClause) this.#addItem(item, inside)
  }

  /**
   * What an INSERT, UPDATE or DELETE gives is a row of its table, except for the old row of an INSERT and the new one
   * of a DELETE.
   */
  #addChange(
    { relation, withClause, returningClause }: Pick<InsertStmt, 'relation' | 'withClause' | 'returningClause'>,
    items: readonly Node[] = [],
    side: Side,
  ): void {
    this.#addQueries(withClause?.ctes, side)
    if (relation?.relname !== undefined)
      this.#addTable(relation.relname, this.#at(side, namesOldOrNew(returningClause)))
    for (const item of items) this.#addItem(item, { ...side, isTop: false })
  }

  #addQueries(queries: readonly Node[] = [], { isLateral }: Side): void {
    const side = { isNullable: false, isTop: false, isLateral }
    for (const each of queries) {
      if (!('CommonTableExpr' in each)) continue
      const { ctename = '', ctequery: query } = each.CommonTableExpr
      if (query === undefined) continue
      this.#queries.set(ctename, [...(this.#queries.get(ctename) ?? []), { query, side }])
      this.addStatement(query, this.#at(side, this.nullable.has(ctename)))
    }
  }

  #addItem(item: Node, side: Side): void {
    if ('JoinExpr' in item) this.#addJoin(item.JoinExpr, side)
    else if ('RangeSubselect' in item) {
      const { lateral, subquery } = item.RangeSubselect
      const inside = { ...side, isTop: false, isLateral: side.isLateral || lateral === true }
      if (subquery !== undefined) this.addStatement(subquery, this.#at(inside, false))
    } else if ('RangeTableSample' in item && item.RangeTableSample.relation !== undefined) {
      this.#addItem(item.RangeTableSample.relation, side)
    } else if ('RangeVar' in item) {
      const { relname = '', alias } = item.RangeVar
      if (side.isTop && !this.#queries.has(relname)) {
        const name = alias?.aliasname ?? relname
        this.aliases.set(name, side.isNullable || this.aliases.get(name) === true)
      }
      this.#addTable(relname, side)
    }
  }

  #addJoin({ jointype, larg, rarg }: JoinExpr, side: Side): void {
    const isLeftNullable = jointype !== 'JOIN_INNER' && jointype !== 'JOIN_LEFT'
    const isRightNullable = jointype !== 'JOIN_INNER' && jointype !== 'JOIN_RIGHT'
    if (larg !== undefined) this.#addItem(larg, this.#at(side, isLeftNullable))
    if (rarg !== undefined) this.#addItem(rarg, this.#at(side, isRightNullable))
  }

  #addTable(name: string, { isNullable }: Side): void {
    if (!isNullable || this.nullable.has(name)) return
    this.nullable.add(name)
    for (const { query, side } of this.#queries.get(name) ?? []) this.addStatement(query, this.#at(side, true))
  }

  #at(side: Side, isNullable: boolean): Side {
    const there = { ...side, isNullable: side.isNullable || isNullable }
    // It may give columns of tables that stand elsewhere.
    if (there.isNullable && there.isLateral) this.isDoubtful = true
    return there
  }
}

/** Whether any part of it begins with `old` or `new`, or with what these are called here. */
function namesOldOrNew({ options = [], exprs = [] }: ReturningClause = {}): boolean {
  const renamed = options.flatMap((option) => ('ReturningOption' in option ? [option.ReturningOption.value ?? ''] : []))
  const tree = JSON.stringify(exprs)
  return ['old', 'new', ...renamed].some((name) =>
    tree.includes(`"fields":[{"String":{"sval":${JSON.stringify(name)}}}`),
  )
}
