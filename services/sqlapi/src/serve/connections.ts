/**
 * Which client connections owe answers, so that the server can end without cutting one. Knows sockets, not HTTP: the server
 * says when a request came and when its answer is out.
 */
import type { Server, Socket } from 'node:net'

export class Connections {
  readonly #owed = new Map<Socket, number>()
  /** Connections whose newest request has not come in whole. */
  readonly #reading = new Set<Socket>()
  /** Connections that end with the last answer that they owe. */
  readonly #ending = new WeakSet<Socket>()
  #isClosing = false

  /** `server` tells of new connections by its `connection` event. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#owed.set(socket, 0)
      socket.once('close', () => {
        this.#owed.delete(socket)
        this.#reading.delete(socket)
      })
    })
  }

  /** No further requests are wanted on any connection. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** How many answers the connection owes now. */
  asked(socket: Socket): number {
    const owed = this.#owed.get(socket)
    // Closed in the meantime: it must not come back.
    if (owed === undefined) return 0
    this.#owed.set(socket, owed + 1)
    return owed + 1
  }

  /** From here on until `hasRead` what comes on the connection is the body of its newest request. */
  reads(socket: Socket): void {
    if (this.#owed.has(socket)) this.#reading.add(socket)
  }

  hasRead(socket: Socket): void {
    this.#reading.delete(socket)
  }

  /** The answer is out or can no longer be given. */
  answered(socket: Socket): void {
    const owed = this.#owed.get(socket)
    // Closed in the meantime: it must not come back.
    if (owed === undefined) return
    const left = owed - 1
    this.#owed.set(socket, left)
    if (left === 0 && (this.#isClosing || this.#ending.has(socket))) socket.destroySoon()
  }

  /** Ends the connection after the answers that it owes to whole requests. False when it is left to the caller. */
  endAfterAnswers(socket: Socket): boolean {
    if ((this.#owed.get(socket) ?? 0) === 0 || this.#reading.has(socket)) return false
    this.#ending.add(socket)
    return true
  }

  /** Ends the idle connections now and the others with their last answer. */
  close(): void {
    this.#isClosing = true
    for (const [socket, left] of this.#owed) if (left === 0) socket.destroySoon()
  }
}
