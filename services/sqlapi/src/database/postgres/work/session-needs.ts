/**
 * What a pooler in transaction mode cannot serve: files come in, the reason to refuse their calls goes out, before
 * anything is sent. A statement needs a session by its own words, or by stored code that it names; or stored code may
 * change the session without a word of any file.
 */
import type { Script, Statement, Work } from '../../../model.ts'
import { StatementFailure } from '../../statement-failure.ts'
import type { SessionCode } from '../stored-code/session-code.ts'
import type { StatementRunner } from './statement-runner.ts'
import { sqlStates } from '../plans/sql-states.ts'

export class SessionNeeds {
  readonly #runner: StatementRunner
  readonly #code: SessionCode
  readonly #datasource: string

  constructor(runner: StatementRunner, code: SessionCode, datasource: string) {
    this.#runner = runner
    this.#code = code
    this.#datasource = datasource
  }

  /**
   * The first statement that needs a session, by its words or by the code that it names, and the message for callers.
   */
  find({ statements }: Script): { readonly statement: Statement; readonly message: string } | undefined {
    for (const statement of statements) {
      const need = this.#runner.sessionNeedOf(statement)
      if (need !== undefined)
        return { statement, message: this.#messageOf(`The statement at line ${statement.line} ${need}`) }
    }
    return undefined
  }

  /** Throws for a file that cannot be served, as far as is known. */
  refuse({ script }: Work): void {
    const found = this.find(script)
    if (found !== undefined) throw toFailure(found.statement, found.message)
    if (!this.#code.isKnown || !this.#code.isEverywhere) return
    // What only reads is sent so that it cannot write, and runs no trigger.
    const reached = script.statements.find(({ effect }) => effect !== 'read' || !this.#code.isBehindTriggers)
    if (reached !== undefined) throw toFailure(reached, this.#messageOf(codeMessage))
  }

  /** The error of a statement, or why it was refused: one that looks like one that only reads has written. */
  explain(error: unknown): unknown {
    const isOurs =
      this.#code.isBehindTriggers &&
      error instanceof StatementFailure &&
      error.verdict.code === sqlStates.readOnlyTransaction
    return isOurs ? toFailure(error.verdict.statement, this.#messageOf(codeMessage)) : error
  }

  /** The same on a connection, which has read the stored code when it began. */
  refuseUnknown(work: Work): void {
    this.refuse(work)
    if (this.#code.isKnown) return
    const why = 'The stored code of the database is not read yet, so it may change the session'
    throw toFailure(work.script.statements[0] as Statement, this.#messageOf(why))
  }

  #messageOf(why: string): string {
    return `${why}, and the pooler of datasource '${this.#datasource}' keeps none (pooler: transaction)`
  }
}

const codeMessage = 'Stored code of the database may change the session'

function toFailure(statement: Statement, message: string): StatementFailure {
  const redact = (text: string): string => text
  const verdict = { statement, code: undefined, text: message, position: undefined, more: {}, redact }
  return new StatementFailure('session_needed', message, verdict)
}
