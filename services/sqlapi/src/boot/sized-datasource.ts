/** A datasource as a process opens it. Apart from boot.ts, because workers read no configuration and no files. */
import type { Datasource } from './config/config.ts'

export interface SizedDatasource extends Datasource {
  /** Most connections of one process: its part of `maxConnections`. */
  readonly poolSize: number
  /** Of the files with which it logs in: another text where they hold something else. */
  readonly login: string
  /** PostgreSQL: `trace.sql_comment`. */
  readonly sqlComment: boolean
}

/** What it takes to open the database: a datasource with the same needs no other one. */
export function settingsOf(datasource: SizedDatasource): string {
  return JSON.stringify({ ...datasource, optional: undefined })
}
