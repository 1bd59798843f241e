/**
 * A world for the scheduler in which time is virtual (simulation-clock.ts): statements of all kinds, callers who lose
 * patience, a server with connections (simulation-server.ts), and between them the pool. It writes down what happened;
 * what must hold of that is in simulation.test.ts and simulation-situations.test.ts.
 */
import { randomFrom } from '@services/testing'
import { History } from '../../../src/database/pool/history.ts'
import { Pool } from '../../../src/database/pool/pool.ts'
import type { Cancellation } from '../../../src/model.ts'
import { VirtualClock } from './simulation-clock.ts'
import { type Server, SimulatedConnection } from './simulation-server.ts'

/** What the callers ask for. */
export interface Statement {
  readonly name: string
  /** As in `Job`. */
  readonly group: string | undefined
  readonly history: History | undefined
  /** How long the next run is going to take, in ms. */
  readonly service: () => number
  /** No run of it is ever late, whatever happens. */
  readonly isAlwaysShort: boolean
}

export function isShort({ group, history }: Statement): boolean {
  return group !== undefined && history?.isShort === true
}

export function statementOf(name: string, group: string | undefined, service: () => number): Statement {
  return { name, group, history: new History(), service, isAlwaysShort: false }
}

/** One whose trial runs are over. */
export function shortStatement(name: string, group: string, service: () => number, isAlwaysShort = true): Statement {
  const history = new History()
  for (let run = 0; run < 3; run++) history.record(0.1)
  return { name, group, history, service, isAlwaysShort }
}

export type TaskState = 'waiting' | 'running' | 'settled'

/** One call of a statement. */
export interface Task {
  readonly id: number
  readonly statement: Statement
  readonly arrived: number
  /** Whether its statement was short when it came, and when it was given a connection. */
  readonly wasShort: boolean
  startedShort: boolean
  /** How long its run was likely to take when it was begun. */
  expectedMs: number
  readonly cancellation: Cancellation
  state: TaskState
  /** When it came, or came back. */
  waitingSince: number
  /** How often it was begun and not taken back, and how often it ended. */
  runs: number
  settlements: number
  /** When its client went, if it did. */
  goneAt: number | undefined
  startedAt: number
  endedAt: number
  error: unknown
}

/** A task was given a connection: how things stood at that moment. */
export interface Start {
  readonly task: Task
  readonly connection: SimulatedConnection
  readonly neighbours: readonly Task[]
  readonly isConnectionUsable: boolean
  readonly headMs: number
  /** Another run of the statement holds up a shared connection. */
  readonly isLateElsewhere: boolean
  readonly backlogMs: number
  /** Those who waited and had come earlier; of those who come back at this very moment the order does not count. */
  readonly passed: readonly Task[]
  readonly room: number
}

/** The pool, its server and its callers. */
export class World {
  readonly clock = new VirtualClock()
  readonly server: Server
  readonly next: () => number
  readonly pool: Pool<SimulatedConnection>
  readonly connections = new Set<SimulatedConnection>()
  readonly tasks: Task[] = []
  readonly waiting = new Set<Task>()
  /** Since they were last looked at. */
  starts: Start[] = []
  readonly struckNeighbours: Task[] = []
  opening = 0
  mostConnections = 0
  lastRefusal = -Infinity
  refusals = 0

  constructor(server: Server, seed: number) {
    this.server = server
    this.next = randomFrom(seed)
    const { max, depth, acquireTimeoutSeconds } = server
    const open = (broken: () => void): Promise<SimulatedConnection> => this.#open(broken)
    this.pool = new Pool({
      name: 'demo',
      max,
      maxConnections: max,
      depth,
      acquireTimeoutSeconds,
      open,
      clock: this.clock,
    })
  }

  /** Connections that exist for the server, or soon do. */
  get connected(): number {
    return this.connections.size + this.opening
  }

  /**
   * This process has had no time left lately, and a connection that serves the task's group gets on, so the task waits
   * for that one.
   */
  isHeldBack({ statement }: Task): boolean {
    if (this.clock.now() - this.clock.busyAt > 50 || !isShort(statement)) return false
    return [...this.connections].some(
      ({ tasks, isDirty, headSince }) =>
        !isDirty &&
        tasks.length > 0 &&
        this.clock.now() - headSince <= 10 &&
        tasks.every((task) => task.startedShort && task.statement.group === statement.group),
    )
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve))
  }

  /** Calls a statement; resolves when the caller is told, whatever it is told. */
  async call(statement: Statement, patienceMs = Infinity): Promise<Task> {
    const task: Task = {
      id: this.tasks.length,
      statement,
      arrived: this.clock.now(),
      wasShort: isShort(statement),
      startedShort: false,
      expectedMs: 0,
      cancellation: { cancelled: false, onCancel: undefined },
      state: 'waiting',
      waitingSince: this.clock.now(),
      runs: 0,
      settlements: 0,
      goneAt: undefined,
      startedAt: Infinity,
      endedAt: Infinity,
      error: undefined,
    }
    this.tasks.push(task)
    this.waiting.add(task)
    if (patienceMs < Infinity) this.clock.after(patienceMs, () => this.#leave(task))
    const { group, history } = statement
    const run = (connection: SimulatedConnection): Promise<void> => this.#run(task, connection)
    await this.pool.run({ group, history, cancellation: task.cancellation, run }).then(
      () => this.#settle(task, undefined),
      (error: unknown) => this.#settle(task, error),
    )
    return task
  }

  #settle(task: Task, error: unknown): void {
    task.settlements++
    task.state = 'settled'
    task.endedAt = this.clock.now()
    task.error = error
    this.waiting.delete(task)
  }

  #leave(task: Task): void {
    if (task.state === 'settled') return
    task.goneAt = this.clock.now()
    task.cancellation.cancelled = true
    task.cancellation.onCancel?.()
  }

  async #run(task: Task, connection: SimulatedConnection): Promise<void> {
    const neighbours = connection.tasks
    task.startedShort = isShort(task.statement)
    task.expectedMs = task.statement.history?.expectedMs ?? 0
    this.starts.push({
      task,
      connection,
      neighbours,
      isConnectionUsable: connection.state === 'open' && !connection.isDirty,
      headMs: neighbours.length === 0 ? 0 : this.clock.now() - connection.headSince,
      isLateElsewhere: [...this.connections].some((other) => this.#isHeldUp(other, task.statement)),
      backlogMs: neighbours.reduce((sum, { expectedMs }) => sum + expectedMs, task.expectedMs),
      passed: [...this.waiting].filter(
        (other) => other.arrived < task.arrived && other.waitingSince < this.clock.now() && !this.isHeldBack(other),
      ),
      room: this.server.max - this.connections.size,
    })
    this.waiting.delete(task)
    task.runs++
    task.state = 'running'
    task.startedAt = this.clock.now()
    task.cancellation.onCancel = () => connection.cancel(task)
    try {
      await connection.run(task)
    } finally {
      task.cancellation.onCancel = undefined
    }
  }

  #isHeldUp({ tasks, headSince }: SimulatedConnection, statement: Statement): boolean {
    const [head] = tasks
    return head?.statement === statement && head.startedShort && this.clock.now() - headSince > 10
  }

  async #open(broken: () => void): Promise<SimulatedConnection> {
    this.opening++
    this.#count()
    await this.sleep(this.server.openMs())
    this.opening--
    if (this.connections.size >= this.server.allowed || this.server.isRefused()) {
      this.lastRefusal = this.clock.now()
      this.refusals++
      throw new Error('refused')
    }
    const connection = new SimulatedConnection(this, broken)
    this.connections.add(connection)
    this.#count()
    const breaksAfterMs = this.server.breaksAfterMs()
    if (breaksAfterMs === 0) connection.break()
    else if (breaksAfterMs < Infinity) this.clock.after(breaksAfterMs, () => connection.break())
    return connection
  }

  #count(): void {
    this.mostConnections = Math.max(this.mostConnections, this.connected)
  }
}
