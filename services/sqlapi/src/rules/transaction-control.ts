/** A statement -> whether it begins or ends a transaction, or cannot run in one, in the words of the file. */
import type { Reading } from './reading.ts'

/** First word -> whether the next ones make it one. A savepoint is inside of its transaction. */
const controls: Readonly<Record<string, (next: string, third: string) => boolean>> = {
  BEGIN: () => true,
  START: (next) => next === 'TRANSACTION',
  COMMIT: () => true,
  END: () => true,
  ROLLBACK: (next, third) => next !== 'TO' && third !== 'TO',
  ABORT: () => true,
  PREPARE: (next) => next === 'TRANSACTION',
}

/** Its words: `COMMIT`, `START TRANSACTION`; nothing for any other statement. */
export function transactionControl(reading: Reading): string | undefined {
  const [first, second, third] = [0, 1, 2].map((index) => reading.wordAt(index)) as [string, string, string]
  if (controls[first]?.(second, third) !== true) return undefined
  return ['TRANSACTION', 'PREPARED'].includes(second) ? `${first} ${second}` : first
}

/** Commands that both kinds of databases, or PostgreSQL, refuse in a transaction. */
const outside =
  /^(?:VACUUM|(?:CREATE|DROP) (?:UNIQUE )?INDEX CONCURRENTLY|REINDEX .*?CONCURRENTLY|(?:CREATE|DROP) (?:DATABASE|TABLESPACE)|ALTER SYSTEM|DISCARD ALL)\b/

/** The words of a command that cannot run in a transaction; nothing for any other statement. */
export function outsideTransaction(reading: Reading): string | undefined {
  const words = reading.tokens.slice(0, 6).map((_, at) => reading.wordAt(at))
  return outside.exec(words.filter((word) => word !== '').join(' '))?.[0]
}
