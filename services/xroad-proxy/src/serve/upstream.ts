/**
 * One outbound call, and the only file that knows the HTTP client: a call goes out, its answer comes back whole (`collect`)
 * or as it arrives (`stream`). Owns connections, the clock and the cap on answers. Knows nothing of SOAP, DSL files or X-Road.
 *
 * No redirect is followed, nothing is decompressed, no call is sent twice.
 */
import type { LookupFunction } from 'node:net'
import type { ConnectionOptions, SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import { CallerGone, Failure } from '../errors.ts'
import type { Outlet, RawHeaders } from '../model.ts'
import { describe } from './causes.ts'
import { createConnector } from './connect.ts'
import { type Inbound, toInbound } from './headers.ts'
import { Turns } from './turns.ts'

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
}

export interface Answer {
  readonly status: number
  /** The last one, where the header is repeated. */
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

/** What a call did for the log. */
export interface Outcome {
  readonly status: number
  readonly errorCode: string | undefined
}

export interface Upstream {
  /** The whole answer, whatever its status. */
  collect(call: Call, outlet: Outlet): Promise<Answer>
  /** Status, headers and body as they come; ends with the answer. Rejects when the answer cannot be given whole. */
  stream(call: Call, outlet: Outlet): Promise<Outcome>
  close(): Promise<void>
}

export interface UpstreamOptions {
  /** TLS settings, identity included; asked for with the first connection. */
  readonly secureContext: () => SecureContext
  readonly timeoutSeconds: number
  readonly maxAnswerBytes: number
  /** Takes the place of the system's name resolution, and may refuse a name; then no address in a blocked range is called. */
  readonly lookup?: LookupFunction
  /** Takes the place of the comparison of the server's certificate with its host. */
  readonly checkServer?: ConnectionOptions['checkServerIdentity']
}

/** A Security Server drops idle connections after 30 s; whoever sends at that moment would lose a request. */
const idleMs = 20_000
/** Connections to one origin. Further calls wait for one, with their clock running. */
const maxConnections = 256
/** Calls that are under way or waiting, over all origins. */
const maxCalls = 4096
const maxHeadBytes = 64 * 1024

export function openUpstream(options: UpstreamOptions): Upstream {
  const places = new Map<string, Place>()
  const limits = { timeoutMs: options.timeoutSeconds * 1000, maxBytes: options.maxAnswerBytes }
  let calls = 0

  const run = async (call: Call, exchange: Exchange): Promise<void> => {
    if (calls >= maxCalls) throw new Failure('internal_error', `more than ${maxCalls} calls are under way`)
    calls += 1
    try {
      let place = places.get(call.origin)
      if (place === undefined) places.set(call.origin, (place = openPlace(call.origin, options)))
      await exchange.run(place, call)
    } finally {
      calls -= 1
    }
  }

  return {
    async collect(call, outlet) {
      const exchange = new Collected(limits, outlet)
      await run(call, exchange)
      return exchange.answer
    },
    async stream(call, outlet) {
      const exchange = new Streamed(limits, outlet, call.method === 'HEAD')
      await run(call, exchange)
      return exchange.outcome
    },
    async close() {
      await Promise.all([...places.values()].map(({ pool }) => pool.destroy()))
    },
  }
}

/** One origin. */
interface Place {
  readonly pool: Pool
  /** One for each connection; taken until the client is done with the call, which may be after its caller is. */
  readonly turns: Turns
}

function openPlace(origin: string, options: UpstreamOptions): Place {
  const { secureContext, timeoutSeconds, lookup, checkServer } = options
  const pool = new Pool(origin, {
    connect: createConnector({
      secureContext: origin.startsWith('https:') ? secureContext() : undefined,
      timeoutMs: timeoutSeconds * 1000,
      lookup,
      checkServer,
    }),
    allowH2: false,
    connections: maxConnections,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxHeaderSize: maxHeadBytes,
    // One clock for each call, below, in the place of three.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { pool, turns: new Turns(maxConnections) }
}

interface Limits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

/**
 * The life of one call: clock, caller that leaves, first failure. What is done with the answer is for the subclasses. The
 * methods of the client's handler are here as well: an object of closures for each call would cost more than the call.
 */
abstract class Exchange implements Dispatcher.DispatchHandler {
  readonly limits: Limits
  readonly outlet: Outlet
  #controller: Dispatcher.DispatchController | undefined
  #failure: Error | undefined
  #turns: Turns | undefined
  readonly #ended = Promise.withResolvers<void>()

  constructor(limits: Limits, outlet: Outlet) {
    this.limits = limits
    this.outlet = outlet
  }

  abstract onHead(status: number, statusText: string, headers: RawHeaders): void
  abstract onData(chunk: Buffer): void
  abstract onEnd(): void

  async run(place: Place, call: Call): Promise<void> {
    const clock = setTimeout(endOfTime, this.limits.timeoutMs, this)
    this.outlet.onGone = toLeaver(this)
    const giveUp = this.#start(place, call)
    try {
      await this.#ended.promise
    } finally {
      giveUp()
      clearTimeout(clock)
      this.outlet.onGone = undefined
    }
  }

  #start({ pool, turns }: Place, call: Call): () => void {
    return turns.take(() => {
      this.#turns = turns
      pool.dispatch(toRequest(call), this)
    })
  }

  /** The first failure counts; the connection is torn down with it. */
  fail(failure: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    // Without a controller the call still waits for a connection: it is given up when it gets one.
    this.#controller?.abort(failure)
    this.#ended.reject(failure)
  }

  pause(): void {
    this.#controller?.pause()
  }

  readonly resume = (): void => this.#controller?.resume()

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown, not aborted: the call is over, and the connection that it waited for stays for the next one.
    if (this.#failure !== undefined) throw this.#failure
    this.#controller = controller
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText?: string,
  ): void {
    if (status >= 200) this.onHead(status, toReason(statusText), toStrings(controller.rawHeaders))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.onData(chunk)
  }

  onResponseEnd(): void {
    this.#giveBack()
    if (this.#failure !== undefined) return
    this.onEnd()
    this.#ended.resolve()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#giveBack()
    if (!this.outlet.isOpen) this.fail(new CallerGone())
    const { message, code } = describe(error)
    this.fail(new Failure('internal_error', message, { cause: new Error(code, { cause: error }) }))
  }

  #giveBack(): void {
    this.#turns?.giveBack()
    this.#turns = undefined
  }
}

function endOfTime(exchange: Exchange): void {
  const seconds = exchange.limits.timeoutMs / 1000
  exchange.fail(new Failure('upstream_timeout', `no whole answer within ${seconds} s`))
}

/** Made apart from `run`: sharing its scope, this closure kept every call alive through the next collections of garbage. */
function toLeaver(exchange: Exchange): () => void {
  return () => exchange.fail(new CallerGone())
}

function toRequest({ origin, path, method, headers, body, bodyLength }: Call): Dispatcher.DispatchOptions {
  const sent = bodyLength === undefined ? headers : [...headers, 'content-length', String(bodyLength)]
  // The types know upper-case standard methods only; the client takes any token.
  return { origin, path, method, headers: sent, body } as unknown as Dispatcher.DispatchOptions
}

function toStrings(raw: unknown): string[] {
  return (raw as (Buffer | string)[]).map((each) => (typeof each === 'string' ? each : each.toString('latin1')))
}

/** The client reads the bytes as UTF-8; what is none cannot be told, and the phrase of the standard stands for it. */
function toReason(statusText = ''): string {
  return statusText.includes('\uFFFD') ? '' : Buffer.from(statusText).toString('latin1')
}

function tooLarge({ maxBytes }: Limits): Failure {
  return new Failure('upstream_body_too_large', `the answer is larger than ${maxBytes} bytes`, {
    extras: { limit: maxBytes },
  })
}

/** Pieces of a body up to the cap. */
class Pieces {
  readonly #chunks: Buffer[] = []
  #length = 0

  /** False when the cap is passed. */
  add(chunk: Buffer, maxBytes: number): boolean {
    this.#length += chunk.length
    if (this.#length > maxBytes) return false
    this.#chunks.push(chunk)
    return true
  }

  join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#length)
  }
}

class Collected extends Exchange {
  #status = 0
  #contentType: string | undefined
  readonly #pieces = new Pieces()

  get answer(): Answer {
    return { status: this.#status, contentType: this.#contentType, body: this.#pieces.join() }
  }

  override onHead(status: number, _statusText: string, headers: RawHeaders): void {
    this.#status = status
    for (let i = 0; i < headers.length; i += 2) {
      const name = (headers[i] as string).toLowerCase()
      if (name === 'content-type') this.#contentType = headers[i + 1]
      else if (name === 'content-length' && Number(headers[i + 1]) > this.limits.maxBytes)
        this.fail(tooLarge(this.limits))
    }
  }

  override onData(chunk: Buffer): void {
    if (!this.#pieces.add(chunk, this.limits.maxBytes)) this.fail(tooLarge(this.limits))
  }

  override onEnd(): void {}
}

/** Statuses whose answers have no body, whatever their headers say. */
const bodyless: ReadonlySet<number> = new Set([204, 304])

class Streamed extends Exchange {
  readonly #isHead: boolean
  #head: Inbound | undefined
  #status = 0
  #statusText = ''
  /** Collected until the end, because the length was not declared. */
  #pieces: Pieces | undefined
  #left = 0
  #isEnded = false

  constructor(limits: Limits, outlet: Outlet, isHead: boolean) {
    super(limits, outlet)
    this.#isHead = isHead
  }

  get outcome(): Outcome {
    return { status: this.#status, errorCode: this.#head?.errorCode }
  }

  /** Nothing is said before the body comes: until then the caller can still be told what went wrong. */
  override onHead(status: number, statusText: string, received: RawHeaders): void {
    this.#status = status
    this.#statusText = statusText
    this.#head = toInbound(received, status)
    const { contentLength } = this.#head
    if (this.#isHead || bodyless.has(status)) return
    if (contentLength === undefined) this.#pieces = new Pieces()
    else if (contentLength > this.limits.maxBytes) this.fail(tooLarge(this.limits))
    else this.#left = contentLength
  }

  override onData(chunk: Buffer): void {
    if (this.#pieces !== undefined) {
      if (!this.#pieces.add(chunk, this.limits.maxBytes)) this.fail(tooLarge(this.limits))
      return
    }
    this.#begin()
    this.#left -= chunk.length
    // The last piece goes with the end: one write less, and for a small answer the only one.
    if (this.#left === 0) {
      this.#isEnded = true
      this.outlet.end(chunk)
    } else if (!this.outlet.write(chunk, this.resume)) {
      this.pause()
    }
  }

  override onEnd(): void {
    if (this.#isEnded) return
    this.#begin()
    this.outlet.end(this.#pieces?.join())
  }

  #begin(): void {
    if (!this.outlet.hasBegun) this.outlet.begin(this.#status, this.#statusText, this.#head?.headers ?? [])
  }
}
