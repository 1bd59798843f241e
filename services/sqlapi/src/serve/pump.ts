/**
 * Sends a streamed result to the client, as fast as the client reads and no faster. If the stream breaks off, so does
 * the connection: the client must not take a part for the whole.
 */
import type { Readable } from 'node:stream'
import type { Exchange } from '@services/http-shell'

/** Call it when the head has been written. Calls `cut` at most once, with the reason why the stream broke off. */
export function pump(stream: Readable, exchange: Exchange, cut: (error: Error) => void): void {
  if (stream.errored !== null || !exchange.isOpen) {
    stream.destroy()
    if (stream.errored !== null) cut(stream.errored)
    return
  }
  const { onGone } = exchange
  exchange.onGone = () => {
    onGone?.()
    stream.destroy()
  }
  const resume = (): void => void stream.resume()
  stream.on('data', (piece: Buffer | string) => {
    if (!exchange.write(piece, resume)) stream.pause()
  })
  stream.on('end', () => exchange.end())
  stream.on('error', cut)
}
