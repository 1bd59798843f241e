/**
 * Decides whether the server ended a TLS connection or somebody on the way cut it. A response without a length ends
 * with its connection; the server then sends a last record (close_notify), while anybody can end TCP. Node reports both
 * in the same way and has no API to tell them apart. The difference is what arrives just before the end: as many bytes
 * as the last record has, or none.
 *
 * Goes unnoticed: a cut after exactly as many bytes of another record as close_notify would have.
 */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { bytesOnWire } from './arrivals.ts'

/** How long the last record may be, by its cipher: two bytes of alert, and what the record around them adds. */
const lastRecords: readonly (readonly [cipher: RegExp, bytes: readonly number[]])[] = [
  [/^TLS_.*CCM_8/, [16]],
  [/^TLS_/, [24]],
  [/CHACHA20|CCM_8/, [23]],
  [/GCM|CCM/, [31]],
  // In blocks, with SHA-1, SHA-256 or SHA-384, which is taken of the text or of its blocks.
  [/./, [53, 57, 69, 85]],
]

export class Ending {
  #socket: TLSSocket | undefined
  #isWatching = false
  /** Bytes on the wire, and events of the loop, when the newest bytes of the response came. */
  #received = 0
  #event = 0

  open(socket: Socket): void {
    this.#isWatching = false
    this.#socket = 'getCipher' in socket ? (socket as TLSSocket) : undefined
  }

  /** Whether the response that begins now ends with its connection. */
  expect(isEnd: boolean): void {
    this.#isWatching = isEnd && this.#socket !== undefined && bytesOnWire(this.#socket) !== undefined
    this.look()
  }

  /** Bytes have arrived. */
  look(): void {
    if (!this.#isWatching) return
    this.#received = bytesOnWire(this.#socket as TLSSocket) ?? 0
    this.#event = eventOfLoop()
  }

  /** Asked when the end arrives. */
  get isCut(): boolean {
    if (!this.#isWatching) return false
    const socket = this.#socket as TLSSocket
    const since = (bytesOnWire(socket) ?? 0) - this.#received
    // With the bytes that came last, or in a record of its own, which may have come in two pieces.
    if (since === 0) return eventOfLoop() !== this.#event
    const { standardName } = socket.getCipher()
    const name = socket.getProtocol() === 'TLSv1.3' ? standardName : standardName.replace(/^TLS_/, '')
    return lastRecords.find(([cipher]) => cipher.test(name))?.[1].includes(since) !== true
  }
}

function eventOfLoop(): number {
  return performance.nodeTiming.uvMetricsInfo.events
}
