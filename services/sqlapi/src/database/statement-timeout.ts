/** What a client is told whose statement ran longer than `statement_timeout_seconds` allows; the same on every database kind. */
import { Failure } from '../errors.ts'

/** `place` tells where the statement stands, as other messages of the database kind do. */
export function statementTimeout(seconds: number, place: string, cause: unknown): Failure {
  return new Failure('BadSqlGrammarException', `statement timeout after ${seconds} s (${place})`, { cause })
}
