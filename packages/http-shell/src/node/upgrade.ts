/**
 * A request for another protocol, which is never spoken: it is answered like any other. Node's parser stops at its head
 * and hands the connection over, and gets it back with the same request, without the wish.
 */
import type { IncomingMessage } from 'node:http'

/** The request as it stood on the wire, except for the wish, and what came behind it. */
export function toPlainRequest({ method, url, httpVersion, rawHeaders }: IncomingMessage, behind: Buffer): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), behind])
}
