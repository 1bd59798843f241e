/**
 * The databases that are open: one for each datasource of what is served, and those of what was served before for as
 * long as requests of that time need them. A datasource whose settings did not change keeps its database, with its
 * connections and what it has learned.
 */
import type { Booted } from '../boot/boot.ts'
import { settingsOf, type SizedDatasource } from '../boot/sized-datasource.ts'
import { currentPasswordOf } from '../boot/config/passwords.ts'
import { maskUrl } from '../boot/config/url.ts'
import { type DatasourceOptions, openDatabase } from '../database/open.ts'
import type { Events } from '../events.ts'
import type { Measures } from '../measure/measures.ts'
import type { Database } from '../database/database.ts'
import { Reachability } from '../reachability.ts'
import { listenersOf } from './database-events.ts'

interface OpenDatabase {
  readonly name: string
  readonly settings: string
  readonly database: Database
  /** What it was opened with; the listeners in it are asked with each use. */
  readonly options: DatasourceOptions
  readonly reach: Reachability
  /** How many sets have it. */
  holders: number
}

/** Those of one set. */
export interface HeldDatabases {
  /** By the names of their datasources. */
  readonly databases: ReadonlyMap<string, Database>
  readonly held: readonly OpenDatabase[]
  /** Names of those that were not open before. */
  readonly opened: readonly string[]
}

export class OpenDatabases {
  readonly #events: Events
  readonly #measures: Measures | undefined
  readonly #lostForMs: Booted['lostForMs']
  /** By their settings. */
  readonly #open = new Map<string, OpenDatabase>()
  readonly #closing = new Set<Promise<void>>()

  constructor(events: Events, measures: Measures | undefined, lostForMs?: Booted['lostForMs']) {
    this.#events = events
    this.#measures = measures
    this.#lostForMs = lostForMs
  }

  /** All that are open, each under the name of its datasource; a name may occur twice. */
  *[Symbol.iterator](): Generator<[name: string, database: Database]> {
    for (const { name, database } of this.#open.values()) yield [name, database]
  }

  /** One for each datasource, until they are released. Not to be called again before it has settled. */
  async hold(datasources: readonly SizedDatasource[]): Promise<HeldDatabases> {
    const held: OpenDatabase[] = []
    const opened: string[] = []
    try {
      for (const datasource of datasources) {
        let open = this.#open.get(settingsOf(datasource))
        if (open === undefined) {
          open = await this.#openOne(datasource)
          opened.push(datasource.name)
        }
        open.holders++
        held.push(open)
      }
    } catch (error) {
      this.release({ held })
      throw error
    }
    return { databases: new Map(held.map(({ name, database }) => [name, database])), held, opened }
  }

  /** Closes those that no other set has. Their work has ended. */
  release({ held }: Pick<HeldDatabases, 'held'>): void {
    for (const open of held) {
      if (--open.holders > 0 || this.#open.get(open.settings) !== open) continue
      this.#open.delete(open.settings)
      const closing = open.database.close().finally(() => this.#closing.delete(closing))
      this.#closing.add(closing)
    }
  }

  /** Other levels of the log: a subscriber may be new. */
  listenAnew(): void {
    for (const { options } of this.#open.values()) Object.assign(options, listenersOf(options, this.#events))
  }

  /** Closes all, whoever uses them. */
  async close(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open.clear()
    await Promise.all([...this.#closing, ...open.map(({ database }) => database.close())])
  }

  async #openOne(datasource: SizedDatasource): Promise<OpenDatabase> {
    const { name } = datasource
    const settings = settingsOf(datasource)
    const meterOf = (name: string): DatasourceOptions['meter'] => this.#measures?.meterOf(name)
    const reach = new Reachability(this.#events, name, maskUrl(datasource.url), this.#lostForMs?.[name])
    const listeners = listenersOf(datasource, this.#events)
    const password = currentPasswordOf(datasource, listeners.onLoginKept)
    const isAway = (replica: string): boolean => this.#lostForMs?.[replica] !== undefined
    const options = { ...datasource, password, meter: meterOf(name), meterOf, isAway, reach, ...listeners }
    const open = { name, settings, database: await openDatabase(options), options, reach, holders: 0 }
    this.#open.set(settings, open)
    return open
  }
}
