/**
 * What workers tell the first process for its admin listener: what they have counted, when they are asked for it, and
 * which datasources have answered a call, twice a second as long as any does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Snapshot, Totals } from '@services/metrics'

/** A worker that is busy for longer than that is reported as it was when it last answered. */
const patienceMs = 1000

/** A worker, as far as it is asked. */
export interface Asked {
  /** Asks it for its snapshot. */
  ask(): void
}

export class Gathering<Worker extends Asked> {
  /** Those that have been asked and have not answered, each with what tells that it has. */
  readonly #asked = new Map<Worker, () => void>()
  readonly #newest = new Map<Worker, Snapshot>()
  /** Workers that have ended since the last gathering. */
  readonly #ended: Worker[] = []
  /** Datasource -> when it last answered a call, by the clock of this process. */
  readonly #successes = new Map<string, number>()

  lastSuccess(datasource: string): number {
    return this.#successes.get(datasource) ?? -Infinity
  }

  /** A worker says how many milliseconds ago each datasource answered. */
  succeeded(ages: Readonly<Record<string, number>>): void {
    const now = performance.now()
    for (const [datasource, age] of Object.entries(ages)) {
      this.#successes.set(datasource, Math.max(this.lastSuccess(datasource), now - age))
    }
  }

  heard(worker: Worker, snapshot: Snapshot): void {
    this.#newest.set(worker, snapshot)
    this.#answered(worker)
  }

  ended(worker: Worker): void {
    this.#ended.push(worker)
    this.#answered(worker)
  }

  async gather(workers: readonly Worker[], totals: Totals<object>): Promise<void> {
    const answers = workers.map((worker) => this.#ask(worker))
    const patience = new AbortController()
    await Promise.race([
      Promise.all(answers),
      sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ])
    patience.abort()
    for (const [worker, snapshot] of this.#newest) totals.heard(worker, snapshot)
    this.#newest.clear()
    for (const worker of this.#ended.splice(0)) totals.ended(worker)
  }

  #ask(worker: Worker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#asked.set(worker, resolve)
    worker.ask()
    return promise
  }

  #answered(worker: Worker): void {
    this.#asked.get(worker)?.()
    this.#asked.delete(worker)
  }
}
