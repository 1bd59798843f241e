/**
 * The database server of the simulation, seen through its connections: they work in order, take time to open and to
 * close, refuse, break, get dirty, give back and are cancelled. How often is up to the run.
 */
import { type Connection, takenBack } from '../../../src/database/pool/job.ts'
import type { Task, World } from './simulation-world.ts'

export interface Server {
  readonly max: number
  readonly depth: number
  readonly acquireTimeoutSeconds: number
  readonly openMs: () => number
  readonly closeMs: () => number
  /** Connections that the server allows; beyond it refuses. */
  readonly allowed: number
  /** Whether a connection gives back what it has not begun. */
  readonly givesBack: boolean
  /** Whether it has begun the job at its head by then; it may have been busy with itself. */
  readonly hasBegun: () => boolean
  readonly isRefused: () => boolean
  readonly breaksAfterMs: () => number
  readonly leavesDirty: () => boolean
  readonly isCleanable: () => boolean
  readonly fails: () => boolean
}

export const steadyServer: Server = {
  max: 10,
  depth: 32,
  acquireTimeoutSeconds: 5,
  openMs: () => 5,
  closeMs: () => 1,
  allowed: Infinity,
  givesBack: false,
  hasBegun: () => true,
  isRefused: () => false,
  breaksAfterMs: () => Infinity,
  leavesDirty: () => false,
  isCleanable: () => true,
  fails: () => false,
}

interface Pending {
  readonly task: Task
  readonly serviceMs: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** A connection of the simulated server: it works in order, one task at a time. */
export class SimulatedConnection implements Connection {
  readonly #world: World
  readonly #broken: () => void
  readonly #pending: Pending[] = []
  #stopHead: (() => void) | undefined
  #cancelling: Promise<void> | undefined
  #isLeftDirty = false
  headSince = 0
  state: 'open' | 'cleaning' | 'closing' | 'gone' = 'open'

  constructor(world: World, broken: () => void) {
    this.#world = world
    this.#broken = broken
    if (world.server.givesBack) this.giveBack = () => this.#giveBack()
  }

  giveBack?: () => void

  get isDirty(): boolean {
    return this.#isLeftDirty || this.#cancelling !== undefined
  }

  get tasks(): readonly Task[] {
    return this.#pending.map(({ task }) => task)
  }

  run(task: Task): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#pending.push({ task, serviceMs: task.statement.service(), resolve, reject })
    if (this.#pending.length === 1) this.#next()
    return promise
  }

  /** As a driver does it: only while nobody else is on the connection, and dirty until the request has arrived. */
  cancel(task: Task): void {
    if (this.#pending.length !== 1 || this.#cancelling !== undefined || this.state !== 'open') return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#cancelling = promise
    this.#world.clock.after(this.#world.next() * 2, () => {
      const [head] = this.#pending
      if (head !== undefined && head.task !== task) this.#world.struckNeighbours.push(head.task)
      this.#stopHead?.()
      if (head !== undefined) this.#settle(head, new Error('cancelled'))
      resolve()
    })
  }

  async clean(): Promise<boolean> {
    this.state = 'cleaning'
    await this.#cancelling
    this.#cancelling = undefined
    await this.#world.sleep(this.#world.next())
    if (this.state !== 'cleaning') return false
    this.state = 'open'
    this.#isLeftDirty = !this.#world.server.isCleanable()
    return !this.#isLeftDirty
  }

  async close(): Promise<void> {
    if (this.state === 'gone') return
    this.state = 'closing'
    await this.#world.sleep(this.#world.server.closeMs())
    this.#end()
  }

  /** The connection is lost; nothing on it ends well. */
  break(): void {
    if (this.state === 'gone' || this.state === 'closing') return
    this.#end()
    this.#broken()
  }

  #end(): void {
    this.state = 'gone'
    this.#world.connections.delete(this)
    this.#stopHead?.()
    for (const { reject } of this.#pending.splice(0)) reject(new Error('connection lost'))
  }

  #next(): void {
    const [head] = this.#pending
    this.headSince = this.#world.clock.now()
    this.#stopHead = undefined
    if (head === undefined) return
    this.#stopHead = this.#world.clock.after(head.serviceMs, () => {
      if (this.#world.server.leavesDirty()) this.#isLeftDirty = true
      this.#settle(head, this.#world.server.fails() ? new Error('failed') : undefined)
    })
  }

  #settle(head: Pending, error: Error | undefined): void {
    this.#pending.shift()
    if (error === undefined) head.resolve()
    else head.reject(error)
    this.#next()
  }

  #giveBack(): void {
    const hasBegun = this.#world.server.hasBegun()
    if (!hasBegun) this.#stopHead?.()
    for (const { task, reject } of this.#pending.splice(hasBegun ? 1 : 0)) {
      task.runs--
      task.state = 'waiting'
      this.#world.waiting.add(task)
      task.waitingSince = this.#world.clock.now()
      reject(takenBack)
    }
  }
}
