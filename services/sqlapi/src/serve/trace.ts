/**
 * What is known of one request, from its arrival to the end of its reply. One object for each, made only when somebody
 * listens.
 */
import type { Span } from '@services/trace'
import type { Endpoint, Trace } from '../model.ts'

/** Instead of the name of an error, for a reply that broke off behind its head. */
export const brokenOff = 'BrokenOff'

export class RequestTrace implements Trace {
  readonly requestId: string
  readonly method: string
  readonly target: string | undefined
  readonly started = performance.now()
  endpoint: Endpoint | undefined = undefined
  page: string | undefined = undefined
  datasource: string | undefined = undefined
  status = 0
  error: string | undefined = undefined
  code: string | undefined = undefined
  ms = 0
  waitedMs: number | undefined = undefined
  rows: number | undefined = undefined
  bytes: number | undefined = undefined
  readonly span: Span | undefined

  constructor({ requestId, method, target }: Pick<Trace, 'requestId' | 'method' | 'target'>, span?: Span) {
    this.requestId = requestId
    this.method = method
    this.target = target
    this.span = span
  }

  waited(ms: number): void {
    this.waitedMs = (this.waitedMs ?? 0) + ms
  }

  gave(rows: number): void {
    this.rows = (this.rows ?? 0) + rows
  }
}
