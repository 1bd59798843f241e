/**
 * How the dialects of SQL differ, as far as the scanner has to know. Types only; the values are beside each database
 * (database/postgres/grammar.ts, database/sqlite/grammar.ts).
 */
import type { Effect } from '../model.ts'

export interface Grammar extends TokenRules {
  /** A name without quotes is the same as that in lower case, and no other one. */
  readonly foldsNames: boolean
  /** A semicolon in parentheses does not end the statement. */
  readonly parenthesesHoldSemicolons: boolean
  /**
   * Whose statements hold others that are not ours to touch: routines with `BEGIN ATOMIC .. END`, or triggers with
   * `BEGIN .. END`.
   */
  readonly bodies: 'routines' | 'triggers'
  /** A colon may be the SQL's own: casts with `::`, slices such as `xs[1:n]`, `JSON_OBJECT('a': x)`. */
  readonly ownColons: boolean
  /** `ARRAY[:ids]` takes a list. */
  readonly arrays: boolean
  /** Most parameters of a statement that the protocol or the library can number. */
  readonly maxParameters: number
  /** A parameter in the text that the database gets, with its number: messages of the database call it that. */
  readonly numbered: RegExp
  /** First word of a statement -> its effect; anything else is `session`. */
  readonly effects: Readonly<Record<string, Effect>>
  /** `SELECT .. INTO` makes a table. */
  readonly selectIntoWrites: boolean
}

export interface TokenRules {
  /** The end of a line comment. */
  readonly lineEnd: RegExp
  readonly nestedComments: boolean
  /** `E'..'` with backslash escapes. */
  readonly escapeStrings: boolean
  /** `$tag$..$tag$`. */
  readonly dollarQuotes: boolean
  /** Opening quote -> closing quote; a doubled closing quote stands for itself, except after `[`. */
  readonly quotes: Readonly<Record<string, string>>
  /** Placeholders that are not ours. */
  readonly placeholder: RegExp
}
