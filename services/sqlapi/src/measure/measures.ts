/**
 * What one process of the service counts and measures: made before the service, which gives it its datasources and its
 * load. Loaded only where an admin listener is configured.
 */
import { openProcessMetrics, Registry, type Snapshot } from '@services/metrics'
import type { Events } from '../events.ts'
import type { DatasourceMeter } from '../metering.ts'
import type { Database } from '../database/database.ts'
import { DatasourceCounts, watchLoads } from './datasource-counts.ts'
import { metricTable } from './metric-table.ts'
import { RequestCounts } from './request-counts.ts'

/** What can be measured once the service runs. */
export interface Measured {
  /** All that are open, each with the name of its datasource. */
  readonly databases: Iterable<readonly [name: string, database: Database]>
  /** Of the listener of the callers. */
  readonly load: () => { readonly requests: number; readonly bytesIn: number; readonly bytesOut: number }
}

export class Measures {
  readonly #metrics = new Registry(metricTable)
  readonly #requests = new RequestCounts(this.#metrics)
  /** Counts nothing more. */
  readonly close: () => void

  /** Counts requests from now on, so it must be made before the service. */
  constructor(events: Events) {
    for (const outcome of ['ok', 'failed']) this.#metrics.counter('sqlapi_reload_total', outcome)
    const ends = [events.subscribe(this.#requests), openProcessMetrics(this.#metrics)]
    this.close = () => {
      for (const end of ends) end()
    }
  }

  meterOf(datasource: string): DatasourceMeter {
    return new DatasourceCounts(this.#metrics, datasource)
  }

  watch({ databases, load }: Measured): void {
    const inFlight = this.#metrics.gauge('sqlapi_http_requests_in_flight')
    const bytesIn = this.#metrics.counter('sqlapi_http_request_bytes_total')
    const bytesOut = this.#metrics.counter('sqlapi_http_response_bytes_total')
    this.#metrics.beforeSnapshot(() => {
      const now = load()
      inFlight.set(now.requests)
      bytesIn.value = now.bytesIn
      bytesOut.value = now.bytesOut
    })
    watchLoads(this.#metrics, databases)
  }

  /** Other objects stand for the endpoints from now on. */
  endpointsReplaced(): void {
    this.#requests.forgetEndpoints()
  }

  /** Which version runs; told by one process for all. */
  tellVersion(version: string): void {
    this.#metrics.gauge('sqlapi_build_info', version).set(1)
  }

  snapshot(): Snapshot {
    return this.#metrics.snapshot()
  }
}
