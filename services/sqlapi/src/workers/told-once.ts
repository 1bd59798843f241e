/** What every worker notices of the service as a whole, and the log tells once: which reports are new. */
import type { EventFields, Events } from '../events.ts'
import type { OnceEvent, OnceReport } from './process-messages.ts'

/** How much is remembered of what never changes back, such as pieces of stored code. */
const maxKept = 1000

/** Behind the name of its datasource. */
const ofReplica = /\.replicas\[\d+\]$/

export class ToldOnce {
  readonly #events: Events
  /** Datasources that cannot be reached, and since when by the clock of `performance`. */
  readonly #unreachable = new Map<string, number>()
  /** The same of those whose file was deleted. */
  readonly #deleted = new Map<string, number>()
  /** The same of replicas that are not used. */
  readonly #away = new Map<string, number>()
  /** For each datasource the file that was last reported as gone. */
  readonly #changed = new Map<string, string>()
  readonly #once = new Set<string>()

  /** For each event whether what it tells is new. */
  readonly #rules: { readonly [Name in OnceEvent]: (fields: EventFields[Name]) => boolean } = {
    datasourceUnreachable: ({ datasource }) => isAdded(datasource, this.#unreachable),
    // The first worker that has a connection again speaks for all.
    datasourceReached: ({ datasource }) => {
      const wasDeleted = this.#deleted.delete(datasource)
      return this.#unreachable.delete(datasource) || wasDeleted
    },
    replicaAway: ({ replica }) => isAdded(replica, this.#away),
    // The first worker that uses it again speaks for all.
    replicaBack: ({ replica }) => this.#away.delete(replica),
    fileChanged: (change) => this.#isNewChange(change),
    fileMissing: ({ datasource }) => this.#isFirst('fileMissing', datasource),
    sessionCode: (fields) => this.#isFirst('sessionCode', fields),
    loginKept: (fields) => this.#isFirst('loginKept', fields),
    sessionCodeRefused: (fields) => this.#isFirst('sessionCodeRefused', fields),
    sessionNeeded: (fields) => this.#isFirst('sessionNeeded', fields),
    poolerUnnamed: ({ datasource }) => this.#isFirst('poolerUnnamed', datasource),
  }

  constructor(events: Events) {
    this.#events = events
  }

  /** Emits the event where it is the first to report it. */
  tell<Name extends OnceEvent>({ event, fields }: OnceReport<Name>): void {
    if (this.#rules[event](fields)) this.#events.emit(event, fields)
  }

  /**
   * Of datasources and replicas that are lost: a worker that replaces another one reports their return.
   */
  get lostForMs(): Readonly<Record<string, number>> {
    const now = performance.now()
    const since = [...this.#deleted, ...this.#unreachable, ...this.#away]
    return Object.fromEntries(since.map(([name, at]) => [name, now - at]))
  }

  /** Others than `kept` may be other databases now, of which there is something to tell again. */
  datasourcesReplaced(kept: ReadonlySet<string>): void {
    for (const told of [this.#unreachable, this.#deleted, this.#away]) {
      for (const name of told.keys()) if (!kept.has(name.replace(ofReplica, ''))) told.delete(name)
    }
  }

  #isNewChange({ datasource, was, reason }: EventFields['fileChanged']): boolean {
    const isSame = this.#changed.get(datasource) === was
    // The same file can be moved away again after it was put back.
    const isAgain = reason === 'deleted' && !this.#deleted.has(datasource)
    if (reason === 'deleted') this.#deleted.set(datasource, performance.now())
    this.#changed.set(datasource, was)
    return !isSame || isAgain
  }

  /** Of events that are reported once for good; `what` tells one from the next. */
  #isFirst(event: OnceEvent, what: unknown): boolean {
    const key = JSON.stringify([event, what])
    if (this.#once.has(key) || this.#once.size >= maxKept) return false
    this.#once.add(key)
    return true
  }
}

function isAdded(name: string, lost: Map<string, number>): boolean {
  if (lost.has(name)) return false
  lost.set(name, performance.now())
  return true
}
