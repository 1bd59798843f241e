/**
 * SQL file text -> the statements of one dialect, with their parameters cut out. Runs at boot, once per file and
 * dialect, so that a request only fills slots. Total like the lexer: a statement that cannot run carries its refusal,
 * which its requests are answered with.
 *
 * Splitting follows psql and the sqlite3 shell: a semicolon ends a statement unless it is in parentheses
 * (PostgreSQL rules), in a `BEGIN ATOMIC .. END` routine body (PostgreSQL) or in a trigger body (SQLite).
 */
import type { Script, ParameterSlot, Statement } from '../model.ts'
import { findSeparated } from './brackets.ts'
import { effectOf } from './effect.ts'
import type { Grammar } from './grammar.ts'
import { lex, type Token } from './lex.ts'
import { positionCounter, type Position } from './position.ts'

export function readScript(text: string, grammar: Grammar): Script {
  const positionOf = positionCounter(text)
  const statements = split(text, lex(text, grammar), grammar).map((part) =>
    toStatement(text, part, grammar, positionOf),
  )
  return { statements, parameters: [...new Set(statements.flatMap((statement) => statement.names))] }
}

/** The tokens of one statement; `body` is the range that belongs to a routine or trigger and binds nothing. */
interface Part {
  readonly tokens: Token[]
  body: { start: number; end: number } | undefined
}

function split(text: string, tokens: readonly Token[], grammar: Grammar): Part[] {
  const parts: Part[] = []
  let part: Part = { tokens: [], body: undefined }
  let body: BodyTracker | undefined
  let parentheses = 0
  for (const token of tokens) {
    if (part.tokens.length === 0) body = bodyOf(text, token, grammar)
    const inBody = body?.sees(token, text.slice(token.start, token.end)) ?? false
    const symbol = token.kind === 'symbol' ? text[token.start] : ''
    if (symbol === ';' && parentheses === 0 && !inBody) {
      if (part.tokens.length > 0) parts.push(part)
      part = { tokens: [], body: undefined }
      parentheses = 0
      continue
    }
    if (inBody) part.body = { start: part.body?.start ?? token.start, end: token.end }
    else if (symbol === '(' && grammar.parenthesesHoldSemicolons) parentheses++
    else if (symbol === ')' && parentheses > 0) parentheses--
    part.tokens.push(token)
  }
  if (part.tokens.length > 0) parts.push(part)
  return parts
}

/** Follows one statement's tokens and tells for each whether it lies in a body that is not ours to touch. */
interface BodyTracker {
  sees(token: Token, source: string): boolean
}

const bodies: Readonly<Record<Grammar['bodies'], () => BodyTracker>> = {
  routines: atomicBody,
  triggers: triggerBody,
}

/** Only a statement that begins with CREATE can have a body. */
function bodyOf(text: string, first: Token, grammar: Grammar): BodyTracker | undefined {
  if (text.slice(first.start, first.end).toUpperCase() !== 'CREATE') return undefined
  return bodies[grammar.bodies]()
}

const routineHead = /^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) /
const triggerHead = /^CREATE (?:TEMP |TEMPORARY )?TRIGGER /

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

function toStatement(text: string, part: Part, grammar: Grammar, positionOf: (offset: number) => Position): Statement {
  const { tokens, body } = part
  const first = tokens[0] as Token
  const last = tokens.at(-1) as Token
  const pieces: string[] = []
  const slots: ParameterSlot[] = []
  const names: string[] = []
  /** What is where a name is alone, one for all its places; most files name the same things again and again. */
  const values = new Map<string, ParameterSlot>()
  const separated = grammar.ownColons ? findSeparated(text, tokens) : undefined
  let at = first.start
  let placeholder: Token | undefined
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token
    if (token.kind !== 'parameter' && token.kind !== 'placeholder') continue
    if (body !== undefined && token.start >= body.start && token.end <= body.end) continue
    if (token.kind === 'placeholder') {
      placeholder ??= token
      continue
    }
    const introduced = separated?.get(index)
    if (introduced === 'sql') continue
    const name = text.slice(token.start + 1, token.end)
    let value = values.get(name)
    if (value === undefined) {
      value = { name, source: names.length, role: 'value', before: '', after: '', cast: '' }
      values.set(name, value)
      names.push(name)
    }
    const { slot, start, end } = readSlot(text, tokens, index, grammar, value)
    // A colon that is the SQL's too stays there.
    pieces.push(text.slice(at, introduced === 'parameter' ? start + 1 : start))
    slots.push(slot)
    at = end
  }
  pieces.push(text.slice(at, last.end))
  const statement: Statement = {
    pieces,
    slots,
    names,
    effect: effectOf(text, tokens, grammar),
    ...positionOf(first.start),
  }
  if (last.kind === 'unclosed') {
    const refusedAt = positionOf(last.start)
    const refusal = `${nameOfUnclosed(text, last)} in line ${refusedAt.line} is never closed`
    return { ...statement, refusal, refusedAt }
  }
  if (placeholder !== undefined) {
    const shown = text.slice(placeholder.start, placeholder.end)
    const cure = shown.startsWith(':') ? 'its name may have A-Z, a-z, 0-9 and _' : 'name the parameter (:name)'
    const refusal = `Placeholder ${shown} is not supported, ${cure}`
    return { ...statement, refusal, refusedAt: positionOf(placeholder.start) }
  }
  const { maxParameters } = grammar
  if (names.length <= maxParameters) return statement
  return { ...statement, refusal: `The statement has more than ${maxParameters} parameters` }
}

/** By the first character; whatever else opens a quote is the name of one. */
const unclosed: Readonly<Record<string, string>> = {
  '/': 'The comment that begins',
  "'": 'The text that begins',
  e: 'The text that begins',
  E: 'The text that begins',
  $: 'The dollar-quoted text that begins',
}

function nameOfUnclosed(text: string, token: Token): string {
  return unclosed[text.charAt(token.start)] ?? 'The quoted name that begins'
}

/** The parameter at `index` with the brackets of its role, if it is alone (except for a cast) between such. */
function readSlot(text: string, tokens: readonly Token[], index: number, grammar: Grammar, value: ParameterSlot) {
  const token = tokens[index] as Token
  const sourceOf = (at: number): string => {
    const other = tokens[at]
    return other === undefined ? '' : text.slice(other.start, other.end).toUpperCase()
  }
  const list = (role: ParameterSlot['role'], words: number) => {
    const start = tokens[index - words]?.start ?? token.start
    const end = tokens[close]?.end ?? token.end
    const cast = text.slice(token.end, tokens[close - 1]?.end ?? token.end).trim()
    const before = text.slice(start, token.start)
    return { slot: { ...value, role, before, after: text.slice(token.end, end), cast }, start, end }
  }
  const bracket = sourceOf(index - 1)
  const close = index + castLength(text, tokens, index + 1, grammar) + 1
  if (bracket === '(' && sourceOf(index - 2) === 'IN' && sourceOf(close) === ')') {
    return sourceOf(index - 3) === 'NOT' ? list('notIn', 3) : list('in', 2)
  }
  if (bracket === '[' && sourceOf(index - 2) === 'ARRAY' && sourceOf(close) === ']' && grammar.arrays) {
    return list('array', 2)
  }
  return { slot: value, start: token.start, end: token.end }
}

/** How many tokens from `at` are a cast to a named type (`::text`, `::app.kind`, `::character varying`); 0 for none. */
function castLength(text: string, tokens: readonly Token[], at: number, grammar: Grammar): number {
  const first = tokens[at]
  if (!grammar.ownColons || first === undefined || text.slice(first.start, first.end) !== '::') return 0
  let length = 1
  for (let token = tokens[at + length]; token !== undefined; token = tokens[at + length]) {
    const isName = token.kind === 'word' || (token.kind === 'quoted' && text[token.start] === '"')
    if (!isName && text.slice(token.start, token.end) !== '.') break
    length++
  }
  return length
}
