/**
 * The bodies of the service's own pages. Made from what is known at start and from the clock: no database is asked, so
 * they answer while every database is down.
 */
import type { Dialect } from '../model.ts'

/** What may be told of a datasource: the password in `url` is masked already. */
export interface DatasourceSummary {
  readonly name: string
  readonly url: string
  readonly dialect: Dialect
  readonly username: string
}

/** What the pages tell; times are Unix milliseconds. */
export interface StatusFacts {
  readonly version: string
  /** 0 when unknown. */
  readonly packagingTime: number
  readonly startTime: number
  readonly datasources: readonly DatasourceSummary[]
}

export interface Status {
  /** Body of `/health` at this moment. */
  health(): string
  /** Body of `/datasources`. */
  readonly datasources: string
}

const appName = 'sqlapi'

/** The names by which clients of the predecessor know the two kinds. */
const driverClassNames: Readonly<Record<Dialect, string>> = {
  postgres: 'org.postgresql.Driver',
  sqlite: 'org.sqlite.JDBC',
}

export function createStatus(facts: StatusFacts, now: () => number = Date.now): Status {
  const { version, packagingTime, startTime: appStartTime } = facts
  return {
    health: () => JSON.stringify({ appName, version, packagingTime, appStartTime, serverTime: now(), status: 'UP' }),
    datasources: JSON.stringify(facts.datasources.toSorted(byName).map(describe)),
  }
}

/** By code unit, so that the order is the same on every machine. */
function byName(a: DatasourceSummary, b: DatasourceSummary): number {
  return a.name < b.name ? -1 : 1
}

function describe({ name, url, dialect, username }: DatasourceSummary) {
  return { name, url, driver: dialect, jdbcUrl: url, username, driverClassName: driverClassNames[dialect] }
}
