/**
 * The lock file -> what a start knows of the endpoints before any database is reached, for their description. Read only
 * when the description is wanted.
 */
import { resolve } from 'node:path'
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import { type KnownAtStart, readLockAtStart } from '../lock/at-start.ts'
import { lockFileBeside } from '../lock/lock-file.ts'
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
