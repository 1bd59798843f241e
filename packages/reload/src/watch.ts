/**
 * Says when files hold something else than what was read: compares contents every 2 s, and waits until they have been
 * the same for 1 s. Never by events of the file system, which no mount tells alike: links that replace
 * others (ConfigMaps), files that are written again with the same content and files that come and go need no code of
 * their own.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Contents, isTouchedSince } from './contents.ts'

export interface Pace {
  /** Between two looks. */
  readonly lookMs: number
  /** How long the contents have to stay the same before a change is reported. */
  readonly quietMs: number
}

const usualPace: Pace = { lookMs: 2000, quietMs: 1000 }

export interface WatchOptions {
  /** Paths of the files that count, also of those that are missing. */
  readonly files: () => Iterable<string> | Promise<Iterable<string>>
  readonly changed: () => void
  readonly pace?: Pace | undefined
}

export class ContentWatch {
  readonly #options: WatchOptions
  readonly #pace: Pace
  readonly #contents = new Contents()
  /** The files as last read, with or without success: a broken state is read once. */
  #read: ReadonlyMap<string, string> = new Map()
  #notedAt = 0
  #stopping: AbortController | undefined

  constructor(options: WatchOptions) {
    this.#options = options
    this.#pace = options.pace ?? usualPace
  }

  /** Takes the current files as read, except those touched since `readAt`, when reading began. */
  async start(readAt: number): Promise<void> {
    if (this.#stopping !== undefined) return
    const stopping = new AbortController()
    this.#stopping = stopping
    await this.note()
    const read = new Map(this.#read)
    // Its own millisecond is that of files which were written just before.
    for (const path of read.keys()) if (await isTouchedSince(path, readAt + 1)) read.delete(path)
    this.#read = read
    this.#notedAt = readAt
    void this.#look(stopping.signal)
  }

  stop(): void {
    this.#stopping?.abort()
    this.#stopping = undefined
  }

  /** Notes the current files, just before they are read. */
  async note(): Promise<void> {
    if (this.#stopping === undefined) return
    this.#notedAt = Date.now()
    this.#read = await this.#now()
  }

  /**
   * Takes the noted files as read, with or without success, and with them files that count only since then, unless they
   * have been touched meanwhile. A file that has gone meanwhile is a change.
   */
  async settle(): Promise<void> {
    if (this.#stopping === undefined) return
    const noted = this.#read
    const files = new Set(await this.#options.files())
    const now = await this.#contents.read([...files, ...noted.keys()])
    const read = new Map<string, string>()
    for (const [path, content] of now) {
      const before = noted.get(path)
      if (before === undefined ? !(await isTouchedSince(path, this.#notedAt)) : files.has(path) || before !== content) {
        read.set(path, before ?? content)
      }
    }
    this.#read = read
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { lookMs, quietMs } = this.#pace
    while (await rested(lookMs, signal)) {
      let now = await this.#now()
      if (isSame(now, this.#read)) continue
      for (let before: typeof now = new Map(); !isSame(before, now) && (await rested(quietMs, signal));) {
        before = now
        now = await this.#now()
      }
      if (!isSame(now, this.#read) && !signal.aborted) this.#options.changed()
    }
  }

  async #now(): Promise<ReadonlyMap<string, string>> {
    return this.#contents.read(await this.#options.files())
  }
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && Array.from(one).every(([path, content]) => other.get(path) === content)
}

/** False where `signal` was aborted. Does not keep the process alive. */
function rested(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal, ref: false }).catch(() => false)
}
