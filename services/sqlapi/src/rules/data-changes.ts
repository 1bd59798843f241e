/**
 * A statement -> the changes of data in it: what it is itself, and what is in its WITH. Not what only mentions the
 * words: `ON CONFLICT DO UPDATE`, `FOR UPDATE`, the branches of MERGE, bodies of routines and triggers, a statement
 * that is explained without ANALYZE, which would run it.
 */
import type { Reading } from './reading.ts'

export interface DataChange {
  readonly verb: 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE' | 'REPLACE' | 'TRUNCATE'
  /** Number of the verb's token. */
  readonly at: number
  /** The table, as the statement names it. */
  readonly table: string
  /** What it does to every row of the table; undefined where it says which rows are meant. */
  readonly toAll: 'changes' | 'removes' | undefined
  /** The table is gone with the session. */
  readonly isTemporary: boolean
}

const verbs = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE', 'TRUNCATE'])
const others = new Set(['SELECT', 'VALUES', 'TABLE'])

/** The verbs that mean all rows without a WHERE, which is easily forgotten. */
const withoutWhere: Readonly<Partial<Record<DataChange['verb'], DataChange['toAll']>>> = {
  UPDATE: 'changes',
  DELETE: 'removes',
}

/** Words between the verb and the name of the table, such as in `INSERT OR REPLACE INTO`, `DELETE FROM ONLY`. */
const beforeTable = new Set('INTO FROM ONLY TABLE OR ROLLBACK ABORT REPLACE FAIL IGNORE'.split(' '))

/** `temporary` are names of tables that the file has made for itself, in lower case. */
export function findChanges(reading: Reading, temporary: ReadonlySet<string>): DataChange[] {
  return changesIn(reading, temporary, firstRun(reading), reading.tokens.length)
}

/**
 * Token with which the statement that runs begins: that behind `EXPLAIN ANALYZE`, `EXPLAIN (BUFFERS, ANALYZE)`, else
 * the first.
 */
function firstRun(reading: Reading): number {
  if (reading.wordAt(0) !== 'EXPLAIN') return 0
  if (reading.textAt(1) !== '(') {
    if (!isAnalyze(reading.wordAt(1))) return 0
    return reading.wordAt(2) === 'VERBOSE' ? 3 : 2
  }
  const end = reading.closingOf(1)
  let analyzes = false
  for (let at = 2; at < end; at++) {
    if (isAnalyze(reading.wordAt(at))) analyzes = !switchedOff(reading, at + 1)
  }
  return analyzes ? end + 1 : 0
}

function isAnalyze(word: string): boolean {
  return word === 'ANALYZE' || word === 'ANALYSE'
}

/** `ANALYZE off`; PostgreSQL takes the value with quotes too. */
function switchedOff(reading: Reading, at: number): boolean {
  return /^['"]?(?:off|false|0)['"]?$/i.test(reading.textAt(at))
}

/** Of the statement between two tokens, which may begin with WITH. */
function changesIn(reading: Reading, temporary: ReadonlySet<string>, from: number, to: number): DataChange[] {
  const { bodies, main } = readWith(reading, from, to)
  const found = bodies.flatMap(([first, end]) => changesIn(reading, temporary, first, end))
  const verb = reading.wordAt(main)
  if (main >= to || !isVerb(verb)) return found
  found.push(toChange(reading, temporary, verb, main, to))
  // A WITH may be behind the verb too: INSERT INTO t WITH moved AS (DELETE ..) SELECT ..
  const inner = verb === 'INSERT' ? wordOutside(reading, 'WITH', main + 1, to) : undefined
  return inner === undefined ? found : [...found, ...changesIn(reading, temporary, inner, to)]
}

function isVerb(word: string): word is DataChange['verb'] {
  return verbs.has(word)
}

/** Number of the token with which the statement itself begins, after its WITH. */
export function mainOf(reading: Reading): number {
  return readWith(reading, 0, reading.tokens.length).main
}

interface With {
  /** First token of each body, and the token behind its last. */
  readonly bodies: readonly (readonly [first: number, end: number])[]
  /** Where the statement itself begins. */
  readonly main: number
}

function readWith(reading: Reading, from: number, to: number): With {
  const bodies: [number, number][] = []
  if (reading.wordAt(from) !== 'WITH') return { bodies, main: from }
  let at = reading.wordAt(from + 1) === 'RECURSIVE' ? from + 2 : from + 1
  for (;;) {
    // A name, which may be a key word, and names of columns.
    at++
    if (reading.textAt(at) === '(') at = reading.closingOf(at) + 1
    if (reading.wordAt(at) === 'AS') at++
    if (reading.wordAt(at) === 'NOT') at++
    if (reading.wordAt(at) === 'MATERIALIZED') at++
    if (reading.textAt(at) === '(') {
      const end = reading.closingOf(at)
      bodies.push([at + 1, end])
      at = end + 1
    }
    // SEARCH and CYCLE may follow.
    while (at < to && reading.textAt(at) !== ',' && !begins(reading.wordAt(at)) && reading.textAt(at) !== '(') at++
    if (reading.textAt(at) !== ',') return { bodies, main: at }
    at++
  }
}

function begins(word: string): boolean {
  return verbs.has(word) || others.has(word)
}

function toChange(
  reading: Reading,
  temporary: ReadonlySet<string>,
  verb: DataChange['verb'],
  at: number,
  to: number,
): DataChange {
  let first = at + 1
  while (first < to - 1 && beforeTable.has(reading.wordAt(first))) first++
  let last = first
  while (reading.textAt(last + 1) === '.' && last + 2 < to) last += 2
  const names = Array.from({ length: (last - first) / 2 + 1 }, (_, number) => reading.nameAt(first + 2 * number))
  const table = reading.source.slice(reading.tokens[first]?.start, reading.tokens[last]?.end)
  const isLimited = wordOutside(reading, 'WHERE', at + 1, to) !== undefined
  const isTemporary =
    (names.length === 1 && temporary.has(names[0] as string)) ||
    ['temp', 'temporary', 'pg_temp'].includes(names.at(-2) ?? '')
  return { verb, at, table, toAll: isLimited ? undefined : withoutWhere[verb], isTemporary }
}

/** Number of the first such word that is in no brackets. */
export function wordOutside(reading: Reading, word: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at++) {
    if (reading.wordAt(at) === word) return at
    if (reading.textAt(at) === '(' || reading.textAt(at) === '[') at = reading.closingOf(at)
  }
  return undefined
}

/** The table that the statement makes for the session alone: `CREATE TEMP TABLE x`, `SELECT .. INTO TEMP x`. */
export function temporaryTable(reading: Reading): string | undefined {
  for (const index of reading.tokens.keys()) {
    const word = reading.wordAt(index)
    if (word !== 'TEMP' && word !== 'TEMPORARY') continue
    if (!['CREATE', 'LOCAL', 'GLOBAL', 'INTO'].includes(reading.wordAt(index - 1))) continue
    let at = index + 1
    while (['TABLE', 'IF', 'NOT', 'EXISTS'].includes(reading.wordAt(at))) at++
    if (['VIEW', 'SEQUENCE', 'TRIGGER', 'RECURSIVE'].includes(reading.wordAt(at))) return undefined
    return reading.nameAt(at)
  }
  return undefined
}
