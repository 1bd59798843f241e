/**
 * Statements of a script -> for each, the earlier ones without which nobody can say what it means: they make or change
 * what it names, or what names stand for. By words alone, as effect.ts judges, and on the safe side.
 */
import type { Statement } from '../model.ts'
import type { Grammar } from './grammar.ts'
import { lex } from './lex.ts'

export interface Dependence {
  /**
   * An earlier statement makes, changes or drops something that this one names, or changes what every name stands for.
   */
  readonly on: Statement | undefined
  /** An earlier statement that may have made anything: what this one does not find may be there when it runs. */
  readonly mayOn: Statement | undefined
}

/** `reachesOut` says of statements that run stored code that nobody knows. */
export function dependencesOf(
  statements: readonly Statement[],
  grammar: Grammar,
  reachesOut: (statement: Statement) => boolean = () => false,
): Dependence[] {
  const makers = new Map<string, Statement>()
  let shifter: Statement | undefined
  let opaque: Statement | undefined
  return statements.map((statement) => {
    const words = wordsOf(statement, grammar)
    const maker = words.map(({ name }) => makers.get(name)).find((each) => each !== undefined)
    const dependence = { on: shifter ?? maker, mayOn: opaque }
    const made = madeBy(words)
    for (const name of made) makers.set(name, statement)
    if (isShift(statement, words)) shifter ??= statement
    if (made.length > 0 || mayMakeAnything(statement, words) || reachesOut(statement)) opaque ??= statement
    return dependence
  })
}

interface Word {
  /** In lower case, without quotes. */
  readonly name: string
  /** In upper case; empty for what is in quotes and for signs. */
  readonly keyword: string
}

function wordsOf({ pieces }: Statement, grammar: Grammar): Word[] {
  const text = pieces.join(' ')
  return lex(text, grammar).map(({ kind, start, end }) => {
    const source = text.slice(start, end)
    if (kind === 'word') return { name: source.toLowerCase(), keyword: source.toUpperCase() }
    const name = kind === 'quoted' && !source.startsWith("'") ? source.slice(1, -1).toLowerCase() : ''
    return { name, keyword: source === '.' ? '.' : '' }
  })
}

/** Words that stand between CREATE, ALTER or DROP and the first name. */
const between = new Set(
  'AGGREGATE CAST COLLATION CONCURRENTLY DOMAIN EXISTS FOREIGN FUNCTION GLOBAL IF INDEX LOCAL MATERIALIZED NOT ONLY OPERATOR OR PROCEDURE RECURSIVE REPLACE ROUTINE SEQUENCE TABLE TEMP TEMPORARY TRIGGER TYPE UNIQUE UNLOGGED VIEW VIRTUAL'.split(
    ' ',
  ),
)

/** The names that the statement makes, changes or drops. */
function madeBy(words: readonly Word[]): string[] {
  const [first = { name: '', keyword: '' }] = words
  if (['CREATE', 'ALTER', 'DROP'].includes(first.keyword)) {
    const rest = words.slice(1)
    const at = rest.findIndex(({ keyword, name }) => name !== '' && !between.has(keyword))
    if (at === -1) return []
    if (first.keyword === 'DROP') return namesOf(rest.slice(at))
    const renamed = rest.findIndex(({ keyword }, index) => keyword === 'TO' && rest[index - 1]?.keyword === 'RENAME')
    return [lastPart(rest, at), ...(renamed === -1 ? [] : namesOf(rest.slice(renamed + 1)))]
  }
  if (first.keyword !== 'SELECT' && first.keyword !== 'WITH') return []
  const into = words.findIndex(
    ({ keyword }, index) =>
      keyword === 'INTO' && !['INSERT', 'MERGE', 'REPLACE'].includes(words[index - 1]?.keyword ?? ''),
  )
  if (into === -1) return []
  const at = words.findIndex(({ keyword }, index) => index > into && !between.has(keyword))
  return at === -1 ? [] : [lastPart(words, at)]
}

/** `c` of `a.b.c`. */
function lastPart(words: readonly Word[], at: number): string {
  let last = at
  while (words[last + 1]?.keyword === '.') last += 2
  return words[last]?.name ?? ''
}

function namesOf(words: readonly Word[]): string[] {
  return words.flatMap(({ name }) => (name === '' ? [] : [name]))
}

/** Settings that decide which object or which rights a name stands for. */
const shifting = /\b(?:search_path|role|session_authorization|session authorization|schema)\b/i

/** Whether names stand for something else behind it. */
function isShift({ effect, pieces }: Statement, words: readonly Word[]): boolean {
  if (effect !== 'session') return false
  const [first] = words
  if (first?.keyword === 'DISCARD') return true
  const isSetting = ['SET', 'RESET'].includes(first?.keyword ?? '') || words.some(({ name }) => name === 'set_config')
  return isSetting && (shifting.test(pieces.join(' ')) || (first?.keyword === 'RESET' && words[1]?.keyword === 'ALL'))
}

/** Statements of the session that make nothing. */
const harmless = new Set(
  'ABORT ANALYZE BEGIN CHECKPOINT CLOSE COMMIT DEALLOCATE DECLARE END FETCH LISTEN LOCK MOVE NOTIFY PRAGMA RELEASE RESET ROLLBACK SAVEPOINT SET SHOW START UNLISTEN VACUUM'.split(
    ' ',
  ),
)

function mayMakeAnything({ effect }: Statement, words: readonly Word[]): boolean {
  if (effect === 'definition') return true
  if (effect !== 'session') return false
  const first = words[0]?.keyword ?? ''
  if (harmless.has(first)) return false
  // A setting or a lock that is taken by a function.
  return !['SELECT', 'VALUES', 'INSERT', 'UPDATE', 'DELETE'].includes(first)
}
