/**
 * The lock file -> what a start knows of the endpoints before any database is reached, for their description; what cannot be used
 * is told in one line. Read only where somebody wants the description.
 */
import { resolve } from 'node:path'
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import type { Events } from '../events.ts'
import { type KnownAtStart, readLockAtStart } from '../lock/at-start.ts'
import { lockFileBeside } from '../lock/lock-file.ts'
import { lockFileName } from '../lock/lock.ts'
import type { Dialect } from '../model.ts'
import { datasourcesByProject, projectRules } from '../project-datasource.ts'
import type { Loaded } from './config/config.ts'
import type { Endpoints } from './endpoints.ts'

/** By the names that the lock has for endpoints. */
export type LockedTypes = ReadonlyMap<string, EndpointTypes>

export function readLockedTypes(
  { config, datasources, file }: Pick<Loaded, 'config' | 'datasources' | 'file'>,
  endpoints: Endpoints,
): KnownAtStart {
  const dialects = new Map<string | undefined, Dialect>(datasources.map(({ name, dialect }) => [name, dialect]))
  const datasourceOf = datasourcesByProject(projectRules(config))
  return readLockAtStart({
    path: lockFileBeside(file, process.cwd()),
    endpoints: endpoints.values(),
    dialectOf: ({ project }) => dialects.get(datasourceOf(project)),
    pathOf: (endpoint) => resolve(config.sqlDir, endpoint.file),
  })
}

export function tellLocked({ stale, refusal }: KnownAtStart, events: Events): void {
  const cure = 'write it anew with sqlapi check --write'
  if (refusal !== undefined) events.emit('lockRefused', { file: lockFileName, reason: refusal, cure })
  const [first] = stale
  if (first !== undefined) events.emit('lockStale', { file: lockFileName, first, endpoints: stale.length, cure })
}
