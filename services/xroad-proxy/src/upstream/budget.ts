/**
 * The bytes that all calls together may keep in memory: bodies of requests, envelopes, responses and their JSON. A call
 * says how many it holds from now on; if that would exceed the limit it waits, and the oldest call comes first.
 *
 * Calls that already hold bytes may all wait for more. Then none of them would ever return any, so the oldest continues
 * beyond the limit. In the same way a single call may be larger than the limit. Bodies that are still arriving may fill
 * only half of it: callers who never finish their upload leave the other half to calls that can end. A body that is
 * complete belongs to such a call and waits for no upload, even if it began to wait as one.
 */
import { CallerGone, Failure } from '../errors.ts'

export type Stage = 'upload' | 'call'
type State = Stage | 'waiting'

export class Budget {
  maxBytes: number
  /** Held by all calls together, by what they are doing. */
  readonly #held: Record<State, number> = { upload: 0, call: 0, waiting: 0 }
  readonly #queues: Readonly<Record<Stage, Share[]>> = { call: [], upload: [] }
  #opened = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** From now on; what is held beyond it already stays. */
  resize(maxBytes: number): void {
    this.maxBytes = maxBytes
    this.settle()
  }

  get used(): number {
    return this.#held.upload + this.#held.call + this.#held.waiting
  }

  get waiting(): number {
    return this.#queues.call.length + this.#queues.upload.length
  }

  /** What one call holds; it has to be closed. */
  open(): Share {
    return new Share(this, ++this.#opened)
  }

  /** Whether there is room now, and nobody before it. */
  admits(bytes: number, stage: Stage): boolean {
    return this.#queues.call.length === 0 && this.#queues[stage].length === 0 && this.#hasRoom(bytes, stage)
  }

  move(bytes: number, from: State, to: State): void {
    this.#held[from] -= bytes
    this.#held[to] += bytes
  }

  add(bytes: number, state: State): void {
    this.#held[state] += bytes
    if (bytes < 0) this.settle()
  }

  /** In the order in which the calls began, not in which they ask. */
  enqueue(share: Share, stage: Stage): void {
    const queue = this.#queues[stage]
    queue.splice(queue.findLastIndex(({ age }) => age < share.age) + 1, 0, share)
    this.settle()
  }

  leave(share: Share): void {
    for (const queue of [this.#queues.call, this.#queues.upload]) {
      const place = queue.indexOf(share)
      if (place !== -1) queue.splice(place, 1)
    }
  }

  settle(): void {
    while (this.#grant('call') || this.#grant('upload'));
  }

  #grant(stage: Stage): boolean {
    const [share] = this.#queues[stage]
    if (share === undefined || (stage === 'upload' && this.#queues.call.length > 0)) return false
    if (!this.#hasRoom(share.wanted, stage) && !this.#isStuck(stage)) return false
    this.#queues[stage].shift()
    share.grant()
    return true
  }

  #hasRoom(bytes: number, stage: Stage): boolean {
    return this.used + bytes <= (stage === 'call' ? this.maxBytes : this.maxBytes / 2)
  }

  /** Whether nobody is left who could give anything back. An upload may never end, and a call must not wait for it. */
  #isStuck(stage: Stage): boolean {
    return this.#held.call === 0 && (stage === 'call' || this.#held.upload === 0)
  }
}

export class Share {
  readonly age: number
  held = 0
  /** Beyond what it holds, while it waits. */
  wanted = 0
  /** Milliseconds that it has waited, all times together. */
  waitedMs = 0
  #since = 0
  readonly #budget: Budget
  #stage: Stage = 'call'
  #granted: (() => void) | undefined
  #refused: ((reason: Error) => void) | undefined
  #isClosed = false

  constructor(budget: Budget, age: number) {
    this.#budget = budget
    this.age = age
  }

  get isWaiting(): boolean {
    return this.#granted !== undefined
  }

  /**
   * Holds this many bytes from now on. Undefined where there is room at once, else a promise that resolves when there
   * is.
   */
  hold(bytes: number, stage: Stage = 'call'): Promise<void> | undefined {
    // A share that has been closed is about to be told.
    if (this.#isClosed) return undefined
    if (stage !== this.#stage && !this.isWaiting) {
      this.#budget.move(this.held, this.#stage, stage)
      this.#stage = stage
    }
    const more = bytes - this.held
    if (this.isWaiting) {
      this.wanted = Math.max(this.wanted, more)
      if (stage !== this.#stage) this.#requeue(stage)
      return undefined
    }
    if (more <= 0 || this.#budget.admits(more, stage)) {
      this.keep(bytes)
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.#granted = resolve
      this.#refused = reject
      this.wanted = more
      this.#since = performance.now()
      this.#budget.move(this.held, stage, 'waiting')
      this.#budget.enqueue(this, stage)
    })
  }

  /** The same for bytes that are there already, whether there is room or not. Not while it waits. */
  keep(bytes: number): void {
    if (this.#isClosed) return
    const more = bytes - this.held
    this.held = bytes
    this.#budget.add(more, this.#stage)
  }

  /** There is room now. */
  grant(): void {
    const granted = this.#granted
    this.#stopWaiting()
    this.keep(this.held + this.wanted)
    granted?.()
  }

  /** Ends the waiting with this reason. */
  refuse(reason: Error): void {
    if (this.#granted === undefined) return
    this.#stopWaiting()
    this.#budget.leave(this)
    this.#budget.settle()
    this.#refused?.(reason)
  }

  /** Gives everything back, once. */
  close(): void {
    if (this.#isClosed) return
    // Not made for each call that ends well: an error costs its stack.
    if (this.isWaiting) this.refuse(new CallerGone())
    this.keep(0)
    this.#isClosed = true
  }

  #requeue(stage: Stage): void {
    this.#budget.leave(this)
    this.#stage = stage
    this.#budget.enqueue(this, stage)
  }

  #stopWaiting(): void {
    this.#granted = undefined
    this.waitedMs += performance.now() - this.#since
    this.#budget.move(this.held, 'waiting', this.#stage)
  }
}

/** The 504 of a call that found no room in its time. */
export function noRoom({ maxBytes }: Budget, timeoutSeconds: number): Failure {
  const message = `no room within ${timeoutSeconds} s: all calls together may hold ${maxBytes} bytes (limits.max_inflight_bytes)`
  return new Failure('upstream_timeout', message)
}

/** Waits for room within the time of a call; the rest of it has a clock of its own. */
export function within(share: Share, waiting: Promise<void>, budget: Budget, timeoutSeconds: number): Promise<void> {
  const clock = setTimeout(() => share.refuse(noRoom(budget, timeoutSeconds)), timeoutSeconds * 1000)
  return waiting.finally(() => clearTimeout(clock))
}
