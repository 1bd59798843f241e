/**
 * A syntax error at a position of a statement -> the cure, where the text there shows what somebody was used to from
 * elsewhere. Pure; which errors there are, databases say.
 */
import { dialects } from '../dialects.ts'
import type { Dialect, Statement } from '../model.ts'
import { Reading } from '../rules/reading.ts'
import type { Grammar } from '../sql/grammar.ts'
import type { Position } from '../sql/position.ts'

/** `text` begins with the token at the error; `before` is the word in front of it. */
interface Around {
  readonly text: string
  readonly before: string
  readonly grammar: Grammar
}

const invisible = /^\S*?([\u00a0\u2000-\u200f\u2028\u2029\u202f\u2060\u3000\ufeff])/

/** The first that says something counts. */
const cures: readonly ((around: Around) => string | undefined)[] = [
  ({ text }) => {
    const [, found] = invisible.exec(text) ?? []
    const code = found?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    return code === undefined ? undefined : `remove the character U+${code}, which looks like a space or like nothing`
  },
  ({ text }) => (/^(?:[$#]?\{|%[(s]|\?)/.test(text) ? 'write a parameter with a colon, such as :id' : undefined),
  ({ text }) =>
    /^:(?![A-Za-z_:=])/.test(text)
      ? 'write a parameter as a colon and a name of A-Z, a-z, 0-9 and _, such as :id'
      : undefined,
  ({ text, before }) =>
    before === 'IN' && text.startsWith(':') ? 'write the list in brackets: IN (:names)' : undefined,
  ({ text, before }) =>
    /^(?:FROM|JOIN|INTO|UPDATE|TABLE)$/.test(before) && text.startsWith(':')
      ? 'write the name of the table; a parameter can only be a value'
      : undefined,
  ({ text, before, grammar }) =>
    grammar.intervalLiterals && before === 'INTERVAL' && text.startsWith(':')
      ? "write :n * interval '1 day', or :text::interval"
      : undefined,
  ({ text }) => (text.startsWith('\\') ? 'remove the command, which only psql knows' : undefined),
]

export function syntaxCure(statement: Statement, dialect: Dialect, { line, column }: Position): string | undefined {
  const { grammar } = dialects[dialect]
  const reading = new Reading(statement, grammar)
  const found = reading.tokens.findIndex((_, index) => {
    const position = reading.positionOf(index)
    return position.line === line && position.column === column
  })
  // Behind the end is what its last token has begun.
  const at = found === -1 ? reading.tokens.length - 1 : found
  const before = at - 1
  for (const index of /^[$#%?]$/.test(reading.textAt(before)) ? [before, at] : [at]) {
    const text = reading.source.slice(reading.tokens[index]?.start)
    const around = { text, before: reading.wordAt(index - 1), grammar }
    const said = cures.map((cure) => cure(around)).find((each) => each !== undefined)
    if (said !== undefined) return said
  }
  return undefined
}
