/**
 * The jobs that one worker has been given and has not answered, by their claims, and the claims that no job uses. An
 * array and no Map: a Map that jobs pass through leaves outgrown tables behind, each with all that was in it and a
 * pointer to the next. Once one of them is in the old generation, every scavenge promotes the jobs behind it.
 */
import type { Sink } from '../../result.ts'
import { depth, maxClaims, type Turn } from '../claims.ts'

/** A job, and who waits for its reply. */
export interface UnderWayJob {
  readonly claim: number
  /** Counts up. */
  readonly arrival: number
  readonly resolve: (json: string) => void
  readonly reject: (reason: unknown) => void
  readonly sink: Sink
  /** Longest time of a statement; 0 for no limit. */
  readonly timeoutSeconds: number
  /** Pieces of the result that the reader has not made room for. */
  pieces: number
  /** When the last one stopped waiting for the reply. */
  goneSince: number | undefined
  /** The turn of its statement whose time is up. */
  timedOut: Turn | undefined
}

export class UnderWay {
  readonly #jobs = Array.from<UnderWayJob | undefined>({ length: maxClaims })
  readonly #free = Array.from({ length: maxClaims }, (_, index) => index)
  #size = 0
  #arrivals = 0

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** As many claims are free as the pool has jobs for one connection. */
  get hasClaimsToSpare(): boolean {
    return this.#free.length >= depth
  }

  /**
   * There is a free claim: the pool gives a connection no more than `depth` jobs, and none is taken back without claims
   * to spare.
   */
  add(resolve: UnderWayJob['resolve'], reject: UnderWayJob['reject'], sink: Sink, timeoutSeconds: number): UnderWayJob {
    const claim = this.#free.pop() as number
    const arrival = ++this.#arrivals
    const job = {
      claim,
      arrival,
      resolve,
      reject,
      sink,
      timeoutSeconds,
      pieces: 0,
      goneSince: undefined,
      timedOut: undefined,
    }
    this.#jobs[claim] = job
    this.#size++
    return job
  }

  get(claim: number): UnderWayJob | undefined {
    return this.#jobs[claim]
  }

  /** Another job may have the claim by now. */
  has(job: UnderWayJob): boolean {
    return this.#jobs[job.claim] === job
  }

  /** The worker has answered; the claim is free. */
  remove({ claim }: UnderWayJob): void {
    this.#jobs[claim] = undefined
    this.#size--
    this.#free.push(claim)
  }

  /** All of them, in the order in which they came. */
  inOrder(): UnderWayJob[] {
    return this.#jobs.filter((job) => job !== undefined).toSorted((a, b) => a.arrival - b.arrival)
  }
}
