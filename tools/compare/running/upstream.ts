/**
 * The other end of the proxy's calls, one for each side: keeps every request byte for byte, and answers as the part
 * says. Over TLS it has the certificate of the mock and asks for one of the client, as a Security Server does.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import type { Recording } from '../recording.ts'
import type { Side } from '../sides.ts'

export interface Upstream {
  readonly url: string
  /** Bytes of the answers from now on; for a function, of each request. */
  answer: Buffer | ((request: string) => Buffer)
  /** Records what was sent since the last time. */
  record(recording: Recording, title: string): void
  close(): Promise<void>
}

export async function startUpstream(side: Side, { isTls }: { readonly isTls: boolean }): Promise<Upstream> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const upstream: Pick<Upstream, 'answer'> = { answer: toAnswer('') }
  const take = (socket: Socket): void => {
    socket.on('error', () => undefined)
    readRequests(socket, (request) => {
      requests.push(request)
      const { answer } = upstream
      socket.write(typeof answer === 'function' ? answer(request) : answer)
    })
  }
  const server = isTls ? createTlsServer(identity(side), take) : createServer(take)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  side.ports.set(port, isTls ? 'security server' : 'upstream')
  return Object.assign(upstream, {
    url: `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`,
    record(recording: Recording, title: string) {
      for (const request of requests.splice(0))
        recording.add('request', `${title}, sent upstream`, 'what the proxy sends', request)
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  })
}

function identity({ certificates }: Side): object {
  const read = (name: string): Buffer => readFileSync(join(certificates, name))
  return {
    key: read('server.key'),
    cert: read('server.pem'),
    ca: read('ca.pem'),
    requestCert: true,
    rejectUnauthorized: true,
  }
}

/** Whole requests, of declared length or in chunks, whose marks are kept. */
function readRequests(socket: Socket, take: (request: string) => void): void {
  let waiting = ''
  socket.on('data', (chunk: Buffer) => {
    waiting += chunk.toString('latin1')
    for (;;) {
      const length = lengthOf(waiting)
      if (length === undefined || waiting.length < length) return
      take(waiting.slice(0, length))
      waiting = waiting.slice(length)
    }
  })
}

function lengthOf(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end + 2)
  if (/^transfer-encoding: chunked\r$/im.test(head)) {
    const last = text.indexOf('0\r\n\r\n', end)
    return last === -1 ? undefined : last + 5
  }
  return end + 4 + Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0)
}

export interface AnswerOptions {
  readonly status?: number | undefined
  readonly type?: string | undefined
}

export function toAnswer(body: string | Buffer, { status = 200, type = xml }: AnswerOptions = {}): Buffer {
  const bytes = Buffer.from(body)
  const head = `HTTP/1.1 ${status} Answer\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

const xml = 'text/xml; charset=utf-8'

/** An envelope of SOAP 1.1 with this in its body. */
export function toEnvelope(content: string): string {
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`
}
