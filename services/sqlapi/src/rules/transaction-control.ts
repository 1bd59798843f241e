/** A statement -> whether it begins or ends a transaction, in the words of the file. */
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
