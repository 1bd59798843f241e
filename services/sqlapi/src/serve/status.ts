/**
 * The service's own pages, as a table. Made from what is known at start and from the clock: they ask no database, so
 * they answer even while every database is down.
 */
import { jsonBody } from '../json/body.ts'
import type { Body, Dialect, Reply } from '../model.ts'

/** What may be shown of a datasource: the password in `url` is masked already. */
export interface DatasourceSummary {
  readonly name: string
  readonly url: string
  readonly dialect: Dialect
  readonly username: string
  /** The name by which clients of the predecessor know its kind. */
  readonly driverClassName: string
}

/** What the pages tell; times are Unix milliseconds. */
export interface StatusFacts {
  readonly version: string
  /** 0 when unknown. */
  readonly packagingTime: number
  readonly startTime: number
  readonly datasources: readonly DatasourceSummary[]
}

/** Path -> the reply at the time of the call. */
export type StatusPages = ReadonlyMap<string, () => PageReply>

type PageReply = Reply & { readonly body: Body }

const appName = 'sqlapi'

export function createPages(facts: StatusFacts, now: () => number = Date.now): StatusPages {
  const health = (): PageReply => toReply(jsonBody(healthText(facts, now())))
  const datasources = toReply(jsonBody(JSON.stringify(facts.datasources.toSorted(byName).map(describe))))
  return new Map([
    ['/health', health],
    ['/healthz', health],
    ['/datasources', () => datasources],
  ])
}

/** JSON text: the process is up, whatever its databases are. */
export function healthText(
  { version, packagingTime, startTime: appStartTime }: Omit<StatusFacts, 'datasources'>,
  serverTime: number,
): string {
  return JSON.stringify({ appName, version, packagingTime, appStartTime, serverTime, status: 'UP' })
}

function toReply(body: Body): PageReply {
  return { status: 200, headers: {}, body }
}

/** By code unit, so that the order is the same on every machine. */
function byName(a: DatasourceSummary, b: DatasourceSummary): number {
  return a.name < b.name ? -1 : 1
}

function describe({ name, url, dialect, username, driverClassName }: DatasourceSummary) {
  return { name, url, driver: dialect, jdbcUrl: url, username, driverClassName }
}
