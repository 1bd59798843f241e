/**
 * A streamed answer -> the client, as fast as the client reads and no faster. Whoever reads nothing for too long, or an answer
 * that breaks off, ends in a cut connection: the client must not take a part for the whole.
 */
import type { Readable, Writable } from 'node:stream'

/** A client that takes nothing for so long frees the database. */
const stallMs = 10_000

export interface Client {
  /** Called at most once, with why the answer broke off; it is to cut the connection. */
  readonly cut: (error: Error) => void
  /** The client can read the answer now, if it wants to. */
  readonly isRead: () => boolean
}

/** The head of the response has been written. */
export function pump(stream: Readable, response: Writable, { cut, isRead }: Client): void {
  if (stream.errored !== null || response.destroyed) {
    stream.destroy()
    if (stream.errored !== null) cut(stream.errored)
    return
  }
  let stall: NodeJS.Timeout | undefined
  const watch = (): void => {
    stall = setTimeout(() => {
      if (isRead()) stream.destroy(new Error('The client reads too slowly'))
      else watch()
    }, stallMs)
  }
  stream.on('data', (piece: Buffer | string) => {
    if (response.write(piece)) return
    stream.pause()
    if (stall === undefined) watch()
  })
  response.on('drain', () => {
    clearTimeout(stall)
    stall = undefined
    stream.resume()
  })
  stream.on('end', () => response.end())
  stream.on('error', cut)
  response.on('close', () => {
    clearTimeout(stall)
    stream.destroy()
  })
}
