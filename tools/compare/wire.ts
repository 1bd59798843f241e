/**
 * One connection to a service: bytes of a request go out, the bytes of its answer come in, untouched but for the marks
 * of chunks, whose places depend on timing. Texts have a character for each byte.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | Uint8Array | undefined
}

const patienceMs = 20_000

export class Connection {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  send(request: Request): Promise<string> {
    return this.exchange(toBytes(request), request.method)
  }

  /** Settles with the answer, or with what came of it before the connection ended. */
  async exchange(bytes: Buffer, method: string = 'GET'): Promise<string> {
    const socket = (this.#socket ??= await this.#open())
    const { promise, resolve } = Promise.withResolvers<string>()
    let received = Buffer.alloc(0)
    const end = (why: string): void => {
      this.leave()
      resolve(`${received.toString('latin1')}${why}`)
    }
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      const answer = wholeAnswer(received.toString('latin1'), method)
      if (answer === undefined) return
      if (/^connection: close\r$/im.test(answer)) this.leave()
      resolve(answer)
    }
    const onClose = (): void => end('\n<connection closed>')
    const timer = setTimeout(() => end(`\n<no complete answer in ${patienceMs / 1000} s>`), patienceMs)
    socket.on('data', onData).once('close', onClose)
    socket.write(bytes)
    return promise.finally(() => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
    })
  }

  /** Sends bytes on a connection of its own; settles with all that comes until the service closes it. */
  async sendAlone(bytes: string): Promise<string> {
    const socket = await this.#open()
    let received = ''
    socket.setEncoding('latin1').on('data', (text: string) => (received += text))
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(patienceMs) })
    socket.write(bytes, 'latin1')
    return closed.then(
      () => received,
      () => {
        socket.destroy()
        return `${received}\n<connection still open>`
      },
    )
  }

  leave(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #open(): Promise<Socket> {
    const socket = connect({ port: this.#port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.once('close', () => {
      if (this.#socket === socket) this.#socket = undefined
    })
    return socket
  }
}

function toBytes({ method, path, headers = {}, body }: Request): Buffer {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const isChunked = names.has('transfer-encoding')
  const bytes = Buffer.from(body ?? '')
  const own: [string, string][] = [['Host', 'compare.example']]
  if (body !== undefined && !isChunked) own.push(['Content-Length', String(bytes.length)])
  const all = [...own.filter(([name]) => !names.has(name.toLowerCase())), ...Object.entries(headers)]
  const head = `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  // An URL beyond ASCII goes out as it is spelled.
  return Buffer.concat([Buffer.from(head), isChunked ? chunked(bytes) : bytes])
}

function chunked(bytes: Buffer): Buffer {
  const size = Buffer.from(bytes.length === 0 ? '' : `${bytes.length.toString(16)}\r\n`)
  return Buffer.concat([size, bytes, Buffer.from(bytes.length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n')])
}

/** Undefined while some of it is missing. */
function wholeAnswer(raw: string, method: string): string | undefined {
  const end = raw.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = raw.slice(0, end + 4)
  const rest = raw.slice(end + 4)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  if (status === 100) {
    const next = wholeAnswer(rest, method)
    return next === undefined ? undefined : head + next
  }
  if (method === 'HEAD' || status === 204 || status === 304) return raw
  if (/^transfer-encoding: chunked\r$/im.test(head)) {
    const body = unchunked(rest)
    return body === undefined ? undefined : head + body
  }
  const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? Number.NaN)
  return rest.length >= length ? raw : undefined
}

function unchunked(text: string): string | undefined {
  let body = ''
  for (let at = 0; ;) {
    const end = text.indexOf('\r\n', at)
    if (end === -1) return undefined
    const size = Number.parseInt(text.slice(at, end), 16)
    if (Number.isNaN(size)) return `${body}<broken chunk>${text.slice(at)}`
    if (size === 0) return text.indexOf('\r\n\r\n', end) === -1 ? undefined : `${body}${text.slice(end + 4)}`
    if (text.length < end + 2 + size + 2) return undefined
    body += text.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}
