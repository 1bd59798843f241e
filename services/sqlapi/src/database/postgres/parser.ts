/**
 * The only file that knows PostgreSQL's own parser, compiled for Node.js. It is loaded with the first text, because
 * serving never needs it.
 */
import type { Node } from 'libpg-query'

/**
 * Syntax trees of the statements of a text. Rejects with a `ParseError`, and with any other error for one that is too
 * large for it.
 */
export async function parseSql(text: string): Promise<readonly Node[]> {
  const { hasSqlDetails, parse } = await import('libpg-query')
  try {
    const { stmts = [] } = await parse(text)
    return stmts.flatMap(({ stmt }) => (stmt === undefined ? [] : [stmt]))
  } catch (error) {
    throw hasSqlDetails(error) ? new ParseError(error.message, error.sqlDetails?.cursorPosition) : error
  }
}

export class ParseError extends Error {
  /** Where in the text, in characters from 0; undefined where the parser does not say. */
  readonly position: number | undefined

  constructor(message: string, position: number | undefined) {
    super(message)
    this.position = position
  }
}
