/**
 * A TCP forwarder that can turn silent, as a firewall does that has forgotten a connection: nothing passes, nothing is
 * closed.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Forwarder {
  readonly port: number
  /**
   * What is connected now falls silent, both ways; `all` keeps new connections silent too. What comes back resolves
   * with the first bytes that a client sends into the silence.
   */
  silence(all?: boolean): Promise<void>
  /** What is connected now is reset, and so is each new connection, as where nobody listens. */
  refuse(): void
  /** New connections pass; those that have fallen silent stay so. */
  pass(): void
  /** A connection falls silent as soon as a client sends this text on it. */
  silenceAt(text: string): Promise<void>
  close(): Promise<void>
}

/** `onSent` gets what each client sends. */
export async function startForwarder(
  target: number,
  onSent?: (chunk: Buffer, client: Socket) => void,
): Promise<Forwarder> {
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let isAllSilent = false
  let isRefusing = false
  let last: string | undefined
  let tell: (() => void) | undefined
  let tellSwallowed: (() => void) | undefined
  const server = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ port: target, host: '127.0.0.1' })
    const pair = [client, upstream] as const
    if (isAllSilent) for (const each of pair) silent.add(each)
    for (const [from, to] of [pair, pair.toReversed() as [Socket, Socket]]) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', (chunk: Buffer) => {
        if (from === client) onSent?.(chunk, client)
        if (from === client && last !== undefined && chunk.includes(last)) {
          for (const each of pair) silent.add(each)
          tell?.()
        }
        if (!silent.has(from)) to.write(chunk)
        else if (from === client) tellSwallowed?.()
      })
      from.on('close', () => {
        sockets.delete(from)
        if (!silent.has(from)) to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    silence(all = false) {
      isAllSilent = all
      for (const socket of sockets) silent.add(socket)
      const { promise, resolve } = Promise.withResolvers<void>()
      tellSwallowed = resolve
      return promise
    },
    refuse() {
      isRefusing = true
      for (const socket of sockets) socket.destroy()
    },
    pass() {
      isAllSilent = false
      isRefusing = false
      last = undefined
    },
    silenceAt(text) {
      last = text
      const { promise, resolve } = Promise.withResolvers<void>()
      tell = resolve
      return promise
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
