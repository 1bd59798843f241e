/**
 * The caller's side of the REST lane, byte for byte: a request as text, the answer taken apart without any tidying up,
 * and the DSL files that such requests are for. Texts have a character for each byte.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  /** As it came, all of it. */
  readonly raw: string
  readonly line: string
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** Values of this header, whatever its casing. */
  all(name: string): readonly string[]
  /** Without the marks of chunks. */
  readonly body: string
  /** Whether the body has the length that was promised, or the last chunk. */
  readonly isWhole: boolean
}

/** Text of a DSL file for a REST service. */
export function rest(method: string, target: object = {}, fields: object = {}): string {
  const whole = { member_class: 'GOV', member_code: '70000001', subsystem_code: 'sub', service_code: 'svc', ...target }
  return JSON.stringify({ kind: 'rest', method, target: whole, ...fields })
}

/** Request line and headers of a request that is the last on its connection. */
export function head(method: string, path: string, headers: string = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n${headers}\r\n`
}

export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends bytes and gives what comes back until the service closes the connection. */
export async function exchange(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = await open(port)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return toAnswer(await readToEnd(socket))
}

export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('end', resolve).once('close', resolve)
  await promise
  socket.destroy()
  return Buffer.concat(chunks).toString('latin1')
}

export function toAnswer(raw: string): RawAnswer {
  const end = raw.indexOf('\r\n\r\n')
  const [line = '', ...lines] = raw.slice(0, Math.max(end, 0)).split('\r\n')
  const headers = lines.map((each): [string, string] => {
    const colon = each.indexOf(':')
    return [each.slice(0, colon), each.slice(colon + 1).trim()]
  })
  const all = (name: string): string[] =>
    headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
  const rest = end < 0 ? '' : raw.slice(end + 4)
  const { body, isWhole } = all('transfer-encoding').includes('chunked') ? unchunk(rest) : toBody(rest, all)
  return { raw, line, status: Number(line.split(' ')[1] ?? 0), headers, all, body, isWhole: end >= 0 && isWhole }
}

function toBody(body: string, all: (name: string) => string[]): { body: string; isWhole: boolean } {
  const declared = all('content-length')[0]
  return { body, isWhole: declared === undefined || Number(declared) === body.length }
}

function unchunk(text: string): { body: string; isWhole: boolean } {
  let body = ''
  for (let at = 0; ;) {
    const end = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, end), 16)
    if (end < 0 || Number.isNaN(size)) return { body, isWhole: false }
    if (size === 0) return { body, isWhole: text.slice(end) === '\r\n\r\n' }
    body += text.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}
