/**
 * Which client connections owe answers, so that the server can end without cutting one. Knows sockets, not HTTP: the server
 * says when a request came and when its answer is out.
 */
import type { Server, Socket } from 'node:net'

export class Connections {
  readonly #owed = new Map<Socket, number>()
  /** Connections that end with the last answer that they owe. */
  readonly #ending = new WeakSet<Socket>()
  #isClosing = false

  /** `server` tells of new connections by its `connection` event. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#owed.set(socket, 0)
      socket.once('close', () => this.#owed.delete(socket))
    })
  }

  /** No further requests are wanted on any connection. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  asked(socket: Socket): void {
    this.#owed.set(socket, (this.#owed.get(socket) ?? 0) + 1)
  }

  /** The answer is out or can no longer be given. */
  answered(socket: Socket): void {
    const left = (this.#owed.get(socket) ?? 1) - 1
    this.#owed.set(socket, left)
    if (left === 0 && (this.#isClosing || this.#ending.has(socket))) socket.destroySoon()
  }

  /** Ends the connection after the answers that it owes. False when it owes none and is left to the caller. */
  endAfterAnswers(socket: Socket): boolean {
    if ((this.#owed.get(socket) ?? 0) === 0) return false
    this.#ending.add(socket)
    return true
  }

  /** Ends the idle connections now and the others with their last answer. */
  close(): void {
    this.#isClosing = true
    for (const [socket, left] of this.#owed) if (left === 0) socket.destroySoon()
  }
}
