/**
 * What the service counts and measures: made before the service, which tells it what to ask. Loaded only
 * where an admin listener is configured.
 */
import { openProcessMetrics, Registry, type Snapshot } from '@services/metrics'
import type { Events } from '../events.ts'
import { metricTable } from './metric-table.ts'
import { RequestCounts } from './request-counts.ts'

/** What can be measured once the service runs. */
export interface Measured {
  /** Of the listener of the callers. */
  readonly load: { readonly requests: number; readonly bytesIn: number; readonly bytesOut: number }
  readonly upstreams: readonly { load(): { readonly busy: number; readonly idle: number; readonly waiting: number } }[]
  readonly budget: { readonly used: number; readonly waiting: number }
  readonly certificates: readonly { readonly kind: string; readonly subject: string; readonly validTo: Date }[]
}

export class Measures {
  readonly #metrics = new Registry(metricTable)
  /** Counts nothing more. */
  readonly close: () => void

  /** Counts requests from now on, so it must be made before the service. */
  constructor(events: Events, version: string) {
    for (const outcome of ['ok', 'failed']) this.#metrics.counter('xroad_proxy_reload_total', outcome)
    this.#metrics.gauge('xroad_proxy_build_info', version).set(1)
    const ends = [events.subscribe(new RequestCounts(this.#metrics)), openProcessMetrics(this.#metrics)]
    this.close = () => {
      for (const end of ends) end()
    }
  }

  /** `measured` is asked before each snapshot. */
  watch(measured: () => Measured): void {
    const metrics = this.#metrics
    const inFlight = metrics.gauge('xroad_proxy_http_requests_in_flight')
    const bytesIn = metrics.counter('xroad_proxy_http_request_bytes_total')
    const bytesOut = metrics.counter('xroad_proxy_http_response_bytes_total')
    const busy = metrics.gauge('xroad_proxy_upstream_connections', 'busy')
    const idle = metrics.gauge('xroad_proxy_upstream_connections', 'idle')
    const waiting = metrics.gauge('xroad_proxy_calls_waiting')
    const held = metrics.gauge('xroad_proxy_inflight_bytes')
    metrics.beforeSnapshot(() => {
      const { load, upstreams, budget, certificates } = measured()
      inFlight.set(load.requests)
      bytesIn.value = load.bytesIn
      bytesOut.value = load.bytesOut
      const loads = upstreams.map((upstream) => upstream.load())
      busy.set(loads.reduce((sum, each) => sum + each.busy, 0))
      idle.set(loads.reduce((sum, each) => sum + each.idle, 0))
      waiting.set(loads.reduce((sum, each) => sum + each.waiting, budget.waiting))
      held.set(budget.used)
      this.#tellCertificates(certificates)
    })
  }

  snapshot(): Snapshot {
    return this.#metrics.snapshot()
  }

  /** Of several with one name the first to end. */
  #tellCertificates(certificates: Measured['certificates']): void {
    const left = new Map<string, number>()
    for (const { kind, subject, validTo } of certificates) {
      const name = `${kind} ${subject}`
      const seconds = Math.floor((validTo.getTime() - Date.now()) / 1000)
      left.set(name, Math.min(seconds, left.get(name) ?? Infinity))
    }
    const metric = 'xroad_proxy_certificate_expiry_seconds'
    // Those of the set before may be gone.
    this.#metrics.clear(metric)
    for (const [name, seconds] of left) this.#metrics.gauge(metric, name).set(seconds)
  }
}
