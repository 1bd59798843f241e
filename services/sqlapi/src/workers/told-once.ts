/** What every worker notices of the service as a whole, and the log is to tell once: which reports are new. */
import type { EventFields, EventName, Events } from '../events.ts'

/** How much is remembered of what never changes back, such as pieces of stored code. */
const mostKept = 1000

export class ToldOnce {
  /** Datasources that cannot be reached. */
  readonly #unreachable = new Set<string>()
  /** Replicas that are not used. */
  readonly #away = new Set<string>()
  /** For each datasource the file that was last reported as gone. */
  readonly #changed = new Map<string, string>()
  readonly #once = new Set<string>()

  isNewUnreachable({ datasource }: EventFields['datasourceUnreachable']): boolean {
    if (this.#unreachable.has(datasource)) return false
    this.#unreachable.add(datasource)
    return true
  }

  /** The first worker that has a connection again speaks for all. */
  isNewlyReached({ datasource }: EventFields['datasourceReached']): boolean {
    return this.#unreachable.delete(datasource)
  }

  isNewlyAway({ replica }: EventFields['replicaAway']): boolean {
    if (this.#away.has(replica)) return false
    this.#away.add(replica)
    return true
  }

  /** The first worker that uses it again speaks for all. */
  isNewlyBack({ replica }: EventFields['replicaBack']): boolean {
    return this.#away.delete(replica)
  }

  isNewChange({ datasource, was }: EventFields['fileChanged']): boolean {
    if (this.#changed.get(datasource) === was) return false
    this.#changed.set(datasource, was)
    return true
  }

  /** Of events that are told once for good; `what` tells one from the next. */
  tell<Name extends EventName>(events: Events, event: Name, fields: EventFields[Name], what: unknown = fields): void {
    const key = JSON.stringify([event, what])
    if (this.#once.has(key) || this.#once.size >= mostKept) return
    this.#once.add(key)
    events.emit(event, fields)
  }

  /** Datasources may be others now, of which there is something to tell anew. */
  datasourcesReplaced(): void {
    this.#unreachable.clear()
    this.#away.clear()
  }
}
