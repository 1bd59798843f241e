/**
 * The events of a service, on their way from where they happen to everybody who subscribed. The log is one subscriber;
 * metrics and traces are others. Code that emits an event knows none of them,
 * and an event without subscribers costs one look into a list.
 */
import type { EventTable } from './events.ts'

/** Hears of events. It must not throw: the request path calls it. */
export interface Subscriber<Fields> {
  /** Asked once for each event, at the time of the subscription. */
  hears(event: keyof Fields): boolean
  /** `fields` belongs to the caller: it is read now and not changed. */
  hear<Name extends keyof Fields>(event: Name, fields: Fields[Name]): void
  /** Settles when what was heard is passed on or lost, and after `withinMs` in any case. */
  drained?(withinMs: number): Promise<void>
}

/** A subscriber that hears of no event, and is waited for at the end like the others. */
export function whenDrained<Fields>(drained: (withinMs: number) => Promise<void>): Subscriber<Fields> {
  return { hears: () => false, hear: () => undefined, drained }
}

export class EventStream<Fields> {
  readonly #subscribers = new Set<Subscriber<Fields>>()
  readonly #names: readonly (keyof Fields)[]
  #hearers: Readonly<Record<keyof Fields, readonly Subscriber<Fields>[]>>

  /** `table` has a row for each event. */
  constructor(table: EventTable & Readonly<Record<keyof Fields, unknown>>) {
    this.#names = Object.keys(table) as (keyof Fields)[]
    this.#hearers = this.#assign()
  }

  /** Subscribers hear of an event in the order in which they came. */
  emit<Name extends keyof Fields>(event: Name, fields: Fields[Name]): void {
    for (const subscriber of this.#hearers[event]) subscriber.hear(event, fields)
  }

  /**
   * To ask before fields are made that are costly to make. Some callers ask once, so the log subscribes before a
   * service starts.
   */
  isEnabled(event: keyof Fields): boolean {
    return this.#hearers[event].length > 0
  }

  /** Returns what ends the subscription. */
  subscribe(subscriber: Subscriber<Fields>): () => void {
    this.#subscribers.add(subscriber)
    this.#hearers = this.#assign()
    return () => {
      this.#subscribers.delete(subscriber)
      this.#hearers = this.#assign()
    }
  }

  /** Settles when every subscriber has passed on what it heard, and after `withinMs` in any case. */
  async drained(withinMs: number): Promise<void> {
    await Promise.all(Array.from(this.#subscribers, async (subscriber) => subscriber.drained?.(withinMs)))
  }

  #assign(): Readonly<Record<keyof Fields, readonly Subscriber<Fields>[]>> {
    const all = [...this.#subscribers]
    return Object.fromEntries(
      this.#names.map((event) => [event, all.filter((subscriber) => subscriber.hears(event))]),
    ) as Record<keyof Fields, Subscriber<Fields>[]>
  }
}
