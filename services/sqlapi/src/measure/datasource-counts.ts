/** What one datasource has done: its meter, and how busy it is at the moment of a snapshot. */
import type { Counter, Histogram, Registry } from '@services/metrics'
import type { DatabaseLoad, DatasourceMeter, ReplicaLoad } from '../metering.ts'
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

/** Sets the gauges of a datasource before each snapshot. */
export function watchLoad(metrics: Metrics, datasource: string, database: { load(): DatabaseLoad }): void {
  const waiting = metrics.gauge('sqlapi_jobs_waiting', datasource)
  metrics.beforeSnapshot(() => {
    const load = database.load()
    waiting.set(load.waiting)
    for (const [state, count] of Object.entries(load.connections)) {
      metrics.gauge('sqlapi_connections', datasource, state).set(count)
    }
  })
}

/** The same for a replica, with what only replicas have. */
export function watchReplica(metrics: Metrics, replica: ReplicaLoad): void {
  const { name } = replica
  watchLoad(metrics, name, replica)
  const up = metrics.gauge('sqlapi_replica_up', name)
  const lag = metrics.gauge('sqlapi_replica_lag_bytes', name)
  const retries = metrics.counter('sqlapi_replica_retries_total', name)
  metrics.beforeSnapshot(() => {
    up.set(replica.isUsed ? 1 : 0)
    if (replica.lagBytes !== undefined) lag.set(replica.lagBytes)
    retries.value = replica.retries
  })
}
