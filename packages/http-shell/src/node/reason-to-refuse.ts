/**
 * A request as the parser of Node.js has read it -> why it is refused nevertheless; undefined where it is right. Pure.
 */
import type { IncomingMessage } from 'node:http'
import { maxHeadBytes } from '../exchange/limits.ts'
import { canBeHost } from '../exchange/host.ts'
import type { Reason } from '../exchange/refusals.ts'

export function reasonToRefuse({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): Reason | undefined {
  const coding = headers['transfer-encoding']?.toLowerCase()
  if (coding !== undefined && coding !== 'chunked') {
    // Without chunks there is no telling where the body ends; the parser will say so as well.
    return /(^|[\s,])chunked$/.test(coding) ? 'transfer coding' : 'malformed'
  }
  // The parser counts neither colons nor line ends, which are most of many short headers.
  if (rawHeaders.length > manyHeaders && sizeOf(rawHeaders) > maxHeadBytes) return 'head too large'
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

/** A head with more names and values than this has its size counted again. */
const manyHeaders = 200

function sizeOf(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)
}
