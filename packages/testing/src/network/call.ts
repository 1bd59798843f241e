/** One HTTP request, sent as it is spelled (`fetch` would tidy the URL up), and its answer as text. */
import type { Agent, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

// An import would load what Node.js has for browsers as well, in the process of each test file.
const { request } = process.getBuiltinModule('node:http')

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** An answer whose body is not text: a compressed one, a picture. */
export interface BinaryAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export interface CallOptions {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: unknown
  /** Without one the request has a connection of its own, closed afterwards. */
  readonly agent?: Agent
  readonly signal?: AbortSignal
}

/** A request to the loopback. A body that is neither text nor bytes is sent as JSON; any body makes it a POST. */
export async function call(port: number, path: string, options: CallOptions = {}): Promise<Reply> {
  const { bytes, ...rest } = await callForBytes(port, path, options)
  return { ...rest, text: bytes.toString('utf8') }
}

export function callForBytes(port: number, path: string, options: CallOptions = {}): Promise<BinaryAnswer> {
  const { body, agent = false, signal } = options
  const { method = body === undefined ? 'GET' : 'POST', headers = {} } = options
  const { promise, resolve, reject } = Promise.withResolvers<BinaryAnswer>()
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent, ...(signal ? { signal } : {}) })
  outgoing.once('error', reject)
  outgoing.once('response', (incoming) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('error', reject)
    incoming.once('end', () =>
      resolve({ status: incoming.statusCode as number, headers: incoming.headers, bytes: Buffer.concat(chunks) }),
    )
  })
  const isReady = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  outgoing.end(isReady ? body : JSON.stringify(body))
  return promise
}

/** The `error` field of an answer, `''` where there is none. */
export function errorOf({ text }: { readonly text: string }): string {
  const body = JSON.parse(text) as { error?: string } | null
  return body?.error ?? ''
}

/** Whether nobody takes requests on this port of the loopback any more. */
export function isRefused(port: number): Promise<boolean> {
  return call(port, '/').then(
    () => false,
    () => true,
  )
}
