/**
 * What boot does once the configuration is read: tells what the operator should know, and reads the files. Out comes
 * everything that a service is made of, as plain values, so that it can be made in another process too.
 */
import type { Log } from '../log.ts'
import type { Datasource, Loaded } from './config.ts'
import { type Endpoints, loadEndpoints } from './endpoints.ts'
import type { Config } from './schema.ts'
import { version } from '../version.ts'

export interface Booted {
  readonly config: Config
  readonly datasources: readonly SizedDatasource[]
  readonly endpoints: Endpoints
  /** Unix time in milliseconds. */
  readonly startTime: number
}

export interface SizedDatasource extends Datasource {
  /** Most connections of one process: its part of `maxConnections`. */
  readonly poolSize: number
}

/** For a single process, which has every connection to itself. */
export async function boot({ config, datasources, file, diagnostics }: Loaded, log: Log): Promise<Booted> {
  const startTime = Date.now()
  for (const message of diagnostics) log.write('diagnostic', { message })
  if (log.isEnabled('statement')) log.write('statementsLogged', {})
  const endpoints = await loadEndpoints(config.sqlDir, new Set(datasources.map(({ dialect }) => dialect)))
  log.write('started', { version, config: file, endpoints: endpoints.size, datasources: datasources.length })
  const sized = datasources.map((datasource) => ({ ...datasource, poolSize: datasource.maxConnections }))
  return { config, datasources: sized, endpoints, startTime }
}
