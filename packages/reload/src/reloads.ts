/**
 * When a service reads its files and settings again: at a request (SIGHUP), and by itself where it watches them. One
 * reload at a time; a request that comes meanwhile is remembered, and then everything is read once more. Tells what
 * came of each. What is read and served is the service's.
 */
import type { FieldsOf } from '@services/observe'
import type { reloadEvents } from './events.ts'
import { ContentWatch, type Pace } from './watch.ts'

/** Who has asked. */
export type Trigger = 'SIGHUP' | 'watch'

export interface Reloadable {
  /**
   * Reads everything again and replaces what is served by it. Rejects where a part of it is wrong, and then
   * nothing has changed. Returns nothing where `signal` was aborted in the meantime, because the service ends.
   */
  reload(signal: AbortSignal): Promise<{ readonly endpoints: number } | undefined>
  /**
   * Paths of all files that a reload would read now, missing ones too. Asked with each look, so it may be a walk. Must
   * neither throw nor reject.
   */
  files(): Iterable<string> | Promise<Iterable<string>>
  /** An error that is the operator's, in words; nothing for any other. */
  explain(error: unknown): { readonly error: string; readonly reason: string } | undefined
}

type Fields = FieldsOf<typeof reloadEvents>

/** The stream of a service whose table has the events. */
export interface ReloadListener {
  emit<Name extends 'reloaded' | 'reloadFailed'>(event: Name, fields: Fields[Name]): void
}

export class Reloads {
  readonly #service: Reloadable
  readonly #events: ReloadListener
  readonly #watch: ContentWatch
  readonly #ending = new AbortController()
  #wanted: Trigger | undefined
  #running: Promise<void> | undefined

  /** When what is served was begun to be read, by the clock of `Date`. */
  #readAt: number

  /** `readAt`: when the start began to read. `pace` is for tests. */
  constructor(service: Reloadable, events: ReloadListener, readAt: number, pace?: Pace) {
    this.#readAt = readAt
    this.#service = service
    this.#events = events
    this.#watch = new ContentWatch({ files: () => service.files(), changed: () => this.request('watch'), pace })
  }

  /** Whether files are watched from now on. A start says so before it reads most of them. */
  async follow(mode: 'off' | 'watch'): Promise<void> {
    if (mode === 'watch' && !this.#ending.signal.aborted) await this.#watch.start(this.#readAt)
    else this.#watch.stop()
  }

  /** The start has read everything: files that only reading made known count from now on. */
  hasRead(): Promise<void> {
    return this.#watch.settle()
  }

  request(trigger: Trigger): void {
    if (this.#ending.signal.aborted) return
    this.#wanted = trigger
    this.#running ??= this.#run()
  }

  /** No more of them. One that is in progress changes nothing any more; settles when it has ended. */
  async close(): Promise<void> {
    this.#ending.abort()
    this.#watch.stop()
    await this.#running
  }

  async #run(): Promise<void> {
    for (let trigger = this.#wanted; trigger !== undefined; trigger = this.#wanted) {
      this.#wanted = undefined
      await this.#reload(trigger)
    }
    this.#running = undefined
  }

  async #reload(trigger: Trigger): Promise<void> {
    const { signal } = this.#ending
    const begun = performance.now()
    try {
      // Before they are read: what is written meanwhile is a change.
      this.#readAt = Date.now()
      await this.#watch.note()
      if (signal.aborted) return
      const done = await this.#service.reload(signal)
      await this.#watch.settle()
      if (done === undefined) return
      const ms = Math.round(performance.now() - begun)
      this.#events.emit('reloaded', { trigger, endpoints: done.endpoints, ms })
    } catch (error) {
      await this.#watch.settle()
      if (!signal.aborted) this.#events.emit('reloadFailed', { trigger, ...this.#inWords(error) })
    }
  }

  #inWords(error: unknown): { error: string; reason: string } {
    const told = this.#service.explain(error)
    if (told !== undefined) return { error: told.error, reason: told.reason }
    const { name, message, stack = message } = error instanceof Error ? error : new Error(String(error))
    return { error: name, reason: stack }
  }
}
