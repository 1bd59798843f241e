/**
 * Asks the servers of a datasource every second how far they are, over a connection of its own to each: who may take
 * reads comes out. replica-state.ts judges, replicated.ts uses it. And the same question asked once, for `/ready`.
 */
import type { Probe } from '../../metering.ts'
import { type CurrentPassword, Login } from './login.ts'
import { judgeReplica, type Position, positionQuery, readPosition } from './replica-state.ts'
import { Listing } from './wire/questions.ts'
import { ServerOrder } from './wire/server-order.ts'
import { type DriverOptions, openSocket } from './wire/servers.ts'
import { Wire } from './wire/wire.ts'

/** From one look at a server to the next. */
const everyMs = 1000

export interface ObserverOptions extends Omit<DriverOptions, 'login' | 'order'> {
  /** Where it is read from a file. */
  readonly password?: CurrentPassword | undefined
  /** Longest time for an answer. */
  readonly answerSeconds: number
}

/** One server, asked again and again over a connection that is kept. */
export class Observer {
  readonly #options: ObserverOptions
  readonly #order = new ServerOrder()
  readonly #login: Login
  #wire: Wire | undefined
  #opening: AbortController | undefined

  constructor(options: ObserverOptions) {
    this.#options = options
    this.#login = new Login(options.url, options.password)
  }

  /** Rejects where it does not answer; the next question then finds a new connection. One question at a time. */
  async ask(): Promise<Position> {
    const wire = (this.#wire ??= await this.#connect())
    const listing = new Listing(positionQuery, [])
    const timer = setTimeout(() => wire.destroy(), this.#options.answerSeconds * 1000)
    try {
      await wire.ask(listing)
      return readPosition(listing.rows[0])
    } catch (error) {
      wire.destroy()
      this.#wire = undefined
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the connection, also one that is being opened. */
  close(): void {
    this.#opening?.abort(new Error('The connection is not wanted any more'))
    this.#wire?.destroy()
    this.#wire = undefined
  }

  async #connect(): Promise<Wire> {
    const { signal } = (this.#opening = new AbortController())
    const { socket } = await openSocket({ ...this.#options, order: this.#order, login: this.#login, signal })
    socket.unref()
    const wire = new Wire(socket, () => undefined)
    if (!signal.aborted) return wire
    wire.destroy()
    throw signal.reason
  }
}

/** What is watched, and what it tells. */
export interface Watched {
  readonly name: string
  readonly observer: Observer
  /** Call it after each look. `reason` says why it must not be used. */
  readonly found: (lagBytes: number | undefined, reason: string | undefined) => void
}

export class ReplicaWatch {
  readonly #first: Observer
  readonly #replicas: readonly Watched[]
  readonly #maxLagBytes: number
  /** What was last known of the first server. */
  #position: Position | undefined
  #isStarted = false
  readonly #timers = new Set<NodeJS.Timeout>()
  #isClosed = false

  constructor(first: Observer, replicas: readonly Watched[], maxLagBytes: number) {
    this.#first = first
    this.#replicas = replicas
    this.#maxLagBytes = maxLagBytes
  }

  /** Looks from now on; does nothing the second time. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    void this.#begin()
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#first.close()
    for (const { observer } of this.#replicas) observer.close()
  }

  async #begin(): Promise<void> {
    // Before anything is judged by it.
    await this.#lookAtFirst()
    this.#repeat(() => this.#lookAtFirst())
    for (const replica of this.#replicas)
      void this.#lookAt(replica).then(() => this.#repeat(() => this.#lookAt(replica)))
  }

  /** Each server by itself, so that one that is silent keeps nobody waiting. */
  #repeat(look: () => Promise<void>): void {
    if (this.#isClosed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void look().then(() => this.#repeat(look))
    }, everyMs).unref()
    this.#timers.add(timer)
  }

  async #lookAtFirst(): Promise<void> {
    try {
      this.#position = await this.#first.ask()
    } catch {
      // Others report it. How far it was still counts.
    }
  }

  async #lookAt({ observer, found }: Watched): Promise<void> {
    try {
      const position = await observer.ask()
      const { lagBytes, reason } = judgeReplica(position, this.#position, this.#maxLagBytes)
      if (!this.#isClosed) found(lagBytes, reason)
    } catch (error) {
      if (!this.#isClosed) found(undefined, `cannot be asked (${(error as Error).message})`)
    }
  }
}

export interface ReplicaProbeOptions {
  /** Of the first server, with the credentials. */
  readonly first: string
  readonly replica: string
  readonly password: CurrentPassword | undefined
  readonly maxLagBytes: number
  readonly timeoutSeconds: number
}

/** Whether a replica may take reads. Asked by one process for all, over connections that are kept. */
export class ReplicaProbe implements Probe {
  readonly #first: Observer
  readonly #replica: Observer
  readonly #maxLagBytes: number

  constructor({ first, replica, password, maxLagBytes, timeoutSeconds }: ReplicaProbeOptions) {
    const options = { password, connectTimeoutSeconds: timeoutSeconds, answerSeconds: timeoutSeconds }
    this.#first = new Observer({ url: first, ...options })
    this.#replica = new Observer({ url: replica, ...options })
    this.#maxLagBytes = maxLagBytes
  }

  async ask(signal: AbortSignal): Promise<void> {
    const giveUp = (): void => this.close()
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      const [first, replica] = await Promise.all([this.#first.ask().catch(() => undefined), this.#replica.ask()])
      const { reason } = judgeReplica(replica, first, this.#maxLagBytes)
      if (reason !== undefined) throw new Error(reason)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  close(): void {
    this.#first.close()
    this.#replica.close()
  }
}
