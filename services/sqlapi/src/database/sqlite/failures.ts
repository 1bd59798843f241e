/**
 * What went wrong on SQLite -> the failure that the client is told. SQLite's message is passed on, but for those that quote
 * the SQL (`near "x": syntax error`, `unrecognized token: "x"`).
 */
import { Failure } from '../../errors.ts'
import { JobFailure } from './connection.ts'

const quotesSql = /syntax error|unrecognized token|incomplete input|contains no statements/

/** `lineOf` tells on which line of its file a statement starts. */
export function toFailure(error: unknown, lineOf: (statement: number) => number): Failure {
  if (!(error instanceof JobFailure)) {
    return new Failure('BadSqlGrammarException', 'The connection to the database was lost', { cause: error })
  }
  const { code, message, statement } = error.error
  const place = statement === undefined ? '' : `, statement at line ${lineOf(statement)}`
  const state = code === undefined ? '' : ` (SQLite ${code}${place})`
  const shown = quotesSql.test(message) ? 'Syntax error' : message
  return new Failure('BadSqlGrammarException', `${shown}${state}`, { cause: error })
}

/** An error of opening the datasource. */
export function toOpenFailure(error: unknown, datasource: string): Failure {
  return new Failure('BadSqlGrammarException', `Datasource '${datasource}' cannot be opened`, { cause: error })
}

/** A file that was there is not made anew: who deleted it may be about to put another one there. */
export function toGoneFailure(datasource: string): Failure {
  const cure = 'put a file in its place, or restart the service to have an empty one made'
  return new Failure('BadSqlGrammarException', `The file of datasource '${datasource}' was deleted; ${cure}`)
}
