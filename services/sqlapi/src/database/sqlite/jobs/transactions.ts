/** Which transaction a job wants, by what its file is. Pure. */
import type { Endpoint, Script, Statement } from '../../../model.ts'
import type { Job } from '../worker-messages.ts'

/** A batch and a marked POST file take the write lock at once: waiting for it later could only fail. */
export function transactionOf(
  { transactional, method }: Endpoint,
  { statements }: Script,
  batch: boolean,
): Job['transaction'] {
  if (batch || (transactional && method === 'POST')) return 'immediate'
  // A transaction that begins by reading and then writes may find that others have written meanwhile, and fails.
  if (transactional) return statements.every(({ effect }) => effect === 'read') ? 'deferred' : 'immediate'
  return statements.length === 1 && statements.every(isPlainWrite) ? 'shared' : 'none'
}

/** A statement that can run in any transaction; VACUUM, which is a write too, can run in none. */
function isPlainWrite({ effect, pieces: [text = ''] }: Statement): boolean {
  return effect === 'write' && /^(?:INSERT|REPLACE|UPDATE|DELETE|WITH)\b/i.test(text)
}

/** A transaction of the service, and not one that SQLite makes around a single write. */
export function isOwn(transaction: Job['transaction']): boolean {
  return transaction === 'deferred' || transaction === 'immediate'
}
