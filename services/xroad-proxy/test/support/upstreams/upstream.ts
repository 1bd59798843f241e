/**
 * An upstream that a test plays itself, byte by byte: every request is kept as it came, and what is sent back, and
 * when, is for the test to say. Over TLS it demands a certificate, as a Security Server does, and keeps what it was
 * shown.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { Issued } from '@services/testing/certificates'
import { sharedPki } from '../lanes.ts'

export interface Received {
  /** Request line and headers, as they came, without the empty line. */
  readonly head: string
  readonly body: string
  /** 0 for the first connection. */
  readonly connection: number
}

/** Answers a request on the socket that it came on. Nothing else is sent. */
export type Act = (socket: Socket, request: Received) => void

export interface Upstream {
  readonly url: string
  readonly port: number
  readonly requests: readonly Received[]
  /** The bytes of their bodies. */
  readonly bodies: readonly Buffer[]
  /** One for each that was opened, in order; over TLS after the handshake. */
  readonly sockets: readonly Socket[]
  /** Common names of the client certificates, `''` for none. */
  readonly clients: readonly string[]
  close(): Promise<void>
}

export interface UpstreamOptions {
  /** Plain HTTP, or TLS with the certificate of the mock (which asks for one of the client) or another one. */
  readonly tls?: 'mock' | Issued
}

export async function startUpstream(act: Act, { tls }: UpstreamOptions = {}): Promise<Upstream> {
  const requests: Received[] = []
  const bodies: Buffer[] = []
  const sockets: Socket[] = []
  const clients: string[] = []
  const open = new Set<Socket>()
  const onSocket = (socket: Socket): void => {
    const connection = sockets.push(socket) - 1
    const name = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate().subject?.CN : undefined
    clients.push(String(name ?? ''))
    socket.on('error', () => undefined)
    readRequests(socket, (head, bytes) => {
      const received = { head, body: bytes.toString(), connection }
      requests.push(received)
      bodies.push(bytes)
      act(socket, received)
    })
  }
  const server = listenFor(tls, onSocket)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    bodies,
    sockets,
    clients,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

function listenFor(tls: UpstreamOptions['tls'], onSocket: (socket: Socket) => void): Server {
  if (tls === undefined) return createTcpServer(onSocket)
  if (tls !== 'mock') {
    // Asks for a certificate, so that one which is presented for no reason is seen.
    return createTlsServer(
      { key: tls.key, cert: tls.certificate, requestCert: true, rejectUnauthorized: false },
      onSocket,
    )
  }
  const { files } = sharedPki()
  return createTlsServer(
    {
      key: readFileSync(files.serverKey),
      cert: readFileSync(files.serverCertificate),
      ca: readFileSync(files.ca),
      requestCert: true,
      rejectUnauthorized: true,
    },
    onSocket,
  )
}

/** Knows bodies of declared length only; others fail the test by never ending. */
function readRequests(socket: Socket, take: (head: string, body: Buffer) => void): void {
  let waiting: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk])
    for (;;) {
      const end = waiting.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = waiting.toString('latin1', 0, end)
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      if (waiting.length < end + 4 + length) return
      const body = waiting.subarray(end + 4, end + 4 + length)
      waiting = waiting.subarray(end + 4 + length)
      take(head, body)
    }
  })
}

export interface ResponseOptions {
  readonly status?: number
  /** Content-Type; `''` for none. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The bytes of a whole answer of declared length. */
export function toAnswer(body: string | Buffer, options: ResponseOptions = {}): Buffer {
  const { status = 200, type = 'text/xml; charset=utf-8', headers = {} } = options
  const bytes = Buffer.from(body)
  const all = { ...(type === '' ? {} : { 'Content-Type': type }), 'Content-Length': String(bytes.length), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Answer\r\n${lines.join('')}\r\n`, 'latin1'), bytes])
}

const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/'

/** A SOAP answer with this in its body. */
export function toEnvelope(content: string, header = ''): string {
  const head = header === '' ? '' : `<s:Header>${header}</s:Header>`
  return `<s:Envelope xmlns:s="${soap11}">${head}<s:Body>${content}</s:Body></s:Envelope>`
}

export function toFault11(code: string, string: string, detail = ''): string {
  const inside = `<faultcode>${code}</faultcode><faultstring>${string}</faultstring>${detail}`
  return toEnvelope(`<s:Fault>${inside}</s:Fault>`)
}
