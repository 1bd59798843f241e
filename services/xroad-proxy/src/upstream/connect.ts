/**
 * Opens connections for the HTTP client: TCP, or TLS with the settings that boot made once. Keeps the newest TLS
 * session of an origin, so that a new connection needs no full handshake. Knows nothing of HTTP.
 */
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions, type SecureContext } from 'node:tls'
import { refusalOf } from '../guard/lookup.ts'

export interface ConnectorOptions {
  /** Absent for plain HTTP. */
  readonly secureContext: SecureContext | undefined
  readonly timeoutMs: number
  /** Replaces the comparison of the certificate with the host. */
  readonly checkServer?: ConnectionOptions['checkServerIdentity'] | undefined
  /** Replaces the name resolution of the system. With it, an IP address in a blocked range is refused. */
  readonly lookup?: LookupFunction | undefined
}

export interface ServerAddress {
  readonly hostname: string
  readonly protocol: string
  readonly port: string
  readonly servername?: string | null | undefined
}

export type Connector = (address: ServerAddress, callback: (...result: [Error, null] | [null, Socket]) => void) => void

const keepAliveProbeMs = 60_000

export function createConnector(options: ConnectorOptions): Connector {
  let session: Buffer | undefined
  return (address, callback) => {
    const refusal = options.lookup && refusalOf(address.hostname)
    if (refusal !== undefined) return queueMicrotask(() => callback(refusal, null))
    const socket = open(address, options, session)
    socket.setNoDelay(true).setKeepAlive(true, keepAliveProbeMs)
    socket.on('session', (fresh: Buffer) => (session = fresh))
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' }))
    }, options.timeoutMs)
    const settle = (error?: Error): void => {
      clearTimeout(timer)
      socket.off('secureConnect', settle).off('connect', settle).off('error', settle)
      if (error === undefined) {
        // With TLS 1.3 a server refuses our certificate after the handshake; the client would report a closed socket
        // only.
        socket.once('error', (late) => socket.destroy(late)).on('error', markReset)
        callback(null, socket)
      } else {
        // A server may refuse the session rather than the client.
        session = undefined
        callback(error, null)
      }
    }
    socket.once(address.protocol === 'https:' ? 'secureConnect' : 'connect', settle)
    socket.once('error', settle)
  }
}

/**
 * The client takes a reset for the end of a response that is to end with its connection; it knows it by this code only.
 */
function markReset(late: NodeJS.ErrnoException): void {
  if (late.code === 'ECONNRESET') late.code = 'ECONNABORTED'
}

function open(address: ServerAddress, options: ConnectorOptions, session: Buffer | undefined): Socket {
  const { secureContext, lookup, checkServer } = options
  const { hostname: host, servername } = address
  const common = lookup === undefined ? { host } : { host, lookup }
  if (address.protocol !== 'https:') return connectTcp({ ...common, port: Number(address.port || 80) })
  return connectTls({
    ...common,
    port: Number(address.port || 443),
    secureContext,
    session,
    // Said aloud, because an environment variable could switch it off otherwise.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    // An address has no server name; the certificate is compared with the address then.
    ...(servername ? { servername } : {}),
    ...(checkServer === undefined ? {} : { checkServerIdentity: contained(checkServer) }),
  })
}

/** What the check throws would end the process: it is called by the TLS library, and nobody catches there. */
function contained(check: NonNullable<ConnectionOptions['checkServerIdentity']>): typeof check {
  return (host, certificate) => {
    try {
      return check(host, certificate)
    } catch (error) {
      return error instanceof Error ? error : new Error('the check of the server certificate has failed')
    }
  }
}
