/**
 * What a statement may do beside answering, judged by its words: tokens -> an `Effect` (model.ts).
 * Judging is on the safe side: what is not known to leave the connection clean counts as `session`, which costs that
 * statement a connection of its own and a reset afterwards, never its result.
 */
import type { Dialect, Effect } from '../model.ts'
import type { Token } from './lex.ts'

/** First word of a statement -> its effect; anything else is `session`. */
const byFirstWord: Readonly<Record<Dialect, Readonly<Record<string, Effect>>>> = {
  postgres: {
    SELECT: 'read',
    VALUES: 'read',
    TABLE: 'read',
    SHOW: 'read',
    WITH: 'read',
    INSERT: 'write',
    UPDATE: 'write',
    DELETE: 'write',
    MERGE: 'write',
    EXPLAIN: 'write',
    CREATE: 'definition',
    ALTER: 'definition',
    DROP: 'definition',
    TRUNCATE: 'write',
    COMMENT: 'write',
    GRANT: 'write',
    REVOKE: 'write',
    REFRESH: 'write',
    ANALYZE: 'write',
    NOTIFY: 'write',
  },
  sqlite: {
    SELECT: 'read',
    VALUES: 'read',
    WITH: 'read',
    EXPLAIN: 'read',
    INSERT: 'write',
    REPLACE: 'write',
    UPDATE: 'write',
    DELETE: 'write',
    CREATE: 'definition',
    ALTER: 'definition',
    DROP: 'definition',
    REINDEX: 'write',
    ANALYZE: 'write',
    VACUUM: 'write',
  },
}

/** Words that make a `WITH` or a sub-query change data. */
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE'])

/** Functions and schemas that reach the session from inside an otherwise plain statement. */
const sessionNames =
  /^(?:SET_CONFIG|PG_(?:TRY_)?ADVISORY_.*|PG_TEMP|SETSEED|LASTVAL|CURRVAL|PG_SETTINGS|DBLINK.*|(?:QUERY|CURSOR)_TO_XML.*|TS_STAT|CROSSTAB.*|LOAD_EXTENSION)$/

/** `TEMP` makes a temporary object only behind one of these; elsewhere it is somebody's column. */
const beforeTemp = new Set(['CREATE', 'INTO', 'LOCAL', 'GLOBAL', 'REPLACE'])

export function effectOf(text: string, tokens: readonly Token[], dialect: Dialect): Effect {
  let first = ''
  let previous = ''
  let effect: Effect | undefined
  for (const [index, token] of tokens.entries()) {
    const name = nameOf(text, token)
    if (name === '') {
      previous = ''
      continue
    }
    if (first === '' && token.kind === 'word') {
      first = name
      effect = byFirstWord[dialect][first] ?? 'session'
    }
    if (sessionNames.test(name) || isTempSchema(text, name, tokens[index + 1])) return 'session'
    // `U&"set\005fconfig"` is a name that is not to be read as it stands.
    if (name === 'U' && text.startsWith('&"', token.end)) return 'session'
    if ((name === 'TEMP' || name === 'TEMPORARY') && beforeTemp.has(previous)) return 'session'
    if (effect === 'read' && changes.has(name) && token.kind === 'word') effect = 'write'
    // SELECT .. INTO makes a table; INSERT INTO is a write already.
    if (effect === 'read' && name === 'INTO' && dialect === 'postgres') effect = 'write'
    previous = name
  }
  return effect ?? 'session'
}

/** The upper-cased name that a word or a quoted identifier stands for; empty for everything else. */
function nameOf(text: string, token: Token): string {
  if (token.kind === 'word') return text.slice(token.start, token.end).toUpperCase()
  if (token.kind !== 'quoted' || text[token.start] === "'") return ''
  return text.slice(token.start + 1, token.end - 1).toUpperCase()
}

/** Whether something is said of the schema of temporary objects: `temp.name`. */
function isTempSchema(text: string, name: string, next: Token | undefined): boolean {
  return (name === 'TEMP' || name === 'TEMPORARY') && next !== undefined && text[next.start] === '.'
}
