/** What one datasource has done: its meter, and how busy it is at the moment of a snapshot. */
import type { Counter, Histogram, Registry } from '@services/metrics'
import type { DatabaseLoad, DatasourceMeter, ReplicaLoad } from '../metering.ts'
import type { Database } from '../database/database.ts'
import type { metricTable } from './metric-table.ts'

type Metrics = Registry<typeof metricTable>

export class DatasourceCounts implements DatasourceMeter {
  readonly #waits: Histogram
  readonly #times: Histogram
  readonly #shared: Counter
  readonly #alone: Counter
  readonly #rows: Counter
  readonly #rollbacks: Counter
  readonly #cancels: Counter

  constructor(metrics: Metrics, datasource: string) {
    this.#waits = metrics.histogram('sqlapi_connection_wait_seconds', datasource)
    this.#times = metrics.histogram('sqlapi_statement_duration_seconds', datasource)
    this.#shared = metrics.counter('sqlapi_calls_total', datasource, 'shared')
    this.#alone = metrics.counter('sqlapi_calls_total', datasource, 'alone')
    this.#rows = metrics.counter('sqlapi_rows_total', datasource)
    this.#rollbacks = metrics.counter('sqlapi_rollbacks_total', datasource)
    this.#cancels = metrics.counter('sqlapi_cancels_total', datasource)
  }

  waited(ms: number): void {
    this.#waits.observe(ms / 1000)
  }

  ran(ms: number | undefined, isShared: boolean): void {
    if (ms !== undefined) this.#times.observe(ms / 1000)
    if (isShared) this.#shared.add(1)
    else this.#alone.add(1)
  }

  gave(rows: number): void {
    this.#rows.add(rows)
  }

  rolledBack(): void {
    this.#rollbacks.add(1)
  }

  cancelled(): void {
    this.#cancels.add(1)
  }
}

const gauges = ['sqlapi_jobs_waiting', 'sqlapi_connections', 'sqlapi_replica_up', 'sqlapi_replica_lag_bytes'] as const

/**
 * Sets the gauges of datasources before each snapshot, of those that are open then. One that is opened again has two
 * databases for a while.
 */
export function watchLoads(metrics: Metrics, databases: Iterable<readonly [name: string, database: Database]>): void {
  /** Retries of each replica that have been counted. */
  const retries = new WeakMap<ReplicaLoad, number>()
  metrics.beforeSnapshot(() => {
    for (const gauge of gauges) metrics.clear(gauge)
    for (const [name, database] of databases) {
      addLoad(metrics, name, database)
      for (const replica of database.replicas ?? []) {
        setReplica(metrics, replica, replica.retries - (retries.get(replica) ?? 0))
        retries.set(replica, replica.retries)
      }
    }
  })
}

function addLoad(metrics: Metrics, name: string, database: { load(): DatabaseLoad }): void {
  const { waiting, connections } = database.load()
  metrics.gauge('sqlapi_jobs_waiting', name).add(waiting)
  for (const [state, count] of Object.entries(connections)) {
    metrics.gauge('sqlapi_connections', name, state).add(count)
  }
}

/** The same of a replica, with what only replicas have. */
function setReplica(metrics: Metrics, replica: ReplicaLoad, retries: number): void {
  const { name, isUsed, lagBytes } = replica
  addLoad(metrics, name, replica)
  metrics.gauge('sqlapi_replica_up', name).set(isUsed ? 1 : 0)
  if (lagBytes !== undefined) metrics.gauge('sqlapi_replica_lag_bytes', name).set(lagBytes)
  metrics.counter('sqlapi_replica_retries_total', name).add(retries)
}
