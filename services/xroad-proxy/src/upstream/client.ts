/**
 * The HTTP client, and the only file that knows it: connections to an origin, one call at a time on each, and the form
 * of calls and responses that it uses. The life of a call belongs to upstream-call.ts, which is the handler of the
 * client.
 *
 * The client is imported by its file: the library has no smaller entry, and loading all of it (fetch, WebSocket,
 * caches) would add 60 ms to the start and 10 MB of memory. The version is pinned; if the file moves, the service does
 * not start.
 */
import type { Socket } from 'node:net'
import type { Span } from '@services/trace'
import type { Dispatcher, Client } from 'undici'
import UndiciClient from 'undici/lib/dispatcher/client.js'
// oxlint-disable-next-line import/no-unassigned-import -- the client would read its parser from disk with the first connection
import 'undici/lib/llhttp/llhttp_simd-wasm.js'
import type { RawHeaders } from '../model.ts'
import { watchArrivals } from './arrivals.ts'
import type { Connector } from './connect.ts'
import { Ending } from './ending.ts'
import { Interim } from './interim.ts'

export interface Call {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query string, sent as they are. */
  readonly path: string
  readonly method: string
  readonly headers: RawHeaders
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined
  /** Bytes of a body that is not at hand. */
  readonly bodyLength?: number | undefined
  /** Given to the caller where the response has none; a response with another one belongs to another call. */
  readonly messageId?: string | undefined
  /** Somebody decides whether the response belongs to this call, and lets nobody have the connection before that. */
  readonly isVerified?: boolean | undefined
  /** Instead of those of the upstream. */
  readonly limits?: Limits | undefined
  /** Of the call; undefined when tracing is off. */
  readonly span?: Span | undefined
}

/** Of one call and its response. */
export interface Limits {
  readonly timeoutSeconds: number
  readonly maxResponseBytes: number
}

/** A connection that is made when it is needed, and again when it was lost. */
export interface Connection {
  readonly client: Client
  /** The newest one. */
  socket: Socket | undefined
  /** Since it was made for the first time. */
  hasCarriedSoap: boolean
  readonly interim: Interim
  readonly ending: Ending
}
/** What hears of a call on a connection. */
export type Handler = Dispatcher.DispatchHandler
/** The end of the client that a handler may pull at. */
export type Controller = Dispatcher.DispatchController

/** A Security Server drops idle connections after 30 s; a request at that moment would be lost. */
const idleMs = 20_000
const maxHeadBytes = 64 * 1024

export function createConnection(origin: string, connect: Connector): Connection {
  const interim = new Interim()
  const ending = new Ending()
  const connection: Partial<Connection> = { interim, ending, socket: undefined, hasCarriedSoap: false }
  const client = new UndiciClient(origin, {
    connect: (place, callback) => {
      connect(place, (...result) => {
        if (result[1] !== null) {
          connection.socket = result[1]
          interim.expect()
          ending.open(result[1])
          watchArrivals(result[1], interim, ending)
        }
        callback(...result)
      })
    },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxHeaderSize: maxHeadBytes,
    // One clock for each call, instead of three.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return Object.assign(connection, { client }) as Connection
}

/** Ends what is in progress on it too: the response to another call has come over it. The next call opens a new one. */
export function distrust({ socket }: Connection): void {
  socket?.destroy(Object.assign(new Error('shifted'), { code: 'SHIFTED_ANSWERS' }))
}

/** What is in progress on it ends first. */
export function closeWhenIdle({ client }: Connection): void {
  client.close().catch(() => undefined)
}

/** Never throws: the handler hears what cannot be sent. */
export function send(connection: Connection, call: Call, handler: Handler): void {
  const { client, interim } = connection
  const { path, method, headers, body, bodyLength } = call
  if (call.isVerified === true) connection.hasCarriedSoap = true
  const sent = bodyLength === undefined ? headers : [...headers, 'content-length', String(bodyLength)]
  // `blocking` is about further calls on the connection, of which there are none.
  const options = { path, method, headers: sent, body, blocking: false }
  // The types know upper-case standard methods only; the client takes any token.
  interim.expect()
  client.dispatch(options as unknown as Dispatcher.DispatchOptions, handler)
}

/** The headers of the response that a handler gets. */
export function rawHeadersOf({ rawHeaders }: Controller): string[] {
  const raw = rawHeaders as unknown as readonly (Buffer | string)[]
  const texts: string[] = []
  for (const each of raw) texts.push(typeof each === 'string' ? each : each.toString('latin1'))
  return texts
}

const ascii = /^[\x20-\x7e]*$/

/** The client reads the bytes as UTF-8; what is none cannot be told, and the phrase of the standard stands for it. */
export function toReason(statusText = ''): string {
  if (ascii.test(statusText)) return statusText
  return statusText.includes('\uFFFD') ? '' : Buffer.from(statusText).toString('latin1')
}
