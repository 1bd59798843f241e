/**
 * The lock file -> what a start knows of the endpoints before any database is reached, for their description. Read only
 * when the description is wanted.
 */
import { resolve } from 'node:path'
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import { type KnownAtStart, readLockAtStart } from '../lock/at-start.ts'
import { lockFileBeside } from '../lock/lock-file.ts'
import { datasourceFinder } from '../project-datasource.ts'
import type { Loaded } from './config/config.ts'
import type { Endpoints } from './endpoints.ts'

/** By the names that the lock has for endpoints. */
export type LockedTypes = ReadonlyMap<string, EndpointTypes>

export function readLockedTypes(
  { config, datasources, file }: Pick<Loaded, 'config' | 'datasources' | 'file'>,
  endpoints: Endpoints,
): KnownAtStart {
  const datasourceOf = datasourceFinder({ config, datasources })
  return readLockAtStart({
    path: lockFileBeside(file, process.cwd()),
    endpoints: endpoints.values(),
    dialectOf: ({ project }) => datasourceOf(project)?.dialect,
    pathOf: (endpoint) => resolve(config.sqlDir, endpoint.file),
  })
}
