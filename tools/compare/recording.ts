/** What one side has answered: each request or command under a key that both sides share, in the order of the run. */
import { type Origin, withoutPlaces } from './volatile.ts'

export interface Observation {
  /** `PART: TITLE`. */
  readonly key: string
  /** The request or the command. */
  readonly asked: string
  /** A character for each byte. */
  readonly answer: string
}

export type Kind = 'request' | 'command' | 'file' | 'log'

export class Recording {
  readonly observations = new Map<string, Observation>()
  readonly counts: Record<Kind, number> = { request: 0, command: 0, file: 0, log: 0 }
  readonly #part: string
  readonly #origin: Origin

  constructor(part: string, origin: Origin) {
    this.#part = part
    this.#origin = origin
  }

  /** `answer` has a character for each byte. */
  add(kind: Kind, title: string, asked: string, answer: string): void {
    this.counts[kind]++
    let key = `${this.#part}: ${title}`
    for (let number = 2; this.observations.has(key); number++) key = `${this.#part}: ${title} (${number})`
    this.observations.set(key, { key, asked: this.#known(asked), answer: this.#known(answer) })
  }

  /** The same for text. */
  addText(kind: Kind, title: string, asked: string, answer: string): void {
    this.add(kind, title, asked, Buffer.from(answer).toString('latin1'))
  }

  #known(text: string): string {
    return withoutPlaces(text, this.#origin)
  }
}
