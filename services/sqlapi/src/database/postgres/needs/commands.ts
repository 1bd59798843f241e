/**
 * The tree of a command that the server prepares without a look at what it names -> what has to be there. A table over
 * kinds of commands; the parser's own names. Pure.
 */
import { type Fields, fields, list, type Need, namesOfQueries, qualified, table, textOf, walk } from './needs.ts'

export interface CommandNeeds {
  readonly needs: readonly Need[]
  /** More has to be there than is in the list. */
  readonly isPartial: boolean
}

/** Nothing for statements that the server analyses when it prepares them. */
export function commandNeeds(tree: unknown): CommandNeeds | undefined {
  const [[kind, value] = ['', undefined]] = Object.entries(fields(tree))
  if (analysed.has(kind)) return undefined
  const node = fields(value)
  const known = commands[kind]?.(node)
  if (known !== undefined) return { needs: known, isPartial: holdsMore(node) }
  if (harmless.has(kind) && !/ROLLBACK_TO|RELEASE|PREPARED/.test(textKind(node))) return { needs: [], isPartial: false }
  return { needs: allTables(node), isPartial: true }
}

function textKind({ kind }: Fields): string {
  return typeof kind === 'string' ? kind : ''
}

const analysed = new Set(
  'SelectStmt InsertStmt UpdateStmt DeleteStmt MergeStmt ExplainStmt DeclareCursorStmt CallStmt VariableShowStmt'.split(
    ' ',
  ),
)

/** Commands that name nothing in the catalogue. */
const harmless = new Set('TransactionStmt NotifyStmt ListenStmt UnlistenStmt DiscardStmt CheckPointStmt'.split(' '))

const commands: Readonly<Record<string, (node: Fields) => Need[] | undefined>> = {
  TruncateStmt: ({ relations }) => ranges(relations).map((range) => table(range, 'TRUNCATE', [], { kinds: 'rpf' })),
  LockStmt: ({ relations, mode }) =>
    ranges(relations).map((range) => table(range, mode === accessShare ? `SELECT, ${lockRights}` : lockRights)),
  VacuumStmt: ({ rels }) =>
    list(rels).map((rel): Need => {
      const { relation, va_cols: columns } = fields(fields(rel)['VacuumRelation'])
      return table(relation, 'ANALYZE', [], { existing: list(columns).map((each) => textOf(each) ?? '') })
    }),
  ReindexStmt: ({ kind, relation }) =>
    relation === undefined
      ? undefined
      : [{ ...table(relation, 'MAINTAIN'), ...kindOf(kind === 'REINDEX_OBJECT_INDEX') }],
  ClusterStmt: ({ relation }) => (relation === undefined ? [] : [table(relation, 'MAINTAIN')]),
  ViewStmt: (node) => [...place(node['view']), ...allTables(node)],
  RefreshMatViewStmt: ({ relation }) => [{ ...table(relation, 'MAINTAIN'), kinds: 'm' }],
  CreateTableAsStmt: ({ into, if_not_exists: isOptional }) => free(fields(into)['rel'], isOptional),
  CreateStmt: ({ relation, if_not_exists: isOptional, tableElts: elements, constraints, inhRelations: parents }) => [
    ...free(relation, isOptional),
    ...list(elements).flatMap((each) => typeNeed(fields(fields(each)['ColumnDef'])['typeName'])),
    ...referenced(elements),
    ...referenced(constraints),
    ...ranges(parents).map((range) => table(range)),
    ...list(elements).flatMap((each) => likeTable(fields(each)['TableLikeClause'])),
  ],
  CreateSeqStmt: ({ sequence, if_not_exists: isOptional }) => free(sequence, isOptional),
  AlterSeqStmt: ({ sequence, missing_ok: isOptional }) =>
    isOptional === true ? [] : [{ ...table(sequence, 'OWNER'), kinds: 'S' }],
  DropStmt: ofDrop,
  DropRoleStmt: ({ roles, missing_ok: isOptional }) => (isOptional === true ? [] : rolesIn(roles)),
  GrantStmt: ofGrant,
  GrantRoleStmt: ({ granted_roles: granted, grantee_roles: grantees }) => [
    ...list(granted).map((each): Need => ({
      what: 'role',
      name: String(fields(fields(each)['AccessPriv'])['priv_name']),
    })),
    ...rolesIn(grantees),
  ],
  IndexStmt: ({ relation, indexParams: parameters, idxname: name, if_not_exists: isOptional }) => {
    const of = table(relation, 'OWNER')
    const columns = list(parameters).flatMap((each) => nameIn(each, 'IndexElem'))
    const isNamed = typeof name === 'string' && isOptional !== true
    return [
      { ...of, kinds: 'rpm', existing: columns },
      ...(isNamed ? [{ what: 'free', schema: of.schema, of: of.name, name } as const] : []),
    ]
  },
  AlterTableStmt: ({ relation, missing_ok: isOptional, cmds }) =>
    isOptional === true ? [] : [{ ...table(relation, 'OWNER'), existing: alteredColumns(cmds) }],
  RenameStmt: ({ renameType, relation, subname, missing_ok: isOptional }) => {
    if (relation === undefined || isOptional === true) return []
    return [{ ...table(relation, 'OWNER'), existing: renameType === 'OBJECT_COLUMN' ? [String(subname)] : [] }]
  },
  CommentStmt: ofComment,
  CreateTrigStmt: ({ relation, funcname }) => {
    const [schema, name] = qualified(funcname)
    return [table(relation, 'TRIGGER'), { what: 'function', schema, name }]
  },
  VariableSetStmt: ({ kind, name, args }) => {
    if (kind !== 'VAR_SET_VALUE' && kind !== 'VAR_SET_DEFAULT' && kind !== 'VAR_RESET') return []
    const role = name === 'role' ? fields(fields(fields(list(args)[0])['A_Const'])['sval'])['sval'] : undefined
    if (typeof role === 'string' && role !== 'none') return [{ what: 'role', name: role, right: 'MEMBER' }]
    return [{ what: 'setting', name: String(name) }]
  },
}

const accessShare = 1
const lockRights = 'INSERT, UPDATE, DELETE, TRUNCATE'

function ofDrop({ removeType, objects, missing_ok: isOptional }: Fields): Need[] | undefined {
  if (isOptional === true) return []
  const kinds = relationKinds[String(removeType)]
  if (kinds === undefined && !functions.has(String(removeType)) && !others.has(String(removeType))) return undefined
  return list(objects).flatMap((object): Need[] => {
    if (kinds !== undefined)
      return [{ what: 'table', right: 'OWNER', kinds, ...toName(list(fields(fields(object)['List'])['items'])) }]
    if (removeType === 'OBJECT_SCHEMA') return [{ what: 'schema', name: textOf(object) ?? '', right: 'OWNER' }]
    const called = fields(fields(object)['ObjectWithArgs'])['objname']
    return called === undefined
      ? typeNeed(fields(object)['TypeName'], 'OWNER')
      : [{ what: 'function', ...toName(list(called)) }]
  })
}

const relationKinds: Readonly<Record<string, string>> = {
  OBJECT_TABLE: 'rp',
  OBJECT_VIEW: 'v',
  OBJECT_MATVIEW: 'm',
  OBJECT_SEQUENCE: 'S',
  OBJECT_INDEX: 'iI',
  OBJECT_FOREIGN_TABLE: 'f',
}

const others = new Set(['OBJECT_SCHEMA', 'OBJECT_TYPE', 'OBJECT_DOMAIN'])
const functions = new Set(['OBJECT_FUNCTION', 'OBJECT_PROCEDURE', 'OBJECT_ROUTINE', 'OBJECT_AGGREGATE'])

function ofGrant({ targtype, objtype, objects, grantees }: Fields): Need[] {
  const roles = rolesIn(grantees)
  if (targtype !== 'ACL_TARGET_OBJECT') return roles
  const needs = list(objects).flatMap((object): Need[] => {
    const { RangeVar: range, ObjectWithArgs: called } = fields(object)
    if (range !== undefined) return [table(range, anyRight)]
    if (called !== undefined) return [{ what: 'function', ...toName(list(fields(called)['objname'])) }]
    return objtype === 'OBJECT_SCHEMA' ? [{ what: 'schema', name: textOf(object) ?? '' }] : []
  })
  return [...needs, ...roles]
}

/** A role that has none at all on a table may not grant any. */
const anyRight = 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'

function ofComment({ objtype, object }: Fields): Need[] | undefined {
  const names = list(fields(fields(object)['List'])['items'])
  const kinds = relationKinds[String(objtype)]
  if (kinds !== undefined) return [{ what: 'table', right: 'OWNER', kinds, ...toName(names) }]
  if (objtype === 'OBJECT_SCHEMA') return [{ what: 'schema', name: textOf(object) ?? '' }]
  if (objtype !== 'OBJECT_COLUMN') return undefined
  return [{ what: 'table', right: 'OWNER', ...toName(names.slice(0, -1)), existing: [textOf(names.at(-1)) ?? ''] }]
}

/** Expressions and changes that nobody has looked at. */
function holdsMore(node: Fields): boolean {
  let holds = false
  walk(node, (key, part) => {
    holds ||= ['ColumnRef', 'FuncCall', 'SubLink', 'ObjectWithArgs', 'def', 'query'].includes(key)
    holds ||= key === 'AlterTableCmd' && !ofColumn.test(String(part['subtype']))
  })
  return holds
}

const ofColumn = /^AT_(?:DropColumn|AlterColumnType|ColumnDefault|(?:Set|Drop)NotNull)$/

function toName(names: readonly unknown[]): Pick<Need, 'schema' | 'name'> {
  const [schema, name] = qualified(names)
  return { schema, name }
}

function free(range: unknown, isOptional: unknown): Need[] {
  const { relpersistence } = fields(range)
  if (relpersistence === 't') return []
  return isOptional === true ? place(range) : [{ ...table(range), what: 'free' }]
}

function place(range: unknown): Need[] {
  return fields(range)['relpersistence'] === 't' ? [] : [{ ...table(range), what: 'place' }]
}

function likeTable(clause: unknown): Need[] {
  return clause === undefined ? [] : [table(fields(clause)['relation'], 'SELECT')]
}

function rolesIn(specs: unknown): Need[] {
  return list(specs).flatMap((each): Need[] => {
    const { roletype, rolename } = fields(fields(each)['RoleSpec'])
    return roletype === 'ROLESPEC_CSTRING' ? [{ what: 'role', name: String(rolename) }] : []
  })
}

function ranges(nodes: unknown): unknown[] {
  return list(nodes).map((each) => fields(each)['RangeVar'])
}

function nameIn(node: unknown, kind: string): string[] {
  const { name } = fields(fields(node)[kind])
  return typeof name === 'string' ? [name] : []
}

function kindOf(isIndex: boolean): Pick<Need, 'kinds'> {
  return isIndex ? { kinds: 'iI' } : { kinds: 'rpm' }
}

function typeNeed(type: unknown, right?: string): Need[] {
  const { names: parts, pct_type: isOfColumn } = fields(type)
  const names = list(parts)
  const isMadeUp = isOfColumn === true || /^(?:small|big)?serial[248]?$/.test(textOf(names.at(-1)) ?? '')
  return names.length === 0 || isMadeUp
    ? []
    : [{ what: 'type', ...toName(names), ...(right !== undefined && { right }) }]
}

/** Tables of REFERENCES. */
function referenced(nodes: unknown): Need[] {
  const needs: Need[] = []
  walk(nodes, (key, node) => key === 'pktable' && needs.push(table(node)))
  return needs
}

/** Columns that the commands want to be there. */
function alteredColumns(cmds: unknown): string[] {
  return list(cmds).flatMap((each) => {
    const { subtype, missing_ok: isOptional } = fields(fields(each)['AlterTableCmd'])
    return ofColumn.test(String(subtype)) && isOptional !== true ? nameIn(each, 'AlterTableCmd') : []
  })
}

/** Of commands that are not in the table: every table that is in them, except what they make. */
function allTables(node: Fields): Need[] {
  const queries = namesOfQueries(node)
  const needs: Need[] = []
  walk(node, (key, range) => {
    const isName = range['relname'] !== undefined && key !== 'view' && key !== 'typevar'
    if (isName && (range['schemaname'] !== undefined || !queries.has(range['relname']))) needs.push(table(range))
  })
  return needs
}
