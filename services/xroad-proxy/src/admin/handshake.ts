/**
 * Whether a Security Server takes our connections: a TLS connection with our identity that brings no alert and no end
 * for a moment. With TLS 1.3 a connection exists before the server has judged our certificate. Nothing is sent.
 */
import type { Socket } from 'node:net'
import type { ServerIdentity } from '../served/lanes.ts'
import { createConnector } from '../upstream/connect.ts'

/** How long a server has to refuse our certificate. */
const judgedMs = 250

/** Rejects where it does not, or when `signal` is aborted. */
export async function shakeHands(identity: ServerIdentity, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const socket = await connect(identity, timeoutMs)
  try {
    await untilJudged(socket, signal)
  } finally {
    socket.destroy()
  }
}

function connect({ origin, secureContext, checkServer }: ServerIdentity, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // An address has no server name.
  const servername = /^[\d.]+$|:/.test(host) ? undefined : host
  // Made again, because a server need not judge a certificate again within a session.
  const open = createConnector({ secureContext, timeoutMs, checkServer })
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  open({ hostname: host, protocol, port, servername }, (error, socket) => {
    if (error === null) resolve(socket)
    else reject(error)
  })
  return promise
}

function untilJudged(socket: Socket, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, judgedMs)
  const refuse = (): void => {
    clearTimeout(timer)
    reject(new Error('the connection was refused'))
  }
  for (const event of ['error', 'end', 'close']) socket.once(event, refuse)
  signal.addEventListener('abort', refuse, { once: true })
  // What the server says of our certificate shows only when it is read.
  socket.resume()
  if (signal.aborted || socket.destroyed) refuse()
  return promise
}
