/**
 * Watches what arrives on the socket of a connection before the HTTP client reads it: bytes of an interim response, and
 * how the connection ends.
 *
 * Node has no public way to do this for free: a stream between socket and client would copy every byte. So this file,
 * and no other, overrides `push` of a socket that this service opened, and reads the bytes below TLS from a private
 * field of Node. Tests in test/service/upstream/call-faults.test.ts fail when a version of Node changes either.
 */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

export function watchArrivals(
  socket: Socket,
  interim: { look(chunk: Buffer): void },
  ending: { look(): void; readonly isCut: boolean },
): void {
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk === null && ending.isCut) {
      socket.destroy(Object.assign(new Error('cut'), { code: 'TLS_CUT' }))
      return false
    }
    if (Buffer.isBuffer(chunk)) {
      interim.look(chunk)
      ending.look()
    }
    return push(chunk, encoding)
  }
}

interface Wire {
  readonly _handle?: { readonly _parent?: { readonly bytesRead?: number } } | null
}

/** Received so far below TLS. Undefined where Node has no such field. */
export function bytesOnWire(socket: TLSSocket): number | undefined {
  return (socket as unknown as Wire)._handle?._parent?.bytesRead
}
