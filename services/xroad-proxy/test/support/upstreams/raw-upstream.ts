/**
 * A Security Server of which a test decides every byte: mutual TLS, the bytes of each request as they arrived, the
 * bytes of the answer as the test writes them. For what an HTTP server would never do, and for what must arrive
 * exactly.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { sharedPki } from '../lanes.ts'

/** One request; texts have a character for each byte. */
export interface RawRequest {
  /** Request line and headers, without the empty line. */
  readonly head: string
  readonly line: string
  /** Names and values in turn. */
  readonly headers: readonly (readonly [string, string])[]
  /** Values of this header, whatever its casing. */
  all(name: string): readonly string[]
  /** Reads the body by its declared length. */
  body(): Promise<Buffer>
}

export type Serve = (peer: Peer, request: RawRequest) => Promise<void> | void

export interface RawUpstream {
  readonly url: string
  readonly port: number
  /** Every connection so far, closed ones too. */
  readonly peers: Peer[]
  readonly requests: RawRequest[]
  /** Connections that are open, those in the middle of their handshake too. */
  readonly open: () => number
  /** What is done with each request. */
  serve: Serve
  close(): Promise<void>
}

export async function startRaw(serve: Serve = () => undefined): Promise<RawUpstream> {
  const { files } = sharedPki()
  const sockets = new Set<Socket>()
  const server = createServer({
    ca: readFileSync(files.ca),
    cert: readFileSync(files.serverCertificate),
    key: readFileSync(files.serverKey),
    requestCert: true,
    rejectUnauthorized: true,
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen({ host: '127.0.0.1', port: 0 }, resolve)
  await promise
  const { port } = server.address() as AddressInfo
  const upstream: RawUpstream = {
    url: `https://127.0.0.1:${port}`,
    port,
    peers: [],
    requests: [],
    open: () => sockets.size,
    serve,
    close() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      for (const socket of sockets) socket.destroy()
      return closed.promise
    },
  }
  server.on('secureConnection', (socket) => {
    // The TCP connection under TLS: the only way to send a reset.
    const tcp = [...sockets].find(({ remotePort }) => remotePort === socket.remotePort) as Socket
    const peer = new Peer(socket, () => tcp.resetAndDestroy())
    upstream.peers.push(peer)
    void converse(upstream, peer)
  })
  return upstream
}

/** Request after request, until the connection ends. What a test forgets to read of a body is skipped. */
async function converse(upstream: RawUpstream, peer: Peer): Promise<void> {
  try {
    for (;;) {
      const head = await peer.head()
      const request = toRequest(peer, head)
      upstream.requests.push(request)
      await upstream.serve(peer, request)
      await request.body()
    }
  } catch (error) {
    if (!(error instanceof PeerClosed)) throw error
  }
}

class PeerClosed extends Error {}

function toRequest(peer: Peer, head: string): RawRequest {
  const [line = '', ...lines] = head.split('\r\n')
  const headers = lines.map((each): [string, string] => {
    const colon = each.indexOf(':')
    return [each.slice(0, colon), each.slice(colon + 1).trim()]
  })
  const all = (name: string): string[] =>
    headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
  let body: Promise<Buffer> | undefined
  return {
    head,
    line,
    headers,
    all,
    body: () => (body ??= peer.take(Number(all('content-length')[0] ?? 0))),
  }
}

/** One connection, as the upstream sees it. */
export class Peer {
  readonly socket: TLSSocket
  /** Breaks the connection with a TCP reset. */
  readonly reset: () => void
  /** Resolves when the other side has closed or broken the connection. */
  readonly closed: Promise<void>
  /** Bytes received so far. */
  received = 0
  #chunks: Buffer[] = []
  #waiting = 0
  #isClosed = false
  #wake: () => void = () => undefined

  constructor(socket: TLSSocket, reset: () => void) {
    this.socket = socket
    this.reset = reset
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    const end = (): void => {
      this.#isClosed = true
      resolve()
      this.#wake()
    }
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.length
      this.#chunks.push(chunk)
      this.#waiting += chunk.length
      this.#wake()
    })
    socket.once('end', end).once('close', end)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** One byte for each character. */
  write(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** The next request line and headers. */
  async head(): Promise<string> {
    for (;;) {
      const waiting = this.#joined()
      const end = waiting.indexOf('\r\n\r\n')
      if (end >= 0) return (await this.take(end + 4)).toString('latin1', 0, end)
      await this.#more()
    }
  }

  async take(length: number): Promise<Buffer> {
    while (this.#waiting < length) await this.#more()
    const waiting = this.#joined()
    this.#waiting -= length
    this.#chunks = [waiting.subarray(length)]
    return waiting.subarray(0, length)
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] ?? Buffer.alloc(0)
  }

  async #more(): Promise<void> {
    if (this.#isClosed) throw new PeerClosed()
    await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}

/** A plain answer with its length. */
export function ok(body = 'ok', headers = ''): string {
  return `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** Reads the request and writes these bytes, whatever was asked. */
export function answering(bytes: string | Buffer): Serve {
  return async (peer, request) => {
    await request.body()
    peer.write(bytes)
  }
}
