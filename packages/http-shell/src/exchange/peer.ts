/** The address at the other end of a connection, as people write it. */
import type { Socket } from 'node:net'

/** A socket that listens to IPv6 as well has addresses of IPv4 in its own form. */
export function peerOf({ remoteAddress }: Socket): string | undefined {
  return remoteAddress?.startsWith('::ffff:') && remoteAddress.includes('.') ? remoteAddress.slice(7) : remoteAddress
}
