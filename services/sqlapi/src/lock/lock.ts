/**
 * The vocabulary of the lock: what is known of each endpoint without a database, as it was when the lock was written.
 * Types and names; its text is lock-text.ts's, its file lock-file.ts's.
 */
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import type { Dialect, Endpoint } from '../model.ts'
import type { Kind } from '../sql/kind.ts'

/** It is beside the configuration. */
export const lockFileName = 'sqlapi.lock.json'

/** Of what is in the file. A file of a newer version is not understood. */
export const lockVersion = 1

/** What one dialect makes of an endpoint. */
export interface LockEntry extends EndpointTypes {
  /** Of the text of the file (digest.ts). */
  readonly sha256: string
  readonly kind: Kind
}

/** By the name of the endpoint, and by dialect. */
export type Lock = ReadonlyMap<string, Readonly<Partial<Record<Dialect, LockEntry>>>>

/** As the lock calls it: `GET /crm/orders/list`. */
export function lockNameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`
}
