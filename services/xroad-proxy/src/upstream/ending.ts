/**
 * Whether a TLS connection was ended by its server, or cut by somebody on the way. An answer without a length ends with its
 * connection; its server says so in a last record (close_notify), and a bare end of TCP is what anybody can make. Node tells
 * both in the same words. What differs is where the end comes from: out of bytes that have just arrived, or out of none.
 */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** Bytes of the last record at most, by how the cipher pads. It may be cut in two on its way. */
const lastRecords: readonly (readonly [cipher: RegExp, bytes: number])[] = [
  [/^TLS_/, 24],
  [/CHACHA20/, 23],
  [/GCM|CCM/, 31],
  [/./, 85],
]

/** Node has no other name for the bytes on the wire below TLS. */
interface Wire {
  readonly _handle?: { readonly _parent?: { readonly bytesRead?: number } } | null
}

export class Ending {
  #socket: TLSSocket | undefined
  #isWatching = false
  /** Bytes on the wire, and events of the loop, when the newest bytes of the answer came. */
  #received = 0
  #event = 0

  watch(socket: Socket): void {
    this.#isWatching = false
    this.#socket = 'getCipher' in socket ? (socket as TLSSocket) : undefined
    if (this.#socket === undefined) return
    const push = socket.push.bind(socket)
    socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (!this.#isWatching) return push(chunk, encoding)
      if (chunk !== null) this.#note()
      else if (!this.#isOrderly()) {
        socket.destroy(Object.assign(new Error('cut'), { code: 'TLS_CUT' }))
        return false
      }
      return push(chunk, encoding)
    }
  }

  /** Whether the answer that begins now ends with its connection. */
  expect(isEnd: boolean): void {
    this.#isWatching = isEnd && this.#socket !== undefined && receivedBy(this.#socket) !== undefined
    if (this.#isWatching) this.#note()
  }

  #note(): void {
    this.#received = receivedBy(this.#socket as TLSSocket) ?? 0
    this.#event = eventOfLoop()
  }

  #isOrderly(): boolean {
    const socket = this.#socket as TLSSocket
    const since = (receivedBy(socket) ?? 0) - this.#received
    // With the bytes that came last, or in a record of its own.
    if (since === 0) return eventOfLoop() === this.#event
    const { standardName } = socket.getCipher()
    const name = socket.getProtocol() === 'TLSv1.3' ? standardName : standardName.replace(/^TLS_/, '')
    return since <= (lastRecords.find(([cipher]) => cipher.test(name))?.[1] ?? 0)
  }
}

function receivedBy(socket: TLSSocket): number | undefined {
  return (socket as unknown as Wire)._handle?._parent?.bytesRead
}

function eventOfLoop(): number {
  return performance.nodeTiming.uvMetricsInfo.events
}
