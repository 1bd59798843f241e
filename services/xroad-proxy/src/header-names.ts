/** Names of headers that no request takes from its caller to an upstream, nor from a file, in lower case. Pure. */

/**
 * They belong to one connection and not to the message, in either direction; `proxy-*` and what Connection names as
 * well.
 */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
export const hopByHopPrefix = 'proxy-'

/**
 * Not passed on from the caller: `host` names this service, `x-road-client` is for us to say, `expect` was answered
 * here, and the length is written again with the body.
 */
const ours: ReadonlySet<string> = new Set(['host', 'x-road-client', 'expect', 'content-length'])

export const notOutbound: ReadonlySet<string> = new Set([...hopByHop, ...ours])

/** Whether a file may neither remove nor set it. */
export function isReserved(lower: string): boolean {
  return notOutbound.has(lower) || lower.startsWith(hopByHopPrefix)
}
