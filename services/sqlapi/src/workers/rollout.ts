/**
 * Another set on its way to the workers: each prepares it, and then all take it or none does. One that ends meanwhile
 * takes nothing and keeps nobody from it; its successor starts with whatever was decided. Counts answers; messages are
 * sent by primary.ts.
 */
import { StartupFailure, type StartupFailureName } from '../errors.ts'
import type { Assignment } from './assignments.ts'

/** How long all workers together may take. For one that does not answer nobody waits longer. */
const patienceMs = 30_000

let rollouts = 0

export class Rollout<Seat> {
  readonly id: number = ++rollouts
  /** What each worker gets. */
  readonly assignments: readonly Assignment[]
  readonly #asked: ReadonlySet<Seat>
  readonly #missing: Set<Seat>
  readonly #ready = new Set<Seat>()
  readonly #decided = Promise.withResolvers<void>()
  readonly #timer: NodeJS.Timeout

  /** `asked` are the seats of the workers that there are. */
  constructor(assignments: readonly Assignment[], asked: readonly Seat[]) {
    this.assignments = assignments
    this.#asked = new Set(asked)
    this.#missing = new Set(asked)
    this.#timer = setTimeout(() => this.#refuse(`a worker has not answered within ${patienceMs / 1000} s`), patienceMs)
    this.#timer.unref()
    this.#decide()
  }

  /** Settles when it is known: rejects with a StartupFailure where it is to be taken by none. */
  get decided(): Promise<void> {
    return this.#decided.promise
  }

  /** Those that are to take it. */
  get ready(): Iterable<Seat> {
    return this.#ready
  }

  prepared(seat: Seat): void {
    if (this.#missing.delete(seat)) this.#ready.add(seat)
    this.#decide()
  }

  refused(name: StartupFailureName, message: string): void {
    this.#end()
    this.#decided.reject(new StartupFailure(name, message))
  }

  /** Its worker has ended. */
  left(seat: Seat): void {
    this.#missing.delete(seat)
    this.#ready.delete(seat)
    this.#decide()
  }

  #decide(): void {
    if (this.#missing.size > 0) return
    if (this.#asked.size > 0 && this.#ready.size === 0) {
      this.#refuse('every worker has ended while it prepared to serve them')
      return
    }
    this.#end()
    this.#decided.resolve()
  }

  #refuse(message: string): void {
    this.refused('ListenException', message)
  }

  #end(): void {
    clearTimeout(this.#timer)
  }
}
