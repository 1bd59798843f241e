/**
 * Between the HTTP shell and the request path: exchanges in, `Request` and `ResponseWriter` out. Decides nothing about
 * endpoints.
 */
import { ListenProblem, type Refusal, type Refused, type Shell, startShell } from '@services/http-shell'
import { StartupFailure } from '../errors.ts'
import type { ResponseWriter, Request } from '../model.ts'
import { Inbound } from './inbound.ts'

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly fastReader: boolean
  readonly maxConnections: number
  /** Answers a request; never rejects. */
  readonly handle: (request: Request, writer: ResponseWriter) => Promise<void>
  /** Answers what is not a request, or a body that breaks off in the middle; `handle` sees the latter as well. */
  readonly refuse: (refusal: Refusal) => Refused
  /** Called for a caller that was cut off because it read too little of its reply. */
  readonly tooSlow: (request: Pick<Request, 'method' | 'target' | 'requestId' | 'traceparent'>) => void
  /** Called with how many connections were closed since the last call because too many were open. */
  readonly full: (closed: number) => void
}

/** A caller that connects again and again would fill the log. */
const fullPauseMs = 600_000

export async function startServer(options: ServerOptions): Promise<Shell> {
  const { host, port, fastReader, maxConnections, handle, refuse, tooSlow } = options
  try {
    return await startShell({
      host,
      port,
      fastReader,
      maxConnections,
      full: sometimes(options.full),
      namesRequests: true,
      handle: (exchange) => {
        const inbound = new Inbound(exchange)
        void handle(inbound, inbound)
      },
      refuse,
      cut: tooSlow,
    })
  } catch (error) {
    if (!(error instanceof ListenProblem)) throw error
    throw new StartupFailure('listen_failed', `port ${port} of host ${host} ${error.message}`)
  }
}

/** Reports the first connection that is closed, and those of ten minutes with the first one after them. */
function sometimes(report: (closed: number) => void): () => void {
  let closed = 0
  let quietUntil = -Infinity
  return () => {
    closed += 1
    const now = performance.now()
    if (now < quietUntil) return
    quietUntil = now + fullPauseMs
    report(closed)
    closed = 0
  }
}
