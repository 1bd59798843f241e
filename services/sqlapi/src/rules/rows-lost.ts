/**
 * A file -> the statements whose rows no caller gets, because the answer has those of a later statement. Only for
 * statements that do nothing else: a function that the file calls may act, a lock and an assertion do.
 */
import type { Remark } from '../findings/finding.ts'
import type { Script } from '../model.ts'
import type { TokenRules } from '../sql/grammar.ts'
import { mainOf, wordOutside } from './data-changes.ts'
import { Reading } from './reading.ts'

export function findLostRows({ statements }: Script, rules: TokenRules): Remark[] {
  if (statements.length < 2 || statements.some(({ refusal }) => refusal !== undefined)) return []
  const readings = statements.map((statement) => new Reading(statement, rules))
  const answering = readings.findLastIndex((reading) => givesRows(reading))
  const { line = 0 } = statements[answering] ?? {}
  const message = `no caller gets these rows, because the answer has those of the statement in line ${line}`
  return readings.slice(0, Math.max(answering, 0)).flatMap((reading): Remark[] => {
    const cure = cureOf(reading)
    return cure === undefined ? [] : [{ code: 'rows-lost', ...reading.positionOf(0), message, cure }]
  })
}

function givesRows(reading: Reading): boolean {
  return isQuery(reading) || hasReturning(reading)
}

function isQuery(reading: Reading): boolean {
  let at = mainOf(reading)
  while (reading.textAt(at) === '(') at++
  if (!['SELECT', 'VALUES', 'TABLE'].includes(reading.wordAt(at))) return false
  // SELECT .. INTO makes a table.
  return wordOutside(reading, 'INTO', at, reading.tokens.length) === undefined
}

function hasReturning(reading: Reading): boolean {
  const verb = reading.wordAt(mainOf(reading))
  if (!['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE'].includes(verb)) return false
  return wordOutside(reading, 'RETURNING', 0, reading.tokens.length) !== undefined
}

/** Nothing if the rows may not be all that the statement is for. */
function cureOf(reading: Reading): string | undefined {
  if (hasReturning(reading)) return 'remove RETURNING, or have the last statement select these rows too'
  if (reading.statement.effect !== 'read' || !isQuery(reading) || mayAct(reading)) return undefined
  return 'move it to a file of its own, or make one SELECT of both, each in brackets: SELECT (SELECT ..), (SELECT ..)'
}

function mayAct(reading: Reading): boolean {
  const callsUnknown = reading.tokens.some(({ kind }, at) => {
    if ((kind !== 'word' && kind !== 'quoted') || reading.textAt(at + 1) !== '(') return false
    return reading.textAt(at - 1) === '.' || !harmless.has(reading.wordAt(at))
  })
  return callsUnknown || mayAssert(reading)
}

/** `SELECT 1 / (SELECT count(*) ..)` and `SELECT 'No such order'::int` are there to fail. */
function mayAssert(reading: Reading): boolean {
  if (wordOutside(reading, 'FROM', 0, reading.tokens.length) !== undefined) return false
  return reading.tokens.some((_, at) => ['/', '%', '::'].includes(reading.textAt(at)) || reading.wordAt(at) === 'CAST')
}

/** Words before a bracket that are no function, and functions that only compute. */
const harmless = new Set(
  [
    'SELECT DISTINCT AS FROM JOIN LATERAL ON USING WHERE AND OR NOT IN EXISTS ANY SOME ALL BETWEEN LIKE ILIKE IS OVER',
    'FILTER WITHIN BY HAVING LIMIT OFFSET UNION INTERSECT EXCEPT VALUES CASE WHEN THEN ELSE ROW ARRAY MATERIALIZED',
    'SETS ROLLUP CUBE CAST EXTRACT NUMERIC DECIMAL VARCHAR CHAR CHARACTER TIMESTAMP TIMESTAMPTZ TIME INTERVAL',
    'COUNT SUM MIN MAX AVG TOTAL BOOL_AND BOOL_OR EVERY STRING_AGG ARRAY_AGG GROUP_CONCAT JSON_AGG JSONB_AGG',
    'JSON_OBJECT_AGG JSONB_OBJECT_AGG JSON_GROUP_ARRAY JSON_GROUP_OBJECT JSON_OBJECT JSON_ARRAY JSON_BUILD_OBJECT',
    'JSONB_BUILD_OBJECT JSON_BUILD_ARRAY JSONB_BUILD_ARRAY TO_JSON TO_JSONB ROW_TO_JSON JSON_EXTRACT JSON_EACH',
    'ROW_NUMBER RANK DENSE_RANK NTILE LAG LEAD FIRST_VALUE LAST_VALUE COALESCE NULLIF IFNULL IIF GREATEST LEAST',
    'LOWER UPPER INITCAP LENGTH TRIM LTRIM RTRIM BTRIM SUBSTR SUBSTRING REPLACE CONCAT CONCAT_WS POSITION LEFT RIGHT',
    'LPAD RPAD SPLIT_PART FORMAT PRINTF ROUND FLOOR CEIL CEILING TRUNC ABS MOD TYPEOF UNNEST GENERATE_SERIES',
    'NOW DATE DATETIME STRFTIME JULIANDAY UNIXEPOCH TO_CHAR TO_DATE TO_TIMESTAMP DATE_TRUNC DATE_PART AGE',
  ].flatMap((words) => words.split(' ')),
)
