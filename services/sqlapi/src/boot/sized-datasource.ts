/** A datasource as a process opens it. Apart from boot.ts, because workers read no configuration and no files. */
import type { Datasource } from './config/config.ts'

export interface SizedDatasource extends Datasource {
  /** Most connections of one process: its part of `maxConnections`. */
  readonly poolSize: number
  /** Changes with the content of the files that it logs in with. */
  readonly login: string
  /** PostgreSQL: `trace.sql_comment`. */
  readonly sqlComment: boolean
}

/** Key of the settings that open the database: datasources with equal keys share one. */
export function settingsOf(datasource: SizedDatasource): string {
  return JSON.stringify({ ...datasource, optional: undefined })
}
