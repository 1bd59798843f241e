/**
 * The lock as a start reads it, for the description of the endpoints: types of those files whose text is still the one
 * for which it was written. Never stops a start; what cannot be used is reported.
 */
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import type { Dialect, Endpoint } from '../model.ts'
import { lockNameOf } from './lock.ts'
import { digestOfFile, readLockFile } from './lock-file.ts'

export interface KnownAtStart {
  /** By the names that the lock has for endpoints. */
  readonly types: ReadonlyMap<string, EndpointTypes>
  /** Names of endpoints whose files have changed. */
  readonly stale: readonly string[]
  /** Why the file is not used at all. */
  readonly refusal: string | undefined
}

export interface LockQuestion {
  readonly path: string
  readonly endpoints: Iterable<Endpoint>
  /** Of the datasource on which it runs. */
  readonly dialectOf: (endpoint: Endpoint) => Dialect | undefined
  readonly pathOf: (endpoint: Endpoint) => string
}

export function readLockAtStart({ path, endpoints, dialectOf, pathOf }: LockQuestion): KnownAtStart {
  const file = readLockFile(path)
  const types = new Map<string, EndpointTypes>()
  const stale: string[] = []
  if (file.state !== 'read') {
    return { types, stale, refusal: file.state === 'refused' ? file.reason : undefined }
  }
  for (const endpoint of endpoints) {
    const name = lockNameOf(endpoint)
    const dialect = dialectOf(endpoint)
    const entry = dialect === undefined ? undefined : file.lock.get(name)?.[dialect]
    if (entry === undefined) continue
    if (entry.sha256 === digestOfFile(pathOf(endpoint)))
      types.set(name, { parameters: entry.parameters, keys: entry.keys })
    else stale.push(name)
  }
  return { types, stale, refusal: undefined }
}
