/**
 * The tree of a statement -> what the role needs that runs it: rights on tables, columns, functions and sequences.
 * PostgreSQL asks for these only when the statement runs. Only what is certain is in the list: a column whose table is
 * in doubt is left out. What commands need besides is in commands.ts. Pure.
 */

/** Something in the catalogue that a statement cannot run without. */
export interface Need {
  /** `place` is where something is to be made, and `free` a name there that no relation may have yet. */
  readonly what: 'table' | 'free' | 'place' | 'schema' | 'role' | 'type' | 'function' | 'setting'
  readonly schema?: string | undefined
  readonly name: string
  /** Privileges, any of which is enough; OWNER, MAINTAIN and ANALYZE are ours. */
  readonly right?: string
  /** Columns that need the right, each by itself; `*` is all of them. Others than the table's do not count. */
  readonly columns?: readonly string[]
  /** Columns that must exist. */
  readonly existing?: readonly string[]
  /** What a table has to be, as `pg_class.relkind` has it. */
  readonly kinds?: string
  /** A row is sure to be inserted, with the defaults of the other columns. */
  readonly isFilled?: boolean
  /** The table in whose schema the name has to be free. */
  readonly of?: string
}

/** A part of a tree, as the parser gives it. */
export type Fields = Readonly<Record<string, unknown>>

/** Rights of statements that the server has analysed, so that all names in it exist. */
export function needsOf(tree: unknown): Need[] {
  const queries = namesOfQueries(tree)
  const needs: Need[] = []
  walk(tree, (kind, node) => {
    const ofKind = isPartOfUnion(kind, node) ? ofSelect : byKind[kind]
    const levelNeeds = ofKind?.(node) ?? []
    needs.push(
      ...levelNeeds.filter(({ what, schema, name }) => what !== 'table' || schema !== undefined || !queries.has(name)),
    )
  })
  return needs
}

function isPartOfUnion(key: string, node: Fields): boolean {
  return (key === 'larg' || key === 'rarg') && node['targetList'] !== undefined
}

/** Tables, views and foreign tables take rows; materialized views and sequences take none. */
const changeable = { kinds: 'rpvf' }

const byKind: Readonly<Record<string, (node: Fields) => Need[]>> = {
  SelectStmt: ofSelect,
  InsertStmt: ofInsert,
  UpdateStmt: (node) => [
    table(node['relation'], 'UPDATE', targets(node['targetList']), changeable),
    ...reads(node, [node['relation'], ...list(node['fromClause'])]),
    ...sources(node['fromClause']),
  ],
  DeleteStmt: (node) => [
    table(node['relation'], 'DELETE', [], changeable),
    ...reads(node, [node['relation'], ...list(node['usingClause'])]),
    ...sources(node['usingClause']),
  ],
  MergeStmt: ofMerge,
  FuncCall: ofFunction,
  CallStmt: ({ funccall }) => ofFunction(fields(funccall)),
}

function ofSelect(node: Fields): Need[] {
  const from = list(node['fromClause'])
  const tables = from.flatMap(tablesIn)
  const locks = list(node['lockingClause']).flatMap((each) => {
    const named = list(fields(fields(each)['LockingClause'])['lockedRels']).map((rel) =>
      nameOf(fields(fields(rel)['RangeVar'])),
    )
    return tables.filter((each) => named.length === 0 || named.includes(aliasOf(each)))
  })
  const aliases = targets(node['targetList'])
  return [
    ...sources(from),
    ...joined(from),
    ...reads(node, from, aliases),
    ...locks.map((each) => table(each, 'UPDATE')),
  ]
}

function ofInsert(node: Fields): Need[] {
  const { relation, selectStmt } = node
  const columns = targets(node['cols'])
  const isFilled = selectStmt === undefined || (columns.length > 0 && hasValues(selectStmt))
  const { action, targetList, infer } = fields(node['onConflictClause'])
  const inferred = list(fields(infer)['indexElems']).flatMap((each) => fields(fields(each)['IndexElem'])['name'] ?? [])
  return [
    table(relation, 'INSERT', columns, { isFilled, ...changeable }),
    ...(action === 'ONCONFLICT_UPDATE' ? [table(relation, 'UPDATE', targets(targetList))] : []),
    ...(inferred.length > 0 ? [table(relation, 'SELECT', inferred as string[])] : []),
    ...reads(node, [relation]),
  ]
}

function hasValues(select: unknown): boolean {
  return list(fields(fields(select)['SelectStmt'])['valuesLists']).length > 0
}

const actions: Readonly<Record<string, string>> = { CMD_UPDATE: 'UPDATE', CMD_INSERT: 'INSERT', CMD_DELETE: 'DELETE' }

function ofMerge(node: Fields): Need[] {
  const { relation, sourceRelation } = node
  const changes = list(node['mergeWhenClauses']).flatMap((each) => {
    const { commandType, targetList } = fields(fields(each)['MergeWhenClause'])
    const right = actions[String(commandType)]
    return right === undefined ? [] : [table(relation, right, targets(targetList))]
  })
  return [...changes, ...sources([sourceRelation]), ...reads(node, [relation, sourceRelation])]
}

const sequenceRights: Readonly<Record<string, string>> = {
  nextval: 'USAGE, UPDATE',
  currval: 'USAGE, SELECT',
  setval: 'UPDATE',
}
const plainName = /^[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)?$/

function ofFunction(node: Fields): Need[] {
  const [schema, name] = qualified(node['funcname'])
  const called: Need = { what: 'function', schema, name, right: 'EXECUTE' }
  const right = sequenceRights[name]
  const constant = fields(fields(fields(list(node['args'])[0])['A_Const'])['sval'])['sval']
  if (right === undefined || typeof constant !== 'string' || !plainName.test(constant)) return [called]
  const [first = '', second] = constant.split('.')
  const sequence: Need = {
    what: 'table',
    schema: second === undefined ? undefined : first,
    name: second ?? first,
    right,
  }
  return [called, sequence]
}

/** What is read from has to be readable at all. */
function sources(from: unknown): Need[] {
  return list(from)
    .flatMap(tablesIn)
    .map((each) => table(each, 'SELECT'))
}

/** Columns by which tables are joined. */
function joined(from: unknown): Need[] {
  return list(from).flatMap((item) => {
    const { JoinExpr: join } = fields(item)
    if (join === undefined) return []
    const { usingClause, larg, rarg } = fields(join)
    const names = list(usingClause).flatMap((each) => textOf(each) ?? [])
    const sides = [larg, rarg].flatMap((side) => fields(side)['RangeVar'] ?? [])
    const own = names.length === 0 ? [] : sides.map((side) => table(side, 'SELECT', names))
    return own.concat(joined([larg, rarg]))
  })
}

/** Columns that a level of a statement names, by their tables; not those of queries inside of it. */
function reads(node: Fields, from: readonly unknown[], aliases: readonly string[] = []): Need[] {
  const tables = from.flatMap(tablesIn)
  const isOnly = tables.length === 1 && from.length === 1 && (from[0] === tables[0] || 'RangeVar' in fields(from[0]))
  const columns = new Map<Fields, string[]>()
  const own = new Set(aliases)
  walkLevel(node, (parts) => {
    const column = parts.at(-1) as string
    const of = parts.length === 2 ? tables.filter((each) => aliasOf(each) === parts[0]) : tables
    const isCertain = parts.length === 2 ? of.length === 1 : parts.length === 1 && (isOnly || column === '*')
    if (!isCertain || (parts.length === 1 && own.has(column))) return
    for (const each of of) columns.set(each, [...(columns.get(each) ?? []), column])
  })
  return Array.from(columns, ([each, names]) => table(each, 'SELECT', names))
}

/** Parts of trees that have columns of their own. */
const inner = new Set(['subselect', 'subquery', 'ctequery', 'selectStmt', 'larg', 'rarg', 'withClause'])

function walkLevel(value: unknown, visit: (parts: readonly string[]) => void): void {
  for (const [key, part] of Object.entries(fields(value))) {
    if (key === 'ColumnRef') visit(list(fields(part)['fields']).map((each) => textOf(each) ?? '*'))
    else if (!inner.has(key) || 'jointype' in fields(value)) walkLevel(part, visit)
  }
}

/** Tables in an item of a FROM. */
function tablesIn(item: unknown): Fields[] {
  const { RangeVar: range, JoinExpr: join, RangeTableSample: sample, relname } = fields(item)
  if (relname !== undefined) return [fields(item)]
  if (range !== undefined) return [fields(range)]
  if (join !== undefined) return [fields(join)['larg'], fields(join)['rarg']].flatMap(tablesIn)
  return sample === undefined ? [] : tablesIn(fields(sample)['relation'])
}

export function table(
  range: unknown,
  right?: string,
  columns: readonly string[] = [],
  more: Pick<Need, 'existing' | 'kinds' | 'isFilled'> = {},
): Need {
  const { schemaname, relname } = fields(range)
  return {
    what: 'table',
    schema: schemaname as string | undefined,
    name: String(relname),
    ...(right !== undefined && { right }),
    ...(columns.length > 0 && { columns }),
    ...more,
  }
}

function aliasOf(range: Fields): unknown {
  return fields(range['alias'])['aliasname'] ?? nameOf(range)
}

function nameOf({ relname }: Fields): unknown {
  return relname
}

function targets(nodes: unknown): string[] {
  return list(nodes).flatMap((each) => (fields(fields(each)['ResTarget'])['name'] as string | undefined) ?? [])
}

/** Of all queries in WITH, wherever they are. */
export function namesOfQueries(tree: unknown): ReadonlySet<unknown> {
  const names = new Set<unknown>()
  walk(tree, (_, { ctename }) => ctename !== undefined && names.add(ctename))
  return names
}

/** Schema, if there is one, and name. */
export function qualified(names: unknown): [schema: string | undefined, name: string] {
  const parts = list(names).map((each) => textOf(each) ?? '')
  return [parts.at(-2), parts.at(-1) ?? '']
}

export function textOf(node: unknown): string | undefined {
  return fields(fields(node)['String'])['sval'] as string | undefined
}

/** Each part that has a kind or a key of its own. */
export function walk(value: unknown, visit: (key: string, node: Fields) => void): void {
  for (const [key, part] of Object.entries(fields(value))) {
    if (typeof part !== 'object' || part === null) continue
    if (!Array.isArray(part) && Number.isNaN(Number(key))) visit(key, part as Fields)
    walk(part, visit)
  }
}

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
