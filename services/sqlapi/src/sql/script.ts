/**
 * SQL file text -> the statements of one dialect, with their parameters cut out. Runs at boot, once per file and dialect,
 * so that a request only fills slots. Total like the lexer: no text is refused here.
 *
 * Splitting follows psql and the sqlite3 shell: a semicolon ends a statement unless it stands in parentheses
 * (PostgreSQL rules), in a `BEGIN ATOMIC .. END` routine body (PostgreSQL) or in a trigger body (SQLite).
 */
import type { Dialect, Script, Slot, Statement } from '../model.ts'
import { effectOf } from './effect.ts'
import { lex, type Token } from './lex.ts'

export function readScript(text: string, dialect: Dialect): Script {
  const statements = split(text, lex(text, dialect), dialect).map((part) => toStatement(text, part, dialect))
  return { statements, parameters: [...new Set(statements.flatMap((statement) => statement.names))] }
}

/** The tokens of one statement; `body` is the range that belongs to a routine or trigger and binds nothing. */
interface Part {
  readonly tokens: Token[]
  body: { start: number; end: number } | undefined
}

function split(text: string, tokens: readonly Token[], dialect: Dialect): Part[] {
  const parts: Part[] = []
  let part: Part = { tokens: [], body: undefined }
  let body = bodyOf(dialect)
  let parentheses = 0
  for (const token of tokens) {
    const source = text.slice(token.start, token.end)
    const inBody = body.sees(token, source)
    if (source === ';' && parentheses <= 0 && !inBody) {
      if (part.tokens.length > 0) parts.push(part)
      part = { tokens: [], body: undefined }
      body = bodyOf(dialect)
      parentheses = 0
      continue
    }
    if (inBody) part.body = { start: part.body?.start ?? token.start, end: token.end }
    else if (source === '(' && dialect === 'postgres') parentheses++
    else if (source === ')' && dialect === 'postgres') parentheses--
    part.tokens.push(token)
  }
  if (part.tokens.length > 0) parts.push(part)
  return parts
}

/** Follows one statement's tokens and tells for each whether it lies in a body that is not ours to touch. */
interface BodyTracker {
  sees(token: Token, source: string): boolean
}

const routineHead = /^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) /
const triggerHead = /^CREATE (?:TEMP |TEMPORARY )?TRIGGER /

function bodyOf(dialect: Dialect): BodyTracker {
  return dialect === 'postgres' ? atomicBody() : triggerBody()
}

/** `BEGIN ATOMIC` to its `END`, with the `CASE .. END` pairs inside. */
function atomicBody(): BodyTracker {
  let head = ''
  let depth = 0
  let previous = ''
  return {
    sees(token, source) {
      const upper = token.kind === 'word' ? source.toUpperCase() : ''
      if (head.length < 40) head += `${upper} `
      const wasInside = depth > 0
      if (wasInside && (upper === 'CASE' || upper === 'BEGIN')) depth++
      else if (wasInside && upper === 'END') depth--
      else if (upper === 'ATOMIC' && previous === 'BEGIN' && routineHead.test(head)) depth = 1
      previous = upper
      return wasInside || depth > 0
    },
  }
}

/** A trigger's `BEGIN` to the `END` that follows a semicolon; the `END` of a `CASE` never does. */
function triggerBody(): BodyTracker {
  let head = ''
  let inside = false
  let previous = ''
  return {
    sees(token, source) {
      const upper = token.kind === 'word' ? source.toUpperCase() : ''
      if (head.length < 40) head += `${upper} `
      const wasInside = inside
      if (!inside && upper === 'BEGIN' && triggerHead.test(head)) inside = true
      else if (inside && upper === 'END' && previous === ';') inside = false
      previous = upper === '' ? source : upper
      return wasInside || inside
    },
  }
}

function toStatement(text: string, part: Part, dialect: Dialect): Statement {
  const { tokens, body } = part
  const first = tokens[0] as Token
  const last = tokens.at(-1) as Token
  const pieces: string[] = []
  const slots: Slot[] = []
  let at = first.start
  let placeholder: string | undefined
  let brackets = 0
  for (const [index, token] of tokens.entries()) {
    if (body !== undefined && token.start >= body.start && token.end <= body.end) continue
    if (text[token.start] === '[' && token.kind === 'symbol') brackets++
    if (text[token.start] === ']') brackets--
    if (token.kind === 'placeholder') placeholder ??= text.slice(token.start, token.end)
    if (token.kind !== 'parameter') continue
    const { slot, start, end } = readSlot(text, tokens, index, dialect)
    // In `xs[1:n]` the colon is both the slice's and the parameter's, so the slice keeps it.
    const colon = brackets > 0 && endsOperand(text, tokens[index - 1]) ? 1 : 0
    pieces.push(text.slice(at, start + colon))
    slots.push(slot)
    at = end
  }
  pieces.push(text.slice(at, last.end))
  const statement: Statement = {
    pieces,
    slots,
    names: [...new Set(slots.map((slot) => slot.name))],
    effect: effectOf(text, tokens, dialect),
    line: lineOf(text, first.start),
  }
  if (placeholder === undefined) return statement
  return { ...statement, refusal: `Placeholder ${placeholder} is not supported, name the parameter (:name)` }
}

function readSlot(text: string, tokens: readonly Token[], index: number, dialect: Dialect) {
  const token = tokens[index] as Token
  const name = text.slice(token.start + 1, token.end)
  const at = (offset: number): string => {
    const neighbour = tokens[index + offset]
    return neighbour === undefined ? '' : text.slice(neighbour.start, neighbour.end).toUpperCase()
  }
  const opening = `${at(-2)}${at(-1)}`
  const closing = at(1)
  const close = tokens[index + 1]?.end ?? token.end
  const list = (role: Slot['role'], words: number) => {
    const start = tokens[index - words]?.start ?? token.start
    const slot: Slot = {
      name,
      role,
      before: text.slice(start, token.start),
      after: text.slice(token.end, close),
    }
    return { slot, start, end: close }
  }
  if (opening === 'IN(' && closing === ')') return at(-3) === 'NOT' ? list('notIn', 3) : list('in', 2)
  if (opening === 'ARRAY[' && closing === ']' && dialect === 'postgres') return list('array', 2)
  const slot: Slot = { name, role: 'value', before: '', after: '' }
  return { slot, start: token.start, end: token.end }
}

/** Whether an operand ends here, so that a parameter right behind it can only be the upper bound of a slice. */
function endsOperand(text: string, token: Token | undefined): boolean {
  if (token === undefined) return false
  return token.kind !== 'symbol' || /[0-9)\]]/.test(text.charAt(token.end - 1))
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
