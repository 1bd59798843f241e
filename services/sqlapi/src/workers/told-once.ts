/** What every worker notices of the service as a whole, and the log is to tell once: which reports are new. */
import type { EventFields, EventName, Events } from '../events.ts'

/** How much is remembered of what never changes back, such as pieces of stored code. */
const mostKept = 1000

/** Behind the name of its datasource. */
const ofReplica = /\.replicas\[\d+\]$/

export class ToldOnce {
  /** Datasources that cannot be reached, and since when by the clock of `performance`. */
  readonly #unreachable = new Map<string, number>()
  /** The same of those whose file was deleted. */
  readonly #deleted = new Map<string, number>()
  /** The same of replicas that are not used. */
  readonly #away = new Map<string, number>()
  /** For each datasource the file that was last reported as gone. */
  readonly #changed = new Map<string, string>()
  readonly #once = new Set<string>()

  isNewUnreachable({ datasource }: EventFields['datasourceUnreachable']): boolean {
    if (this.#unreachable.has(datasource)) return false
    this.#unreachable.set(datasource, performance.now())
    return true
  }

  /** The first worker that has a connection again speaks for all. */
  isNewlyReached({ datasource }: EventFields['datasourceReached']): boolean {
    const wasDeleted = this.#deleted.delete(datasource)
    return this.#unreachable.delete(datasource) || wasDeleted
  }

  /**
   * Of datasources and replicas that are lost: a worker that replaces another one is to tell of their return.
   */
  get lostForMs(): Readonly<Record<string, number>> {
    const now = performance.now()
    const since = [...this.#deleted, ...this.#unreachable, ...this.#away]
    return Object.fromEntries(since.map(([name, at]) => [name, now - at]))
  }

  isNewlyAway({ replica }: EventFields['replicaAway']): boolean {
    if (this.#away.has(replica)) return false
    this.#away.set(replica, performance.now())
    return true
  }

  /** The first worker that uses it again speaks for all. */
  isNewlyBack({ replica }: EventFields['replicaBack']): boolean {
    return this.#away.delete(replica)
  }

  isNewChange({ datasource, was, reason }: EventFields['fileChanged']): boolean {
    const isSame = this.#changed.get(datasource) === was
    // The same file can be moved away again after it was put back.
    const isAgain = reason === 'deleted' && !this.#deleted.has(datasource)
    if (reason === 'deleted') this.#deleted.set(datasource, performance.now())
    this.#changed.set(datasource, was)
    return !isSame || isAgain
  }

  /** Of events that are told once for good; `what` tells one from the next. */
  tell<Name extends EventName>(events: Events, event: Name, fields: EventFields[Name], what: unknown = fields): void {
    const key = JSON.stringify([event, what])
    if (this.#once.has(key) || this.#once.size >= mostKept) return
    this.#once.add(key)
    events.emit(event, fields)
  }

  /** Others than `kept` may be other databases now, of which there is something to tell again. */
  datasourcesReplaced(kept: ReadonlySet<string>): void {
    for (const told of [this.#unreachable, this.#deleted, this.#away]) {
      for (const name of told.keys()) if (!kept.has(name.replace(ofReplica, ''))) told.delete(name)
    }
  }
}
