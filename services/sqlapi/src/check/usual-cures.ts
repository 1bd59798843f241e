/**
 * A mistake at a position of a statement -> the cure, where the text there shows what somebody was used to from
 * elsewhere. Pure; which mistakes there are, databases say.
 */
import type { Mistake } from '../description.ts'
import { dialects } from '../dialects.ts'
import type { Dialect, Statement } from '../model.ts'
import { Reading } from '../rules/reading.ts'
import type { Position } from '../sql/position.ts'

/** The text on both sides of the mistake. */
interface Around {
  /** Begins with the token at the mistake. */
  readonly text: string
  /** All that is in front of that token. */
  readonly front: string
  /** The word in front of it, in upper case; empty where something else is there. */
  readonly before: string
}

/** Undefined where it has nothing to say. */
type Cure = (around: Around) => string | undefined

const invisible = /^\S*?([\u00a0\u2000-\u200f\u2028\u2029\u202f\u2060\u3000\ufeff])/

/** Of each kind of mistake that has any; the first that says something counts. */
const cures: Readonly<Partial<Record<Mistake, readonly Cure[]>>> = {
  syntax: [
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
    ({ text, front }) =>
      /:[A-Za-z_]\w*\s+$/.test(front) && /^:[A-Za-z_]/.test(text)
        ? 'write the words of SQL, such as DESC, in the file; a parameter can only be a value'
        : undefined,
    ({ text, front }) => {
      const [word] = /^(?:FROM|WHERE|GROUP|ORDER|RETURNING)\b|^\)/i.exec(text) ?? []
      return word !== undefined && /,\s*$/.test(front) ? `remove the comma in front of ${word}` : undefined
    },
    ({ text, before }) => {
      const [count] = /^\d+/.exec(text) ?? []
      return count !== undefined && before === 'TOP' ? `write LIMIT ${count} at the end of the statement` : undefined
    },
    ({ text, front }) =>
      isFirst(front) && /^GO\b/i.test(text) ? 'remove it; a semicolon ends a statement' : undefined,
    ({ text, front }) =>
      isFirst(front) && /^USE\b/i.test(text) ? 'remove it; the datasource of the project is the database' : undefined,
    ({ text, front }) => {
      const [word] = /^(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|DROP|ALTER)\b/i.exec(text) ?? []
      return word === undefined || isFirst(front) || !isWhole(front)
        ? undefined
        : `put a semicolon in front of ${word} if a statement begins there`
    },
    ({ text, front }) => {
      // PostgreSQL takes the keyword for an alias, and finds the mistake in the next word.
      const [, above = '', word] = /^(.*)\n\s*(SELECT|INSERT|UPDATE|DELETE|MERGE|WITH)\s+$/is.exec(front) ?? []
      return word === undefined || !/^[\w"':]/.test(text) || !isWhole(above) || goesOn.test(above)
        ? undefined
        : `put a semicolon in front of ${word} if a statement begins there`
    },
    ({ text }) => (text.startsWith('\\') ? 'remove the command, which only psql knows' : undefined),
    ({ text, front }) =>
      isFirst(front) && /^\.[a-z]/.test(text) ? 'remove the command, which only the shell of SQLite knows' : undefined,
  ],
  'unknown-column': [
    ({ text }) => (text.startsWith('"') ? 'write a text in single quotes; double quotes are for names' : undefined),
    ({ text, front }) => {
      const [, begun] = /:([A-Za-z_]\w*)-$/.exec(front) ?? []
      const [rest] = /^\w+/.exec(text) ?? []
      return begun === undefined || rest === undefined
        ? undefined
        : `write :${begun}_${rest} if that is one parameter; its name can have no hyphen`
    },
  ],
}

/** A keyword of a statement may follow, and continues this one. */
const goesOn =
  /\b(?:UNION|INTERSECT|EXCEPT|ALL|DISTINCT|AS|DO|FOR|KEY|THEN|ON|OR|BEFORE|AFTER|OF|EXPLAIN|ANALYZE)\s*$|^\s*(?:WITH|EXPLAIN)\b.*\)\s*$/is

/** All brackets are closed, and a value or a name is the last word: nothing is missing behind it but an end. */
function isWhole(front: string): boolean {
  const text = front.trimEnd()
  return text.split('(').length === text.split(')').length && /[\w)'"]$/.test(text)
}

/** The mistake is where the statement begins. */
function isFirst(front: string): boolean {
  return front.trim() === ''
}

/** What people are used to from another kind of database. */
const ownCures: Readonly<Record<Dialect, typeof cures>> = {
  postgres: {
    syntax: [
      ({ text, before }) =>
        before === 'INTERVAL' && text.startsWith(':') ? "write :n * interval '1 day', or :text::interval" : undefined,
    ],
  },
  sqlite: {
    syntax: [
      ({ text }) => (text.startsWith('::') ? 'write cast(.. AS type); SQLite has no ::' : undefined),
      ({ before }) =>
        before === 'INTERVAL' ? "write the interval into a function, such as datetime('now', '-1 day')" : undefined,
    ],
  },
}

export function usualCure(
  mistake: Mistake,
  statement: Statement,
  dialect: Dialect,
  { line, column }: Position,
): string | undefined {
  const all = [...(cures[mistake] ?? []), ...(ownCures[dialect][mistake] ?? [])]
  if (all.length === 0) return undefined
  const reading = new Reading(statement, dialects[dialect].grammar)
  const found = reading.tokens.findIndex((_, index) => {
    const position = reading.positionOf(index)
    return position.line === line && position.column === column
  })
  // Behind the end is what its last token has begun.
  const at = found === -1 ? reading.tokens.length - 1 : found
  const before = at - 1
  for (const index of /^[$#%?]$/.test(reading.textAt(before)) ? [before, at] : [at]) {
    const start = reading.tokens[index]?.start ?? 0
    const around = {
      text: reading.source.slice(start),
      front: reading.source.slice(0, start),
      before: reading.wordAt(index - 1),
    }
    const said = all.map((cure) => cure(around)).find((each) => each !== undefined)
    if (said !== undefined) return said
  }
  return undefined
}
