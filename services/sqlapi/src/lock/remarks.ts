/**
 * The lock -> what `check` has to say of it: at the files whose entries are missing or differ, and at the lock file
 * itself.
 */
import type { StatementDescription } from '../description.ts'
import type { Remark } from '../findings/finding.ts'
import type { Dialect, Endpoint } from '../model.ts'
import { differencesOf, missingEntry } from './compare.ts'
import { lockFileName, lockNameOf } from './lock.ts'
import type { LockFile } from './lock-file.ts'
import { isComplete, toEntry } from './make.ts'

export interface LockedEndpoint {
  readonly endpoint: Endpoint
  readonly dialect: Dialect
  readonly sha256: string
  /** Undefined where no database was asked. */
  readonly descriptions: readonly StatementDescription[] | undefined
  /** False where somebody looks at a database for which the lock may not have been written. */
  readonly needsEntry: boolean
}

export function remarksOnFile(
  file: LockFile,
  { endpoint, dialect, sha256, descriptions, needsEntry }: LockedEndpoint,
): Remark[] {
  if (file.state !== 'read') return []
  const name = lockNameOf(endpoint)
  const entry = file.lock.get(name)?.[dialect]
  if (entry === undefined) return needsEntry ? [remark(missingEntry(name, dialect))] : []
  // What could not be asked about has not changed for all that is known.
  const isKnown = descriptions !== undefined && isComplete({ descriptions })
  const now = isKnown ? toEntry({ endpoint, dialect, sha256, descriptions }) : undefined
  return differencesOf(entry, sha256, now).map((difference) => remark(difference))
}

/** Nobody can compare without a database or a lock. */
export const missingLock: Remark = {
  ...remark(`there is no ${lockFileName}, so without a database there is nothing to compare with`),
  cure: 'write it with check --write, which asks the databases, and keep it in version control',
}

/** The lines are those of the lock file. */
export function remarksOnLock(file: LockFile, endpoints: Iterable<Endpoint>): Remark[] {
  if (file.state === 'missing') return []
  if (file.state === 'refused') {
    const cure = file.isNewer
      ? 'update sqlapi, or write the file again with check --write'
      : 'take it from version control, or write it again with check --write'
    return [{ ...remark(`${lockFileName} is refused: ${file.reason}`), cure }]
  }
  const known = new Map(Array.from(endpoints, (endpoint) => [lockNameOf(endpoint), endpoint]))
  const lines = file.text.split('\n')
  return Array.from(file.lock).flatMap(([name, entries]): Remark[] => {
    const endpoint = known.get(name)
    const line = Math.max(1, lines.indexOf(`    ${JSON.stringify(name)}: {`) + 1)
    if (endpoint === undefined) return [remark(`${name} has an entry, and no file`, line)]
    const unused = Object.keys(entries).filter((dialect) => endpoint.scripts[dialect as Dialect] === undefined)
    return unused.map((dialect) => remark(`${name} has an entry for ${dialect}, which no datasource speaks`, line))
  })
}

function remark(message: string, line = 1): Remark {
  return { code: 'lock', line, column: 1, message }
}
