/** What the databases have said of the files -> the lock. Pure. */
import type { StatementDescription } from '../description.ts'
import { dialects } from '../dialects.ts'
import { toEndpointTypes } from '../endpoint-types/endpoint-types.ts'
import type { Dialect, Endpoint, Script } from '../model.ts'
import { kindOf } from '../sql/kind.ts'
import { type Lock, type LockEntry, lockNameOf } from './lock.ts'

/** A file with what its database has said of it. */
export interface DescribedEndpoint {
  readonly endpoint: Endpoint
  readonly dialect: Dialect
  /** Of the text of the file. */
  readonly sha256: string
  /** Of each statement. */
  readonly descriptions: readonly StatementDescription[]
}

/**
 * `before` is the lock that there was: what it says of other dialects, and what nobody can say again, stays as long as
 * the text does.
 */
export function makeLock(described: readonly DescribedEndpoint[], before?: Lock): Lock {
  return new Map(
    described.map((each) => {
      const name = lockNameOf(each.endpoint)
      const kept = Object.entries(before?.get(name) ?? {}).filter(
        ([dialect, entry]) => each.endpoint.scripts[dialect as Dialect] !== undefined && entry.sha256 === each.sha256,
      )
      const entries: Partial<Record<Dialect, LockEntry>> = Object.fromEntries(kept)
      // What cannot be asked about at the moment is not forgotten.
      if (entries[each.dialect] === undefined || isComplete(each)) entries[each.dialect] = toEntry(each)
      return [name, entries]
    }),
  )
}

/** A database has said all that it can say. */
export function isComplete({ descriptions }: Pick<DescribedEndpoint, 'descriptions'>): boolean {
  return descriptions.every(({ outcome }) => outcome === 'described')
}

export function toEntry({ endpoint, dialect, sha256, descriptions }: DescribedEndpoint): LockEntry {
  const script = endpoint.scripts[dialect] as Script
  return { sha256, kind: kindOf(script, dialects[dialect].grammar), ...toEndpointTypes(script, descriptions) }
}
