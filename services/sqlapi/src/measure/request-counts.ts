/**
 * Counts requests as they are answered: a subscriber of the event stream. The usual reply of an endpoint costs two
 * additions to series that were found once; any other one is looked for among those of its method.
 */
import { type Counter, type Histogram, methodLabel, noEndpoint, type Registry } from '@services/metrics'
import type { Subscriber } from '@services/observe'
import { reloadOutcomes } from '@services/reload'
import type { EventFields, EventName } from '../events.ts'
import type { Endpoint, Trace } from '../model.ts'
import type { metricTable } from './metric-table.ts'

type Metrics = Registry<typeof metricTable>

export class RequestCounts implements Subscriber<EventFields> {
  readonly #metrics: Metrics
  readonly #ofEndpoints = new Map<Endpoint, EndpointCounts>()
  /** Of the service's own pages, and of what reached nothing. */
  readonly #ofPages = new Map<string, EndpointCounts>()

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  hears(event: EventName): boolean {
    return event === 'answered' || event in reloadOutcomes
  }

  hear<Name extends EventName>(event: Name, fields: EventFields[Name]): void {
    if (event === 'answered') this.#count(fields as Trace)
    else this.#metrics.counter('sqlapi_reload_total', reloadOutcomes[event as keyof typeof reloadOutcomes]).add(1)
  }

  /** Those that come are others, and count on under the names of those before them. */
  forgetEndpoints(): void {
    this.#ofEndpoints.clear()
  }

  #count(trace: Trace): void {
    const { endpoint, page = noEndpoint } = trace
    const counts =
      endpoint === undefined ? this.#ofPage(page) : (this.#ofEndpoints.get(endpoint) ?? this.#add(endpoint))
    counts.count(trace)
  }

  #add(endpoint: Endpoint): EndpointCounts {
    const counts = new EndpointCounts(this.#metrics, endpoint.path, endpoint.method)
    this.#ofEndpoints.set(endpoint, counts)
    return counts
  }

  #ofPage(page: string): EndpointCounts {
    let counts = this.#ofPages.get(page)
    if (counts === undefined) this.#ofPages.set(page, (counts = new EndpointCounts(this.#metrics, page, 'GET')))
    return counts
  }
}

/** By method; most requests have that of the file. */
class EndpointCounts {
  readonly #metrics: Metrics
  readonly #path: string
  readonly #usualMethod: string
  #usual: MethodCounts | undefined
  readonly #others = new Map<string, MethodCounts>()

  constructor(metrics: Metrics, path: string, usualMethod: string) {
    this.#metrics = metrics
    this.#path = path
    this.#usualMethod = usualMethod
  }

  count(trace: Trace): void {
    const { method } = trace
    if (method === this.#usualMethod) (this.#usual ??= this.#make(method)).count(trace)
    else this.#of(methodLabel(method)).count(trace)
  }

  #of(method: string): MethodCounts {
    let counts = this.#others.get(method)
    if (counts === undefined) this.#others.set(method, (counts = this.#make(method)))
    return counts
  }

  #make(method: string): MethodCounts {
    return new MethodCounts(this.#metrics, this.#path, method)
  }
}

class MethodCounts {
  readonly #duration: Histogram
  /** Status 200 without an error. */
  readonly #good: Counter
  /** By status and error. */
  readonly #others = new Map<string, Counter>()
  readonly #find: (status: string, error: string) => Counter

  constructor(metrics: Metrics, endpoint: string, method: string) {
    this.#find = (status, error) => metrics.counter('sqlapi_http_requests_total', endpoint, method, status, error)
    this.#duration = metrics.histogram('sqlapi_http_request_duration_seconds', endpoint, method)
    this.#good = this.#find('200', '')
  }

  count({ status, error, ms }: Trace): void {
    this.#duration.observe(ms / 1000)
    if (status === 200 && error === undefined) this.#good.add(1)
    else this.#other(status, error ?? '').add(1)
  }

  #other(status: number, error: string): Counter {
    const key = `${status} ${error}`
    let counter = this.#others.get(key)
    if (counter === undefined) this.#others.set(key, (counter = this.#find(String(status), error)))
    return counter
  }
}
