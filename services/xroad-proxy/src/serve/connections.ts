/**
 * Which client connections owe which answers, so that the server can end without cutting one, and whoever works on an answer
 * hears when its client leaves. Knows sockets, not HTTP: the server says when a request came and when its answer is out.
 */
import type { Server, Socket } from 'node:net'

/** An answer that is owed. */
export interface Debt {
  /** The connection has closed. */
  gone(): void
}

interface State {
  readonly owed: Set<Debt>
  /** Whether the connection ends with the last answer that it owes. */
  isEnding: boolean
}

export class Connections {
  /** Open connections only: what is said of one that has closed in the meantime is passed over. */
  readonly #states = new Map<Socket, State>()
  #isClosing = false
  readonly #emptied = Promise.withResolvers<void>()

  /** `server` tells of new connections by its `connection` event. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const state = { owed: new Set<Debt>(), isEnding: false }
      this.#states.set(socket, state)
      socket.once('close', () => {
        this.#states.delete(socket)
        // Also those whose turn to be written has not come: Node.js tells of the first one only.
        for (const debt of state.owed) debt.gone()
        this.#settle()
      })
    })
  }

  /** No further requests are wanted on any connection. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  asked(socket: Socket, debt: Debt): void {
    this.#states.get(socket)?.owed.add(debt)
  }

  /** The answer is out or can no longer be given. */
  answered(socket: Socket, debt: Debt): void {
    const state = this.#states.get(socket)
    if (state === undefined) return
    state.owed.delete(debt)
    if (state.owed.size === 0 && (this.#isClosing || state.isEnding)) socket.destroySoon()
  }

  /** Ends the connection after the answers that it owes. False when it owes none, and its end is left to the caller. */
  endAfterAnswers(socket: Socket): boolean {
    const state = this.#states.get(socket)
    if (state === undefined || state.owed.size === 0) return false
    state.isEnding = true
    return true
  }

  /** Ends the idle connections now and the others with their last answer. Settles when all are gone and that is known. */
  close(): Promise<void> {
    this.#isClosing = true
    for (const [socket, { owed }] of this.#states) if (owed.size === 0) socket.destroySoon()
    this.#settle()
    return this.#emptied.promise
  }

  #settle(): void {
    // Not at once: whoever else waits for the last connection to close hears of it first.
    if (this.#isClosing && this.#states.size === 0) setImmediate(this.#emptied.resolve)
  }
}
