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
  /** Answers a request; never rejects. */
  readonly handle: (request: Request, writer: ResponseWriter) => Promise<void>
  /** Answers what is not a request, or a body that breaks off in the middle; `handle` sees the latter as well. */
  readonly refuse: (refusal: Refusal) => Refused
  /** Called for a caller that was cut off because it read too little of its reply. */
  readonly tooSlow: (request: Pick<Request, 'method' | 'target' | 'requestId' | 'traceparent'>) => void
}

export async function startServer({ host, port, fastReader, handle, refuse, tooSlow }: ServerOptions): Promise<Shell> {
  try {
    return await startShell({
      host,
      port,
      fastReader,
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
