/**
 * Counts requests as they are answered: a subscriber of the event stream. The usual reply of an endpoint costs
 * additions to series that were found once; any other one is looked for among those of its method.
 */
import { type Counter, type Histogram, methodLabel, noEndpoint, type Registry } from '@services/metrics'
import { goneStatus, type Subscriber } from '@services/observe'
import { reloadOutcomes } from '@services/reload'
import type { AnsweredRequest, EventFields, EventName } from '../events.ts'
import type { metricTable } from './metric-table.ts'

type Metrics = Registry<typeof metricTable>

/** Paths of the service itself have a name of their own. */
const pages: ReadonlySet<string> = new Set(['/health', '/api', '/docs'])

export class RequestCounts implements Subscriber<EventFields> {
  readonly #metrics: Metrics
  /** By the name that the endpoint got at boot, and `none`. */
  readonly #ofEndpoints = new Map<string, EndpointCounts>()

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  hears(event: EventName): boolean {
    return event === 'answered' || event in reloadOutcomes
  }

  hear<Name extends EventName>(event: Name, fields: EventFields[Name]): void {
    if (event === 'answered') this.#count(fields as AnsweredRequest)
    else this.#metrics.counter('xroad_proxy_reload_total', reloadOutcomes[event as keyof typeof reloadOutcomes]).add(1)
  }

  #count(answered: AnsweredRequest): void {
    const { path = '' } = answered
    const name = answered.endpoint ?? (pages.has(path) ? path : noEndpoint)
    let counts = this.#ofEndpoints.get(name)
    if (counts === undefined) this.#ofEndpoints.set(name, (counts = new EndpointCounts(this.#metrics, name)))
    counts.count(answered)
  }
}

class EndpointCounts {
  readonly #metrics: Metrics
  readonly #endpoint: string
  readonly #ofMethods = new Map<string, MethodCounts>()
  #upstream: Histogram | undefined

  constructor(metrics: Metrics, endpoint: string) {
    this.#metrics = metrics
    this.#endpoint = endpoint
  }

  count(answered: AnsweredRequest): void {
    const method = methodLabel(answered.method)
    let counts = this.#ofMethods.get(method)
    if (counts === undefined) {
      counts = new MethodCounts(this.#metrics, this.#endpoint, method)
      this.#ofMethods.set(method, counts)
    }
    counts.count(answered)
    const { upstream_ms: ms, status, source = '' } = answered
    if (ms === undefined) return
    this.#upstream ??= this.#metrics.histogram('xroad_proxy_upstream_duration_seconds', this.#endpoint)
    this.#upstream.observe(ms / 1000)
    // That a caller left is not an outcome of a call.
    if (status !== goneStatus) counts.ended(source)
  }
}

class MethodCounts {
  readonly #metrics: Metrics
  readonly #endpoint: string
  readonly #method: string
  readonly #duration: Histogram
  /** Status 200 without an error, and calls without one. */
  readonly #good: Counter
  #goodCalls: Counter | undefined
  readonly #others = new Map<string, Counter>()

  constructor(metrics: Metrics, endpoint: string, method: string) {
    this.#metrics = metrics
    this.#endpoint = endpoint
    this.#method = method
    this.#duration = metrics.histogram('xroad_proxy_http_request_duration_seconds', endpoint, method)
    this.#good = this.#find(200, '', '')
  }

  count({ status, error = '', source = '', ms }: AnsweredRequest): void {
    this.#duration.observe(ms / 1000)
    if (status === 200 && error === '' && source === '') this.#good.add(1)
    else this.#other(status, error, source).add(1)
  }

  /** A call has ended. */
  ended(source: string): void {
    const find = (): Counter => this.#metrics.counter('xroad_proxy_upstream_outcomes_total', this.#endpoint, source)
    if (source === '') (this.#goodCalls ??= find()).add(1)
    else find().add(1)
  }

  #other(status: number, error: string, source: string): Counter {
    const key = `${status} ${error} ${source}`
    let counter = this.#others.get(key)
    if (counter === undefined) this.#others.set(key, (counter = this.#find(status, error, source)))
    return counter
  }

  #find(status: number, error: string, source: string): Counter {
    const labels = [this.#endpoint, this.#method, String(status), error, source]
    return this.#metrics.counter('xroad_proxy_http_requests_total', ...labels)
  }
}
