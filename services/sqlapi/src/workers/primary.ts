/**
 * The first process of a service with several workers, and the only file that forks: it holds the port and hands each
 * new connection to the next worker, writes everybody's log lines, replaces a worker that has ended by itself, and ends
 * all together. It serves no request and opens no database.
 */
import { exitCodes } from '@services/command-line'
import type { Totals } from '@services/metrics'
import type { Destination } from '@services/observe'
import cluster, { type Worker } from 'node:cluster'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Booted } from '../boot/boot.ts'
import { StartupFailure } from '../errors.ts'
import type { Events } from '../events.ts'
import { assign, type Assignment, unchanged } from './assignments.ts'
import { passLines } from './lines.ts'
import { type Asked, Gathering } from './gathering.ts'
import type { PreparedSet } from '../service.ts'
import { announceEnd, type Change, end, measure, type Order, type Report } from './process-messages.ts'
import { Rollout } from './rollout.ts'
import { ToldOnce } from './told-once.ts'
import { pauseMs, soundAfterMs } from './pauses.ts'
import { Untaken } from './untaken.ts'

/** The worker's file has this file's ending: `.ts` in the repository, `.js` in the package. */
const workerFile = new URL(`./worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/** The seat of one worker; a worker that ends is replaced on its seat. */
interface WorkerSeat {
  readonly index: number
  worker: Worker | undefined
  /** The same, as it is asked for what it has counted. */
  asked: Asked | undefined
  /** Empty, and the pause before it is filled again is over. */
  isDue: boolean
  isListening: boolean
  /** When its worker was started, by the clock of `performance`. */
  since: number
  /** How many workers in a row ended early. */
  lost: number
  /** Why its worker could not go on, if the worker could say. */
  failure: string | undefined
}

/** Starts the workers; `stdout` is where the log writes. Resolves when all accept connections. */
export async function startWorkers(booted: Booted, events: Events, stdout: Destination): Promise<Workers> {
  // Not left to the kernel, which gives most of a few long-lived connections to the same workers.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: fileURLToPath(workerFile),
    args: [],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const workers = new Workers(booted, events, stdout)
  await workers.listening
  return workers
}

export class Workers {
  readonly #events: Events
  readonly #stdout: Destination
  #assignments: readonly Assignment[]
  readonly #seats: readonly WorkerSeat[]
  readonly #listening = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #gathering = new Gathering()
  readonly #told: ToldOnce
  readonly #untaken = new Untaken()
  /** Where the service listens, once it does. */
  #address: string | undefined
  #port: number
  #isEnding = false
  /** What the workers are to serve next. No worker is started before it is decided. */
  #rollout: Rollout<WorkerSeat> | undefined

  constructor(booted: Booted, events: Events, stdout: Destination) {
    const { workers, bind } = booted.config.server
    this.#events = events
    this.#told = new ToldOnce(events)
    this.#stdout = stdout
    this.#port = bind.port
    this.#assignments = assign(booted)
    this.#seats = Array.from({ length: workers }, (_, index) => {
      const empty = { worker: undefined, asked: undefined, isDue: false, isListening: false, failure: undefined }
      return { ...empty, index, since: 0, lost: 0 }
    })
    for (const seat of this.#seats) this.#fill(seat)
  }

  /** Rejects with a StartupFailure when they cannot all listen. */
  get listening(): Promise<void> {
    return this.#listening.promise
  }

  isListening(): boolean {
    return !this.#isEnding && this.#seats.some(({ isListening }) => isListening)
  }

  /** When a call on the datasource last succeeded in any worker, as far as they have said. */
  lastSuccess(datasource: string): number {
    return this.#gathering.lastSuccess(datasource)
  }

  /** Has the workers tell what they have counted. */
  gather(totals: Totals<object>): Promise<void> {
    const asked = this.#seats.flatMap(({ asked, isListening }) => (asked !== undefined && isListening ? [asked] : []))
    return this.#gathering.gather(asked, totals)
  }

  /** Has every worker prepare to serve this. Rejects with a StartupFailure where one cannot; then none has changed. */
  async prepare(booted: Booted): Promise<PreparedSet> {
    const asked = this.#seats.filter(({ worker }) => worker !== undefined)
    const rollout = new Rollout(assign(booted), asked)
    this.#rollout = rollout
    const { id, assignments } = rollout
    for (const seat of asked) {
      this.#tell(seat, { change: 'prepare', rollout: id, assignment: assignments[seat.index] as Assignment })
    }
    const drop = (): void => {
      for (const seat of asked) this.#tell(seat, { change: 'drop', rollout: id })
      this.#endRollout()
    }
    await rollout.decided.catch((error: unknown) => {
      drop()
      throw error
    })
    return {
      drop,
      take: () => {
        this.#told.datasourcesReplaced(unchanged(this.#assignments, assignments))
        this.#assignments = assignments
        for (const seat of rollout.ready) this.#tell(seat, { change: 'take', rollout: id })
        this.#endRollout()
      },
    }
  }

  #tell({ worker }: WorkerSeat, change: Change): void {
    worker?.send(change, noticed)
  }

  #endRollout(): void {
    this.#rollout = undefined
    for (const seat of this.#seats) if (seat.isDue) this.#fill(seat)
  }

  announceEnd(): void {
    this.#order(announceEnd)
  }

  /** Has every worker finish what is in flight and end. */
  close(): Promise<void> {
    this.#isEnding = true
    this.#order(end)
    this.#untaken.closeUntil(this.#ended.promise)
    this.#endWhenEmpty()
    return this.#ended.promise
  }

  #order(order: Order): void {
    for (const { worker } of this.#seats) worker?.send(order, noticed)
  }

  /** Ends every worker at once, whatever it is doing. */
  abandon(): void {
    this.#isEnding = true
    for (const { worker } of this.#seats) worker?.process.kill('SIGKILL')
  }

  #fill(seat: WorkerSeat): void {
    seat.isDue = this.#rollout !== undefined
    if (seat.isDue || this.#isEnding) return
    // What was compiled for the first process need not be compiled again.
    const compiled = getCompileCacheDir()
    const worker = cluster.fork(compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) })
    const asked = { ask: () => void worker.send(measure, noticed) }
    Object.assign(seat, { worker, asked, isListening: false, since: performance.now(), failure: undefined })
    passLines(worker.process.stdout as Readable, this.#stdout)
    this.#untaken.watch(worker.process)
    worker.on('message', (report: Report) => this.#hear(seat, report))
    // Its end tells the rest.
    worker.on('error', noticed)
    // Not `exit`: its last lines come before the line about its end.
    worker.process.once('close', (code, signal) => this.#leave(seat, signal ?? `exit code ${code}`))
    const assignment = this.#assignments[seat.index] as Assignment
    const bind = { ...assignment.config.server.bind, port: this.#port }
    const config = { ...assignment.config, server: { ...assignment.config.server, bind } }
    worker.send({ ...assignment, config, lostForMs: this.#told.lostForMs }, noticed)
  }

  #hear(seat: WorkerSeat, report: Report): void {
    const { event, fields } = report
    switch (event) {
      case 'listening':
        if (this.#address !== undefined && fields.address !== this.#address)
          return this.#giveUp(seat, 'it got another port')
        seat.isListening = true
        if (this.#address === undefined && this.#seats.every(({ isListening }) => isListening)) {
          this.#address = fields.address
          this.#events.emit('listening', fields)
          this.#listening.resolve()
        }
        return
      case 'prepared':
        if (fields.rollout === this.#rollout?.id) this.#rollout.prepared(seat)
        return
      case 'unprepared':
        if (fields.rollout === this.#rollout?.id) this.#rollout.refused(fields.name, fields.message)
        return
      case 'measured':
        if (seat.asked !== undefined) this.#gathering.heard(seat.asked, fields)
        return
      case 'succeeded':
        this.#gathering.succeeded(fields)
        return
      case 'failure':
        if (this.#address === undefined) this.#refuse(new StartupFailure(fields.name, fields.message))
        else this.#giveUp(seat, fields.message)
        return
      default:
        this.#told.tell(report)
    }
  }

  #giveUp(seat: WorkerSeat, failure: string): void {
    seat.failure = failure
    seat.worker?.process.kill('SIGKILL')
  }

  #leave(seat: WorkerSeat, how: string): void {
    const { pid } = (seat.worker as Worker).process
    if (seat.asked !== undefined) this.#gathering.ended(seat.asked)
    Object.assign(seat, { worker: undefined, asked: undefined, isListening: false })
    this.#rollout?.left(seat)
    if (this.#isEnding) {
      if (how !== inOrder) this.#events.emit('stopForced', { reason: `worker ${pid} ended (${how})` })
      this.#endWhenEmpty()
      return
    }
    const reason = seat.failure ?? how
    if (this.#address === undefined) {
      this.#refuse(new StartupFailure('ListenException', `server.workers: process ${pid} ended at once (${reason})`))
      return
    }
    // The port went with the last one that listened on it. Port 0 would now be another one.
    if (!this.#seats.some(({ isListening }) => isListening)) this.#port = portOf(this.#address)
    seat.lost = performance.now() - seat.since < soundAfterMs ? seat.lost + 1 : 1
    const pause = pauseMs(seat.lost)
    this.#events.emit('workerReplaced', { pid: pid as number, reason, pauseMs: pause })
    setTimeout(() => this.#fill(seat), pause)
  }

  #refuse(failure: StartupFailure): void {
    this.#listening.reject(failure)
    this.abandon()
  }

  #endWhenEmpty(): void {
    if (this.#seats.every(({ worker }) => worker === undefined)) this.#ended.resolve()
  }
}

const inOrder = `exit code ${exitCodes.success}`

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1))
}

function noticed(): void {
  // A message to a worker that has just ended is lost; the event of its end says enough.
}
