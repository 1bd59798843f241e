/**
 * A Security Server that demands a certificate, and keeps who showed which one on which connection. Its own certificate
 * can be changed while it runs; calls for `held` are answered when the test says so.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Issued } from '@services/testing/certificates'

export interface Connection {
  /** Common name of the certificate that it showed. */
  readonly client: string
  isOpen: boolean
  /** How many calls came on it. */
  calls: number
}

export interface MutualUpstream {
  readonly url: string
  /** In the order in which they were opened. */
  readonly connections: readonly Connection[]
  /** The client of each call, in the order of the calls. */
  readonly callers: readonly string[]
  /** Calls that wait for `release`. */
  readonly waiting: () => number
  /** Answers what waits. */
  release(): void
  /** Shows this certificate on new connections. */
  present(server: Issued): void
  close(): Promise<void>
}

/** Of every good answer. */
export const answer = '{"ok":true}'

/** `authority` is that of the clients. */
export async function startMutualUpstream(server: Issued, authority: Issued): Promise<MutualUpstream> {
  const connections: Connection[] = []
  const callers: string[] = []
  const known = new WeakMap<object, Connection>()
  const held = new Set<ServerResponse>()
  const toContext = ({ key, certificate }: Issued) => ({ key, cert: certificate, ca: authority.certificate })
  const settings = { ...toContext(server), requestCert: true, rejectUnauthorized: true, keepAliveTimeout: 0 }
  const listener = createServer(settings, (request, response) => {
    const connection = known.get(request.socket) as Connection
    connection.calls += 1
    callers.push(connection.client)
    response.setHeader('content-type', 'application/json')
    if (request.url?.includes('held') !== true) response.end(answer)
    else held.add(response)
  })
  listener.on('secureConnection', (socket: TLSSocket) => {
    const client = String(socket.getPeerCertificate().subject?.CN)
    const connection = { client, isOpen: true, calls: 0 }
    connections.push(connection)
    known.set(socket, connection)
    socket.once('close', () => (connection.isOpen = false))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    connections,
    callers,
    waiting: () => held.size,
    release() {
      for (const response of held) response.end(answer)
      held.clear()
    },
    present: (next) => listener.setSecureContext(toContext(next)),
    async close() {
      listener.close()
      listener.closeAllConnections()
      await once(listener, 'close')
    },
  }
}
