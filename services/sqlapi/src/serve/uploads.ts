/**
 * Bodies that arrive in pieces, and those that have arrived and whose requests are not answered: how many bytes each
 * kind holds together, those of all connections. Beyond the limit a body waits unread, except for the one that began
 * first, which is always read on: so one always comes to an end, and a client that sends loses no answer to a later
 * one. A client that stops sending while others wait is given up, because nobody else would ever be read.
 */
import { defaultLimits, type Reserve, stallBytes } from '@services/http-shell'

/** Of all bodies of a kind together, in bytes; more where single ones may be that large. */
const minBytes = 134_217_728
const bodies = 4
/** As long as a client may take nothing of an answer. */
const { stallMs } = defaultLimits
/** How often it is asked who has stopped sending, while somebody waits. */
const lookMs = 1000
/** What a body is likely to bring at once. */
const pieceBytes = 65_536
/** Between two lines in the log. */
const tellMs = 60_000

export function maxHeldBytes(maxBodyBytes: number): number {
  return Math.max(minBytes, bodies * maxBodyBytes)
}

/** Where the limit comes from. */
const limitInWords = 'four times server.max_body_bytes, at least 128 MiB'

/** What the reader of a body that is given up hears. */
export class BodyGivenUp extends Error {
  constructor(maxBytes: number) {
    super(
      `Less than ${stallBytes} bytes of the body came in ${stallMs / 1000} s, while other bodies waited because those ` +
        `that are arriving hold ${maxBytes} bytes (${limitInWords}); send it again without a pause`,
    )
    this.name = 'BodyGivenUp'
  }
}

/** Why bodies wait. */
export type Held = 'arriving' | 'unanswered'

/** For the log. */
export function toWait(held: Held, maxBytes: number): { readonly reason: string; readonly cure: string } {
  const whose = held === 'arriving' ? 'those that are arriving' : 'those of requests that are not answered yet'
  const cure = held === 'arriving' ? 'look for clients that send slowly' : 'look for statements that take long'
  return { reason: `${whose} hold more than ${maxBytes} bytes (${limitInWords})`, cure }
}

/** One body, for its reader. */
export interface Upload {
  readonly reserve: Reserve
  /** It is there, and counts as unanswered from now on. */
  readonly arrived: () => void
  /** Its request is answered, or it will never be there. */
  readonly end: () => void
}

interface Body {
  readonly maxBytes: number
  held: number
  giveUp: (reason: Error) => void
  /** Has it read on, while it waits. */
  resume: (() => void) | undefined
  /** What it has brought since then, while somebody waits. */
  brought: number
  since: number
}

export class Uploads {
  #arrivingBytes = 0
  #unansweredBytes = 0
  /** In the order in which they began. */
  readonly #arriving = new Set<Body>()
  #waiting = 0
  #looking: NodeJS.Timeout | undefined
  #toldAt = -Infinity
  readonly #onFull: (held: Held, maxBytes: number) => void

  /** `onFull` is called when bodies begin to wait, at most once a minute. */
  constructor(onFull: (held: Held, maxBytes: number) => void = () => undefined) {
    this.#onFull = onFull
  }

  begin(maxBytes: number): Upload {
    const body: Body = { maxBytes, held: 0, giveUp: () => undefined, resume: undefined, brought: 0, since: 0 }
    let isWhole = false
    return {
      reserve: (bytes, giveUp) => this.#reserve(body, bytes, giveUp),
      arrived: () => {
        isWhole = true
        this.#unansweredBytes += body.held
        this.#leave(body)
      },
      end: () => {
        if (isWhole) this.#unansweredBytes -= body.held
        isWhole = false
        this.#leave(body)
      },
    }
  }

  #reserve(body: Body, bytes: number, giveUp: (reason: Error) => void): Promise<void> | undefined {
    if (!this.#arriving.has(body)) {
      this.#arriving.add(body)
      body.since = Date.now()
    }
    body.giveUp = giveUp
    body.held += bytes
    body.brought += bytes
    this.#arrivingBytes += bytes
    // It waits already.
    if (body.resume !== undefined) return undefined
    const held = this.#fullFor(body)
    if (held === undefined) return undefined
    this.#waiting++
    this.#watch()
    this.#tell(held, body.maxBytes)
    return new Promise((resolve) => (body.resume = resolve))
  }

  #tell(held: Held, maxBytes: number): void {
    const now = Date.now()
    if (now - this.#toldAt < tellMs) return
    this.#toldAt = now
    this.#onFull(held, maxBytes)
  }

  /** Why the body has to wait. */
  #fullFor(body: Body): Held | undefined {
    if (this.#unansweredBytes > body.maxBytes) return 'unanswered'
    if (this.#arrivingBytes <= body.maxBytes) return undefined
    const [first] = this.#arriving
    return first === body ? undefined : 'arriving'
  }

  /** It is not arriving any more. */
  #leave(body: Body): void {
    if (this.#arriving.delete(body)) {
      this.#arrivingBytes -= body.held
      this.#resume(body)
    }
    this.#admit()
  }

  /** In order, as many as there is room for. */
  #admit(): void {
    let resumed = 0
    for (const body of this.#arriving) {
      if (this.#waiting === 0) return
      if (body.resume === undefined) continue
      if (this.#fullFor(body) !== undefined) return
      if (resumed > 0 && this.#arrivingBytes + resumed * pieceBytes > body.maxBytes) return
      this.#resume(body)
      resumed++
    }
  }

  #resume(body: Body): void {
    if (body.resume === undefined) return
    body.resume()
    body.resume = undefined
    body.since = Date.now()
    body.brought = 0
    if (--this.#waiting > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }

  #watch(): void {
    if (this.#looking !== undefined) return
    const now = Date.now()
    for (const body of this.#arriving) {
      body.since = now
      body.brought = 0
    }
    this.#looking = setInterval(() => this.#look(), lookMs).unref()
  }

  /** Gives up each body that is in the way of those that wait and does not arrive. */
  #look(): void {
    const now = Date.now()
    for (const body of this.#arriving) {
      const isInTheWay = body.resume === undefined && this.#arrivingBytes > body.maxBytes
      if (!isInTheWay || body.brought >= stallBytes) {
        body.since = now
        body.brought = 0
      } else if (now - body.since >= stallMs) {
        this.#leave(body)
        body.giveUp(new BodyGivenUp(body.maxBytes))
      }
    }
  }
}
