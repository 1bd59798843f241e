/**
 * A request that has begun and the answer to it, as a service reads and writes them. Whether Node.js or the reader of
 * plain requests has read the request makes no difference to a service.
 */
import type { Reserve } from './body.ts'

export type Headers = Readonly<Record<string, string | number>>
/** Headers of a whole answer: the shell adds its own. */
export type SentHeaders = Record<string, string | number>
/** Header names and values in turn, as they stood on the wire, one character for each byte. */
export type RawHeaders = readonly string[]
/** Names in lower case; a repeated header is joined as Node.js does it, `set-cookie` is a list. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Why nobody is there to take the answer: the client left, or it took less than 64 KiB in 10 seconds. */
export type Leaving = 'left' | 'too slow'

export interface SendOptions {
  /** The connection ends with the answer. */
  readonly close?: boolean
}

export interface Exchange {
  readonly method: string
  /** Path and query string as on the request line. */
  readonly target: string
  readonly headers: RequestHeaders
  readonly rawHeaders: RawHeaders
  /** `X-Request-Id` of the client, or a new one; where the shell is told to, every answer has it. */
  readonly requestId: string
  /** Where the request is in a trace, once the service has said so: for code that hears of the exchange later. */
  traceparent: string | undefined
  /** Address of the client; undefined once the connection is closed, unless it was asked for before. */
  readonly peer: string | undefined
  /** Declared length of the body in bytes, 0 without a body, undefined for a chunked one. */
  readonly length: number | undefined
  /** The whole body, if it is here already and no longer than this. It is given once, and not kept for the answer. */
  takeBody(maxBytes: number): Buffer | undefined
  /** The body, whole. Throws BodyTooLarge, or BodyCut where its end never comes. */
  collect(maxBytes: number, reserve?: Reserve): Promise<Buffer>
  /** The body in pieces as they arrive. Leaving the loop early does not end the connection. */
  stream(): AsyncIterable<Uint8Array>
  /** Called at most once, when the client has gone before the answer was out. */
  onGone: (() => void) | undefined
  /** Why nobody is there, once nobody is. */
  readonly leaving: Leaving | undefined
  /** Closed when the answer is out, or there is nobody to take it. */
  held: { close(): void } | undefined
  /** Whether somebody is there to hear the answer. */
  readonly isOpen: boolean
  readonly hasBegun: boolean
  /** Status that was sent, 0 before. */
  readonly status: number
  /**
   * A whole answer; `headers` are the shell's from now on. No header says how the answer is framed or whether the
   * connection stays: the shell does.
   */
  send(status: number, headers: SentHeaders, body: string | Uint8Array, options?: SendOptions): void
  /** The head of an answer in pieces: names and values as an object, or raw pairs that are sent as they are. */
  begin(status: number, headers: Headers | RawHeaders, statusText?: string): void
  /** False when the client reads slower than we write; `resume` is called when it is time for more. */
  write(chunk: Uint8Array | string, resume: () => void): boolean
  end(chunk?: Uint8Array): void
  /** The rest is missing: the client must not take the answer for a whole one. */
  breakOff(): void
}

/** What a connection needs of its exchanges besides that. */
export interface Owed extends Exchange {
  /** The answer has been handed over whole, but may still be on its way. */
  readonly isEnded: boolean
  /** The client has to take something before more can be written. */
  readonly isBlocked: boolean
  /** Bytes that count as unsent. */
  unsent: number
  /** Writes something that the client ignores, to find out whether it is there. False if nothing can be written. */
  probe(): boolean
  /** Nobody is there any more. */
  leave(leaving: Leaving): void
}

/** Bytes this few are cheaper to copy than to write apart from their head. */
export const smallAnswerBytes = 16 * 1024
/** A longer answer goes out in pieces of this size, so that it shows whether the client takes it. */
export const pieceBytes = 64 * 1024

/** A reason phrase that may be sent on. */
export const reasonPhrase = /^[\t\u0020-\u007e\u0080-\u00ff]+$/
