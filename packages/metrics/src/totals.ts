/**
 * What several processes have said of themselves, as one: the newest snapshot of each that runs, and what those that
 * have ended had counted. So no counter falls when a process is replaced, and what a process that was killed had
 * counted since its last snapshot is lost.
 */
import type { MetricTable } from './metric-table.ts'
import { counted, type Snapshot, together } from './snapshot.ts'
import { writeText } from './text.ts'

export class Totals<Process> {
  readonly #table: MetricTable
  readonly #newest = new Map<Process, Snapshot>()
  #past: Snapshot = {}

  constructor(table: MetricTable) {
    this.#table = table
  }

  heard(from: Process, snapshot: Snapshot): void {
    this.#newest.set(from, snapshot)
  }

  ended(process: Process): void {
    const last = this.#newest.get(process)
    if (last === undefined) return
    this.#newest.delete(process)
    this.#past = together(this.#table, [this.#past, counted(this.#table, last)])
  }

  read(): Snapshot {
    return together(this.#table, [this.#past, ...this.#newest.values()])
  }

  /** As Prometheus reads it. */
  text(): Promise<string> {
    return writeText(this.#table, this.read())
  }
}

/** Media type of `Totals.text`. */
export const textType = 'text/plain; version=0.0.4; charset=utf-8'
