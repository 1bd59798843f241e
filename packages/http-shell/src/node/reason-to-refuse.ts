/**
 * A request as the parser of Node.js has read it -> why it is refused nevertheless; undefined where it is right. Pure.
 */
import type { IncomingMessage } from 'node:http'
import { maxHeadBytes } from '../exchange/limits.ts'
import { canBeHost } from '../exchange/host.ts'
import type { Reason } from '../exchange/refusals.ts'

export function reasonToRefuse(message: IncomingMessage): Reason | undefined {
  const { headers, rawHeaders, httpVersionMinor } = message
  const coding = headers['transfer-encoding']?.toLowerCase()
  if (coding !== undefined && coding !== 'chunked') {
    // Without chunks there is no telling where the body ends; the parser will say so as well.
    return /(^|[\s,])chunked$/.test(coding) ? 'transfer coding' : 'malformed'
  }
  // The parser counts neither colons nor line ends, which are most of many short headers.
  if (sizeOf(message) > maxHeadBytes) return 'head too large'
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 1) return canBeHost(headers.host as string) ? undefined : 'not a host'
  if (hosts > 1) return 'repeated host'
  // HTTP/1.0 has no Host header.
  return httpVersionMinor === 0 ? undefined : 'no host'
}

/** Version, blanks and line ends of the request line, and the empty line. */
const fixedBytes = ' '.length + ' HTTP/1.1\r\n'.length + '\r\n'.length

/** As it is usually spelt: with one blank after each colon. */
function sizeOf({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  let size = method.length + url.length + fixedBytes
  for (const text of rawHeaders) size += text.length + 2
  return size
}
