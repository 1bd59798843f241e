/**
 * A file -> what can be said against it without a database, by the words of its statements. Pure and total; each rule
 * is a row of `rules`. What is said is certain: where the words leave a doubt, nothing is said.
 */
import type { Position } from '../sql/position.ts'
import { dialects } from '../dialects.ts'
import type { Remark } from '../findings/finding.ts'
import type { Dialect, Endpoint, Script, Statement } from '../model.ts'
import { type ConstantParameter, findConstantParameters } from './constant-parameters.ts'
import { findChanges, temporaryTable } from './data-changes.ts'
import { findForeignPlaceholders, mayBeForeign } from './foreign-placeholders.ts'
import { findListPositions, type ListPosition } from './list-positions.ts'
import { findLostSemicolons, mayLackSemicolon } from './lost-semicolons.ts'
import { findAlikeParameters } from './parameter-case.ts'
import { Reading } from './reading.ts'
import { findLostRows } from './rows-lost.ts'
import { findSchemaChange } from './schema-changes.ts'
import { outsideTransaction, transactionControl } from './transaction-control.ts'
import { findUndeclaredLists, mayTakeList } from './undeclared-lists.ts'

/** The file as this dialect reads it; without a dialect its declarations alone. */
export function judge(endpoint: Endpoint, dialect: Dialect | undefined): Remark[] {
  const declared = (endpoint.declarations?.problems ?? []).map(({ line, column, message, cure }): Remark => {
    return { code: 'declaration', line, column, message, cure }
  })
  const script = dialect === undefined ? undefined : endpoint.scripts[dialect]
  if (dialect === undefined || script === undefined) return declared
  return [...declared, ...judgeScript(endpoint, script, dialect)]
}

function judgeScript(endpoint: Endpoint, script: Script, dialect: Dialect): Remark[] {
  const file = { endpoint, dialect, script, temporary: new Set<string>() }
  const remarks = script.statements.flatMap((statement) => {
    const { refusal } = statement
    // For most statements no rule has a word, and this costs less than reading them: a start does it for all files.
    if (refusal === undefined && !rules.some(({ mayApply }) => mayApply(statement, endpoint))) return []
    const reading = new Reading(statement, dialects[dialect].grammar)
    if (refusal !== undefined) return [refused(reading, statement, refusal)]
    const found = rules.flatMap(({ find }) => find(reading, file))
    // What a statement makes is known to those behind it.
    const made = temporaryTable(reading)
    if (made !== undefined) file.temporary.add(made)
    return found
  })
  const { grammar } = dialects[dialect]
  return [...remarks, ...alikeParameters(script, dialect), ...findLostRows(script, grammar)]
}

function alikeParameters(script: Script, dialect: Dialect): Remark[] {
  return findAlikeParameters(script, dialects[dialect].grammar).map(({ name, other, line, column }) => {
    const message = `:${name} and :${other} are two parameters, because names are case-sensitive`
    return { code: 'parameter-case', line, column, message, cure: `write :${other} if both are the same` }
  })
}

interface JudgedFile {
  readonly endpoint: Endpoint
  readonly dialect: Dialect
  readonly script: Script
  /** Tables that the file has made for itself so far. */
  readonly temporary: Set<string>
}

interface Rule {
  /** Whether the statement has to be read for this rule. False only where `find` would find nothing. */
  readonly mayApply: (statement: Statement, endpoint: Endpoint) => boolean
  readonly find: (reading: Reading, file: JudgedFile) => Remark[]
}

const rules: readonly Rule[] = [
  { mayApply: mayChangeData, find: changesData },
  { mayApply: ({ effect }, { method }) => method === 'GET' && effect !== 'read', find: changesSchema },
  { mayApply: isOfSession, find: controlsTransaction },
  { mayApply: ({ effect }, { transactional }) => transactional && effect !== 'read', find: refusesTransaction },
  { mayApply: mayMisplaceList, find: misplacesList },
  { mayApply: mayNeedList, find: needsList },
  { mayApply: ({ pieces }) => pieces.some((piece) => mayQuote.test(piece)), find: quotesParameter },
  { mayApply: ({ pieces }) => pieces.some((piece) => mayBeForeign.test(piece)), find: findForeignPlaceholders },
  {
    mayApply: ({ pieces }) => pieces.some((piece) => mayLackSemicolon.test(piece)),
    find: (reading, { dialect }) => (dialects[dialect].grammar.arrays ? findLostSemicolons(reading) : []),
  },
  { mayApply: maySortByParameter, find: sortsByParameter },
  { mayApply: isOfSession, find: changesSession },
  {
    mayApply: ({ effect }, { declarations }) => effect !== 'read' && declarations?.replica === true,
    find: missesReplica,
  },
]

/** What can change data under another effect is read for the sake of that effect. */
function mayChangeData({ effect, pieces }: Statement, { method }: Endpoint): boolean {
  if (effect !== 'write') return effect === 'session'
  return method === 'GET' || pieces.some((piece) => wantsWhere.test(piece))
}

const wantsWhere = /\b(?:UPDATE|DELETE)\b/i

function isOfSession({ effect }: Statement): boolean {
  return effect === 'session'
}

function mayMisplaceList({ slots, pieces }: Statement): boolean {
  return slots.some(({ role }) => role === 'value') && pieces.some((piece) => bracket.test(piece))
}

/** In which a list could be. Those around a list that is expanded are not part of the pieces. */
const bracket = /\b(?:IN\s*\(|ARRAY\s*\[)/i

function changesData(reading: Reading, { endpoint, temporary }: JudgedFile): Remark[] {
  const changes = findChanges(reading, temporary).filter(({ isTemporary }) => !isTemporary)
  return changes.flatMap(({ verb, at, table, toAll }) => {
    const position = reading.positionOf(at)
    const remarks: Remark[] = []
    if (endpoint.method === 'GET') remarks.push(writeInGet(verb, position))
    if (toAll !== undefined) {
      const message = `${verb} has no WHERE of its own, so it ${toAll} every row of ${table}`
      remarks.push({ code: 'no-where', ...position, message })
    }
    return remarks
  })
}

function writeInGet(command: string, position: Position): Remark {
  const message = `${command} in a GET file, which browsers and caches take for one that only reads`
  return { code: 'write-in-get', ...position, message }
}

function changesSchema(reading: Reading, { endpoint, script, dialect }: JudgedFile): Remark[] {
  if (endpoint.method !== 'GET') return []
  const change = findSchemaChange(reading, script, dialects[dialect].grammar)
  return change === undefined ? [] : [writeInGet(change.command, reading.positionOf(change.at))]
}

function controlsTransaction(reading: Reading, { endpoint, dialect }: JudgedFile): Remark[] {
  if (!endpoint.transactional) return []
  const words = transactionControl(reading)
  if (words === undefined) return []
  const isBeginning = words === 'BEGIN' || words.startsWith('START')
  const why = isBeginning
    ? `the file is marked, so a transaction has begun already${tells[dialect].secondBegin}`
    : 'the file is marked, and this ends its transaction: what follows commits by itself'
  return [{ code: 'transaction-control', ...reading.positionOf(0), message: `${words}: ${why}` }]
}

function refusesTransaction(reading: Reading, { endpoint }: JudgedFile): Remark[] {
  const words = endpoint.transactional ? outsideTransaction(reading) : undefined
  if (words === undefined) return []
  const message = `${words} cannot run in a transaction, and the file is marked`
  return [{ code: 'transaction-control', severity: 'error', ...reading.positionOf(0), message }]
}

const whyOneValue = {
  others: 'beside others it is one value',
  brackets: 'in brackets of its own it is one value',
  cast: 'with this cast it is one value',
} as const satisfies Record<ListPosition['because'], string>

function misplacesList(reading: Reading, { endpoint, script, dialect }: JudgedFile): Remark[] {
  return findListPositions(reading, listsOf(endpoint, script)).map(({ at, name, because }) => {
    const message = `:${name} is not expanded here if it is a list: ${whyOneValue[because]}`
    const cure = because === 'cast' && dialects[dialect].grammar.arrays ? `write = ANY (:${name}::type[])` : undefined
    const { line, column } = reading.positionOf(at)
    return { code: 'list-position', line, column, message, cure }
  })
}

/** Brackets of a list that is expanded are not part of the pieces. */
function mayNeedList({ slots, pieces }: Statement, { method }: Endpoint): boolean {
  if (method !== 'GET') return false
  return slots.some(({ role }, index) => role === 'in' || role === 'notIn' || mayTakeList.test(pieces[index] ?? ''))
}

function needsList(reading: Reading, { endpoint, dialect }: JudgedFile): Remark[] {
  if (endpoint.method !== 'GET') return []
  return findUndeclaredLists(reading, endpoint.declarations, dialects[dialect].grammar.arrays)
}

/**
 * Those that are declared as lists, and those that stand where lists are expanded, unless they are declared as
 * something else.
 */
function listsOf({ declarations }: Endpoint, { statements }: Script): ReadonlySet<string> {
  const declared = (declarations?.params ?? []).filter(({ type }) => type !== undefined)
  const slots = statements.flatMap((statement) => statement.slots)
  const lists = new Set(slots.flatMap(({ role, name }) => (role === 'value' ? [] : [name])))
  for (const { name, list } of declared) {
    if (list) lists.add(name)
    else lists.delete(name)
  }
  return lists
}

/** A literal that is nothing but a name with a colon, and what LIKE takes for any text. */
const quotedName = /^'([%_]*):([a-z_]\w*)(%*)'$/i
const mayQuote = /'[%_]*:[a-z_]\w*%*'/i

function quotesParameter(reading: Reading): Remark[] {
  return reading.tokens.flatMap((token, at) => {
    const found = token.kind === 'quoted' ? quotedName.exec(reading.textAt(at)) : null
    if (found === null) return []
    const [, before = '', name = '', behind = ''] = found
    const parts = [before && `'${before}'`, `:${name}`, behind && `'${behind}'`].filter((part) => part !== '')
    const message = `:${name} is in quotes, so it is text and not a parameter`
    return [{ code: 'quoted-parameter', ...reading.positionOf(at), message, cure: `write ${parts.join(' || ')}` }]
  })
}

function maySortByParameter({ slots, pieces }: Statement): boolean {
  return slots.length > 0 && pieces.some((piece) => sortingOrGrouping.test(piece))
}

const sortingOrGrouping = /\b(?:ORDER|GROUP)\b/i

const withoutEffect = {
  'ORDER BY': 'it sorts nothing',
  'GROUP BY': 'it parts no rows',
} as const satisfies Record<ConstantParameter['clause'], string>

function sortsByParameter(reading: Reading): Remark[] {
  return findConstantParameters(reading).map(({ at, name, clause }) => {
    const message = `${clause} :${name} takes the value itself, the same for each row, so ${withoutEffect[clause]}`
    const cure = `write ${clause} CASE WHEN :${name} = 'city' THEN city END, with such a CASE for each column`
    const { line, column } = reading.positionOf(at)
    return { code: 'constant-parameter', line, column, message, cure }
  })
}

interface Tells {
  /** What becomes of a BEGIN within a transaction, if it matters; follows what is wrong with it. */
  readonly secondBegin: string
  /** What becomes of the session that a statement may change. */
  readonly sessionChange: string
}

const tells: Readonly<Record<Dialect, Tells>> = {
  postgres: {
    secondBegin: '',
    sessionChange: 'it gets a connection to itself, which is reset before and after',
  },
  sqlite: {
    secondBegin: ', and SQLite refuses to begin another one',
    sessionChange: 'its connection is closed and opened again behind it',
  },
}

function changesSession(reading: Reading, { dialect }: JudgedFile): Remark[] {
  if (reading.statement.effect !== 'session') return []
  const message = `the statement may change its session, so ${tells[dialect].sessionChange}`
  return [{ code: 'session-change', ...reading.positionOf(0), message }]
}

function missesReplica(reading: Reading, { endpoint, dialect }: JudgedFile): Remark[] {
  if (reading.statement.effect === 'read' || endpoint.declarations?.replica !== true) return []
  if (dialects[dialect].lacks.replicas !== undefined) return []
  const message = 'the file is marked @replica, and this does not only read, so the file runs on the first server'
  return [{ code: 'replica-mark', ...reading.positionOf(0), message }]
}

/** The service does not send it to any database. */
function refused(reading: Reading, statement: Statement, refusal: string): Remark {
  const { line, column } = statement.refusedAt ?? statement
  return { code: 'syntax', line, column, message: refusal, cure: cureOfRefused(reading) }
}

function cureOfRefused(reading: Reading): string {
  const { tokens } = reading
  const last = tokens.length - 1
  if (tokens[last]?.kind === 'unclosed') {
    const isText = reading.textAt(last).startsWith("'")
    return isText ? "close it; within a text a quote is written twice: 'it''s'" : 'close it'
  }
  const foreign = tokens.findIndex(({ kind }) => kind === 'placeholder')
  if (foreign !== -1) {
    const [, name] = /^[@#$:]([A-Za-z_]\w*)$/.exec(reading.textAt(foreign)) ?? []
    return name !== undefined ? `write :${name}` : 'write a colon and a name of A-Z, a-z, 0-9 and _, such as :id'
  }
  return 'give the values as one list or one JSON document'
}
