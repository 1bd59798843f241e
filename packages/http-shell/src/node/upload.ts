/**
 * The body of a request that Node.js reads, whole and up to a limit, or in pieces. Reads nothing before somebody asks
 * for it. A service that counts bytes hears of them before they are kept, and may delay the reader.
 */
import type { IncomingMessage } from 'node:http'
import { BodyCut, BodyTooLarge, type Reserve } from '../exchange/body.ts'
import { readAheadBytes } from '../exchange/limits.ts'
import { Pieces } from '../exchange/pieces.ts'

/** In bytes; 0 without a body, undefined where the length is not declared. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  const length = headers['content-length']
  return length === undefined ? 0 : Number(length)
}

/**
 * HTTP/1.0 has no chunks: a program that passes them on in it may take something else for the end of the body (RFC
 * 9112, 6.1).
 */
export function isFramedUnsurely({ httpVersionMinor, headers }: IncomingMessage): boolean {
  return httpVersionMinor === 0 && headers['transfer-encoding'] !== undefined
}

/** The whole body, counted as it arrives. Throws BodyTooLarge or BodyCut. */
export function collect(message: IncomingMessage, maxBytes: number, reserve?: Reserve): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const length = declaredLength(message)
  const pieces = new Pieces()
  let waiting: Promise<void> | undefined
  const giveUp = (reason: Error): void => {
    message.off('data', onData)
    pieces.drop()
    reject(reason)
  }
  const count = (bytes: number, isWhole: boolean): void => {
    const room = reserve?.(bytes, giveUp, isWhole)
    if (room === undefined) return
    waiting = room
    room.then(
      () => goOn(room),
      (error: unknown) => giveUp(error instanceof Error ? error : new BodyCut()),
    )
  }
  const goOn = (room: Promise<void>): void => {
    if (waiting !== room) return
    waiting = undefined
    if (message.readableEnded) resolve(pieces.join())
    else message.resume()
  }
  const onData = (chunk: Buffer): void => {
    if (!pieces.add(chunk, maxBytes)) {
      giveUp(new BodyTooLarge(maxBytes))
      return
    }
    count(chunk.length, pieces.length === length)
    if (waiting !== undefined && pieces.length >= readAheadBytes) message.pause()
  }
  const onEnd = (): void => {
    if (waiting === undefined) resolve(pieces.join())
    else count(0, true)
  }
  const onCut = (): void => reject(new BodyCut())
  // What is there is kept by the stream until somebody listens, but what has ended with its connection has no end.
  if (message.destroyed && !message.readableEnded) onCut()
  message.on('data', onData)
  message.on('end', onEnd)
  // Asked first, because an error is costly to make, and every body ends with this event.
  message.on('close', () => {
    if (!message.readableEnded) onCut()
  })
  message.on('error', onCut)
  return promise
}

/**
 * Reads and drops the rest that nobody wants: a client that sends everything before it reads would otherwise wait for
 * ever.
 */
export async function* readPieces(message: IncomingMessage): AsyncIterable<Uint8Array> {
  try {
    yield* message.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>
  } finally {
    dropRest(message)
  }
}

/**
 * Reads what still comes and keeps nothing of it. The listener is needed as well as `resume`: where a reader of pieces
 * leaves in the same turn, Node forgets that the stream was resumed, unless somebody listens for data.
 */
export function dropRest(message: IncomingMessage): void {
  message.on('data', ignore).resume()
}

function ignore(): void {
  // Nobody wants it.
}

/** What is left of the upload at most. */
export function bytesToCome(message: IncomingMessage): number {
  if (message.complete) return 0
  return declaredLength(message) ?? Infinity
}
