/** What is to be checked, read as the service reads it at start. Throws a StartupFailure where the service would not start. */
import { relative, resolve, sep } from 'node:path'
import type { StartEnvironment } from '@services/config-file'
import { type Datasource, loadConfig } from '../boot/config/config.ts'
import type { Config } from '../boot/config/schema.ts'
import { type Endpoints, loadEndpoints } from '../boot/endpoints.ts'
import type { Ignored } from '../boot/ignored.ts'

export interface Project {
  readonly config: Config
  readonly datasources: readonly Datasource[]
  readonly endpoints: Endpoints
  /** In the tree, and not published. */
  readonly ignored: readonly Ignored[]
  /** A path below `sql_dir` -> as a person in the working directory names it. */
  readonly shown: (file: string) => string
}

export async function readProject(start: StartEnvironment): Promise<Project> {
  const { config, datasources } = loadConfig(start)
  const sqlDir = resolve(start.cwd, config.sqlDir)
  const ignored: Ignored[] = []
  const dialects = new Set(datasources.map(({ dialect }) => dialect))
  const endpoints = await loadEndpoints(config.sqlDir, dialects, (what) => ignored.push(what))
  const shown = (file: string): string => relative(start.cwd, resolve(sqlDir, file)).replaceAll(sep, '/')
  return { config, datasources, endpoints, ignored, shown }
}
