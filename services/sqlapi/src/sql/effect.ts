/**
 * What a statement may do besides answering, judged by its words: tokens -> an `Effect` (model.ts). Judging is on the
 * safe side: what is not known to leave the connection clean counts as `session`, which costs that statement a
 * connection of its own and a reset afterwards, never its result.
 */
import type { Effect } from '../model.ts'
import type { Grammar } from './grammar.ts'
import type { Token } from './lex.ts'

/** Words that make a `WITH` or a sub-query change data. */
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE'])

/** Functions and schemas that reach the session from inside an otherwise plain statement. */
const reaching = [
  ['SET_CONFIG', 'PG_(?:TRY_)?ADVISORY_.*', 'PG_TEMP', 'SETSEED', 'LASTVAL', 'CURRVAL', 'PG_SETTINGS', 'DBLINK.*'],
  ['(?:QUERY|CURSOR)_TO_XML.*', 'TS_STAT', 'TS_REWRITE', 'CROSSTAB.*', 'LOAD_EXTENSION'],
].flat()
const sessionNames = new RegExp(`^(?:${reaching.join('|')})$`)

/** `TEMP` makes a temporary object only behind one of these; elsewhere it is somebody's column. */
const beforeTemp = new Set(['CREATE', 'INTO', 'LOCAL', 'GLOBAL', 'REPLACE'])

/** Without any of these the first word says all: one search costs less than a look at each word, and most have none. */
const telling = {
  read: searchFor([...reaching, 'TEMP', 'U&"', 'INTO', 'SHARE', ...changes]),
  other: searchFor([...reaching, 'TEMP', 'U&"']),
}

function searchFor(words: readonly string[]): RegExp {
  return new RegExp(String.raw`\b(?:${words.join('|')})`, 'i')
}

/** `tokens` are those of one statement, at least one. */
export function effectOf(text: string, tokens: readonly Token[], grammar: Grammar): Effect {
  const start = tokens[0]?.start ?? 0
  const end = tokens.at(-1)?.end ?? 0
  const first = tokens.find(({ kind }) => kind === 'word')
  const known = first === undefined ? undefined : grammar.effects[nameOf(text, first)]
  const effect = known ?? 'session'
  const search = effect === 'read' ? telling.read : telling.other
  return search.test(text.slice(start, end)) ? effectByWords(text, tokens, grammar, effect) : effect
}

/** `effect` is what the first word says. */
function effectByWords(text: string, tokens: readonly Token[], grammar: Grammar, byFirst: Effect): Effect {
  let effect = byFirst
  let previous = ''
  for (const [index, token] of tokens.entries()) {
    const name = nameOf(text, token)
    if (isSessionName(name) || isTempSchema(text, name, tokens[index + 1])) return 'session'
    // `U&"set\005fconfig"` is a name that must not be read as it is.
    if (name === 'U' && text.startsWith('&"', token.end)) return 'session'
    if ((name === 'TEMP' || name === 'TEMPORARY') && beforeTemp.has(previous)) return 'session'
    if (effect === 'read' && token.kind === 'word' && isChange(text, name, tokens[index + 1])) effect = 'write'
    // FOR SHARE and FOR KEY SHARE may wait for a row lock, as FOR UPDATE does.
    if (effect === 'read' && name === 'SHARE' && (previous === 'FOR' || previous === 'KEY')) effect = 'write'
    // SELECT .. INTO makes a table; INSERT INTO is a write already.
    if (effect === 'read' && name === 'INTO' && grammar.selectIntoWrites) effect = 'write'
    previous = name
  }
  return effect
}

/** Something of this upper-cased name may leave something behind on the connection. */
export function isSessionName(name: string): boolean {
  return sessionNames.test(name)
}

/** The upper-cased name that a word or a quoted identifier stands for; empty for everything else. */
export function nameOf(text: string, token: Token): string {
  if (token.kind === 'word') return text.slice(token.start, token.end).toUpperCase()
  if (token.kind !== 'quoted' || text[token.start] === "'") return ''
  return text.slice(token.start + 1, token.end - 1).toUpperCase()
}

/** `replace(` is the function, not the statement. */
function isChange(text: string, name: string, next: Token | undefined): boolean {
  return changes.has(name) && !(name === 'REPLACE' && next !== undefined && text[next.start] === '(')
}

/** Whether something is said of the schema of temporary objects: `temp.name`. */
export function isTempSchema(text: string, name: string, next: Token | undefined): boolean {
  return (name === 'TEMP' || name === 'TEMPORARY') && next !== undefined && text[next.start] === '.'
}
