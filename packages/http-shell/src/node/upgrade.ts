/**
 * A request for another protocol, which is never spoken: it is answered like any other. Node's parser stops behind such
 * a request without a body and drops the rest of what has arrived; so Node is told to hand the connection over, and
 * gets it back with the same request, without the wish.
 */
import type { IncomingMessage } from 'node:http'

/**
 * Whether Node is to hand the connection over. Not with a body: where that has not arrived with its head, Node leaves a
 * stream on the socket and loses each later request for another protocol. Behind such a request the connection ends
 * instead.
 */
export function isPlainUpgrade({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)
}

/** Whether the parser stops behind it, although it has a body. */
export function isUpgradeWithBody(message: IncomingMessage): boolean {
  const { upgrade, connection = '' } = message.headers
  return upgrade !== undefined && /\bupgrade\b/i.test(connection) && !isPlainUpgrade(message)
}

/** The request as it stood on the wire, except for the wish, and what came behind it. */
export function toPlainRequest({ method, url, httpVersion, rawHeaders }: IncomingMessage, behind: Buffer): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), behind])
}
