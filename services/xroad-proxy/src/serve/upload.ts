/**
 * The body of a request, as the lanes read it: whole and under the cap, or in pieces. Nothing is read before somebody asks,
 * and a client that waits for the go-ahead gets it then.
 */
import type { IncomingMessage } from 'node:http'
import { CallerGone, Failure } from '../errors.ts'
import type { Reserve, Upload } from '../model.ts'

export class RequestUpload implements Upload {
  readonly length: number | undefined
  readonly #message: IncomingMessage
  readonly #goAhead: () => void

  /** `goAhead` tells the client to send the body, where it waits for that. */
  constructor(message: IncomingMessage, goAhead: () => void) {
    this.length = declaredLength(message)
    this.#message = message
    this.#goAhead = goAhead
  }

  async collect(maxBytes: number, reserve?: Reserve): Promise<Uint8Array> {
    // The HTTP server does not tell of the end of what has none.
    if (this.length === 0) return new Uint8Array()
    if (this.length !== undefined && this.length > maxBytes) throw tooLarge(maxBytes)
    this.#goAhead()
    return readAll(this.#message, maxBytes, reserve)
  }

  stream(): AsyncIterable<Uint8Array> {
    this.#goAhead()
    return readPieces(this.#message)
  }
}

function declaredLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}

function tooLarge(limit: number): Failure {
  return new Failure('request_too_large', `the request body is larger than ${limit} bytes`, { extras: { limit } })
}

/** What is left when nobody wants more of it is dropped: a client that has to send all before it reads would wait forever. */
async function* readPieces(message: IncomingMessage): AsyncIterable<Uint8Array> {
  try {
    yield* message.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>
  } finally {
    message.resume()
  }
}

/** The whole body, counted as it arrives. */
function readAll(message: IncomingMessage, maxBytes: number, reserve?: Reserve): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  let length = 0
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    if (length > maxBytes) {
      message.off('data', onData)
      reject(tooLarge(maxBytes))
    } else {
      chunks.push(chunk)
      const waiting = reserve?.(chunk.length)
      if (waiting === undefined) return
      message.pause()
      waiting.then(
        () => message.resume(),
        (error: unknown) => {
          message.off('data', onData)
          reject(error instanceof Error ? error : new CallerGone())
        },
      )
    }
  }
  message.on('data', onData)
  message.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
  // Asked first, because an error is costly to make, and every body ends with this event.
  message.on('close', () => {
    if (!message.readableEnded) reject(new CallerGone())
  })
  message.on('error', () => reject(new CallerGone()))
  return promise
}
