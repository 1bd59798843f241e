/**
 * Work -> the job that a worker gets: its transaction, its statements by their numbers, and values as SQLite takes
 * them. What becomes of a job is sqlite.ts's.
 */
import type { JsonValue, ParameterSet, Statement, Work } from '../../../model.ts'
import { inSet } from '../../statement-failure.ts'
import type { Statements } from './statements.ts'
import { transactionOf } from './transactions.ts'
import { toSqlite } from './values.ts'
import type { BoundStatement, SqliteValue } from '../worker-messages.ts'
import type { Assignment } from '../workplaces/assignment.ts'

export type SqliteJob = Assignment['job']

/** Read each time, because who listens changes. */
export interface JobListeners {
  /** Called for every statement that runs, when statements are logged. */
  readonly onStatement?: ((text: string, values: readonly SqliteValue[], work: Work) => void) | undefined
}

export class Jobs {
  readonly #statements: Statements
  readonly #listeners: JobListeners
  readonly #isInMemory: boolean

  constructor(statements: Statements, listeners: JobListeners, { isInMemory }: { readonly isInMemory: boolean }) {
    this.#statements = statements
    this.#listeners = listeners
    this.#isInMemory = isInMemory
  }

  of(work: Work): SqliteJob {
    const { script, sets, batch, format, endpoint } = work
    const transaction = transactionOf(endpoint, script, batch)
    const bound = sets.map((set, index) => this.#bindAll(work, set, batch ? index : undefined))
    if (script.statements.some(({ effect }) => effect === 'definition')) this.#statements.forgetRunsOn()
    const isRead = transaction !== 'immediate' && script.statements.every(({ effect }) => effect === 'read')
    return {
      transaction,
      touchesSession: script.statements.some(({ effect }) => effect === 'session'),
      batch,
      format,
      isRead,
      mayRunOn: this.#isInMemory || this.#statements.mayRunOn(bound),
      sets: bound,
    }
  }

  /** `index` is the number of the set in a batch. */
  #bindAll(work: Work, set: ParameterSet, index: number | undefined): BoundStatement[] {
    try {
      return work.script.statements.map((statement) => this.#bind(statement, set, work))
    } catch (error) {
      throw index === undefined ? error : inSet(error, index)
    }
  }

  #bind(statement: Statement, set: ParameterSet, work: Work): BoundStatement {
    const bound = {
      statement: this.#statements.numberOf(statement, set),
      values: statement.names.map((name) => toSqlite(name, set.get(name) as JsonValue)),
    }
    this.#listeners.onStatement?.(this.#statements.textOf(bound.statement).text, bound.values, work)
    return bound
  }
}

/** Each pool has one kind of jobs; a late worker gives back what it has not begun. Thread and process take turns. */
export function groupOf({ touchesSession, mayRunOn }: SqliteJob): unknown {
  if (touchesSession) return undefined
  return mayRunOn ? 'process' : 'thread'
}
