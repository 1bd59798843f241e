/**
 * Which requests have a line in the log. Hears of every request that is over, and tells those that the settings want;
 * what is in a line is the service's to say. The settings are one value, and another one may take its place at any
 * time.
 */
import type { EventStream, Subscriber } from './stream.ts'

/** Each level has the requests of those before it. */
export type RequestLevel = 'off' | 'errors' | 'slow' | 'all'

export interface RequestLogSettings {
  readonly requests: RequestLevel
  /** A request that takes as long as this is slow. */
  readonly slowMs: number
}

/** How a request that is over becomes a line. */
export interface RequestLines<Answered> {
  isError(answered: Answered): boolean
  /** How long it took. */
  ms(answered: Answered): number
  /** Emits the event that the log has a line for. */
  tell(answered: Answered): void
}

export class RequestLog<Fields, Name extends keyof Fields> {
  readonly #events: EventStream<Fields>
  readonly #subscriber: (settings: RequestLogSettings) => Subscriber<Fields>
  #unsubscribe: (() => void) | undefined

  /** `event` is the one about requests. Nothing is heard before `use`. */
  constructor(events: EventStream<Fields>, event: Name, lines: RequestLines<Fields[Name]>) {
    this.#events = events
    this.#subscriber = (settings) => ({
      hears: (name) => name === event,
      hear(_name, fields) {
        const answered: unknown = fields
        if (isWanted(settings, lines.isError(answered as Fields[Name]), lines.ms(answered as Fields[Name])))
          lines.tell(answered as Fields[Name])
      },
    })
  }

  /** From now on. At `off` nobody listens, so that requests cost nothing. */
  use(settings: RequestLogSettings): void {
    this.close()
    if (settings.requests !== 'off') this.#unsubscribe = this.#events.subscribe(this.#subscriber(settings))
  }

  close(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }
}

function isWanted({ requests, slowMs }: RequestLogSettings, isError: boolean, ms: number): boolean {
  switch (requests) {
    case 'off':
      return false
    case 'errors':
      return isError
    case 'slow':
      return isError || ms >= slowMs
    case 'all':
      return true
  }
}
