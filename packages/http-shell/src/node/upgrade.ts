/**
 * A request that the parser of Node.js hands back, so that it is read again: one for another protocol, which is never
 * spoken, without that wish, or one that may not begin yet.
 */
import type { IncomingMessage } from 'node:http'

/** The head of the request as it stood on the wire, except for the wish. */
export function toHeadAgain({ method, url, httpVersion, headers, rawHeaders }: IncomingMessage): Buffer {
  const isWish = /upgrade/i.test(headers.connection ?? '')
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (!isWish || name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
