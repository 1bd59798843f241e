/**
 * Statements that the server has prepared -> what they lack all the same: rights, and what commands name, because the
 * server looks at neither before a statement runs. All are looked up with one question.
 */
import type { StatementDescription } from '../../../description.ts'
import type { Statement } from '../../../model.ts'
import { lex } from '../../../sql/lex.ts'
import { positionInSource, sourceOf } from '../../../sql/position.ts'
import { dependsOn } from '../../described.ts'
import { grammar } from '../grammar.ts'
import { parseSql } from '../parser.ts'
import { noteSent } from '../sessions/postgres-failures.ts'
import type { Session } from '../sessions/session.ts'
import { sqlStates } from '../plans/sql-states.ts'
import { commandNeeds } from '../needs/commands.ts'
import { innerQuery } from '../needs/inner-query.ts'
import { type Lack, lookUp } from './look-up.ts'
import { toFailed } from './mistakes.ts'
import { fields, type Need, needsOf } from '../needs/needs.ts'
import { toServerError, type Typed } from './types.ts'

type Failed = Extract<StatementDescription, { outcome: 'failed' }>

export interface Prepared {
  readonly statement: Statement
  readonly typed: Typed
  /** An earlier statement of the file that may make what is missing. */
  readonly mayOn: Statement | undefined
  readonly hasInner: boolean
}

const unseen = 'PostgreSQL looks at parts of this command only when it runs'

/** A text says why one may not run; nothing is said of those that lack nothing. */
export async function findLacks<Item extends Prepared>(
  session: Session,
  items: readonly Item[],
): Promise<ReadonlyMap<Item, StatementDescription | string>> {
  const found = await Promise.all(items.map(({ typed }) => needsOfText(typed.text)))
  const lists = found.map(({ needs }) => needs)
  // A catalogue that cannot be asked ends no check.
  const lacks = await lookUp(session, lists).catch((error: unknown) => {
    toServerError(error)
    return []
  })
  const said = new Map<Item, StatementDescription | string>()
  for (const [index, item] of items.entries()) {
    const lack = lacks[index]
    const { isPartial, isUnread, copies } = found[index] as TextNeeds
    if (isUnread && item.statement.names.length > 0) said.set(item, withoutParameters(item.statement))
    else if (lack !== undefined) {
      said.set(item, item.mayOn === undefined ? toFailure(item.statement, lack) : dependsOn(item.mayOn))
    } else if (copies !== undefined) {
      const message = `COPY ${copies} is not supported`
      said.set(
        item,
        toFailure(item.statement, { mistake: 'syntax', message, hint: insteadOfCopy[copies], name: 'COPY' }),
      )
    } else if (isPartial && !item.hasInner) said.set(item, unseen)
  }
  return said
}

interface TextNeeds {
  readonly needs: readonly Need[]
  /** It may need more than that. */
  readonly isPartial: boolean
  /** The server prepares it without a look at what is in it. */
  readonly isUnread: boolean
  /** It begins to send or take data in a way that the service refuses. */
  readonly copies?: 'FROM STDIN' | 'TO STDOUT' | undefined
}

async function needsOfText(text: string): Promise<TextNeeds> {
  // The parser's version may not be the server's.
  const trees = await parseSql(text).catch(() => [])
  const [tree] = trees
  if (tree === undefined || trees.length > 1) return { needs: [], isPartial: false, isUnread: false }
  const command = commandNeeds(tree)
  const isAnalysed = command === undefined || 'CreateTableAsStmt' in tree
  return {
    needs: [...(command?.needs ?? []), ...(isAnalysed ? needsOf(tree) : [])],
    isPartial: command?.isPartial === true && !isAnalysed,
    isUnread: !isAnalysed,
    copies: copiesOf(tree),
  }
}

function copiesOf(tree: unknown): TextNeeds['copies'] {
  const { CopyStmt: copy } = fields(tree)
  const { filename, is_from: isFrom } = fields(copy)
  if (copy === undefined || filename !== undefined) return undefined
  return isFrom === true ? 'FROM STDIN' : 'TO STDOUT'
}

const insteadOfCopy = {
  'FROM STDIN': 'write an INSERT; callers may send its sets as CSV',
  'TO STDOUT': 'write the query itself; callers may ask for CSV',
} as const

function toFailure(statement: Statement, { mistake, message, hint, name }: Lack): Failed {
  const source = sourceOf(statement)
  const start = lex(source, grammar).find(({ start: from, end }) => {
    const text = source.slice(from, end)
    return text.toLowerCase() === name.toLowerCase() || text === `"${name}"` || text === `'${name}'`
  })?.start
  const { line, column } = positionInSource(statement, source, start ?? 0)
  return { outcome: 'failed', mistake, code: undefined, message, detail: undefined, hint, line, column }
}

/** What the server says of the query in a command; nothing for a command without one. */
export async function askAboutInner(session: Session, statement: Statement): Promise<StatementDescription | undefined> {
  const text = innerQuery(statement)
  if (text === undefined) return undefined
  try {
    await session.prepareText(text, [])
    return { outcome: 'described', parameters: [], columns: undefined }
  } catch (error) {
    noteSent(error, { text, ends: [] }, session)
    const said = toServerError(error)
    // What is behind the query belongs to the command.
    if (said.code === sqlStates.syntaxError) return undefined
    return toFailed({ error: said, isUnknownFunction: false, hasTypeInQuestion: false, isUndecided: false }, statement)
  }
}

/** The server reads such a command when it runs, and then knows of none. */
function withoutParameters(statement: Statement): Failed {
  const source = sourceOf(statement)
  const start = lex(source, grammar).find(({ kind }) => kind === 'parameter')?.start ?? 0
  return {
    outcome: 'failed',
    mistake: 'syntax',
    code: undefined,
    message: `PostgreSQL takes no parameters in this command, and :${statement.names[0]} is one`,
    detail: undefined,
    hint: 'write the value itself, or call a function that runs the command with EXECUTE format(..)',
    ...positionInSource(statement, source, start),
  }
}
