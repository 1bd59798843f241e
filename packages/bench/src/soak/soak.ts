/**
 * A long run of a server under mixed load with faults: people who call, faults that happen, samples of the process.
 * Fails on the first wrong answer, on whatever the service says was lost at the end, and on growth. What is called, and
 * what is right, the service knows.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Server } from '../process/server.ts'
import { readNow } from '../process/usage.ts'
import { findGrowth, type Sample } from './verdict.ts'

/** One of those who call, or a fault that happens again and again. */
export interface Actor {
  readonly name: string
  /** How many of them act at the same time. */
  readonly count: number
  /** Between two acts of one of them. */
  readonly pauseMs: number
  /** Says what it met; throws a `WrongAnswer` for what must not happen. */
  act(): Promise<Outcome>
  /** Its times are those of the report; one actor has this. */
  readonly isProbe?: boolean
}

/**
 * `right`: as it should be. `refused`: an error that may happen while there are faults. `cut`: broken off, and not
 * given as whole.
 */
export type Outcome = 'right' | 'refused' | 'cut'

export class WrongAnswer extends Error {}

export interface SoakPlan {
  readonly minutes: number
  readonly server: Server
  readonly actors: readonly Actor[]
  /** After everybody has stopped: what was lost or doubled, a line each. */
  readonly settle: () => Promise<readonly string[]>
}

export interface SoakReport {
  readonly minutes: number
  readonly counts: ReadonlyMap<string, Readonly<Record<Outcome, number>>>
  readonly samples: readonly Sample[]
  /** Empty where all is well. */
  readonly problems: readonly string[]
  /** Whether the run was long enough to tell growth. */
  readonly isGrowthJudged: boolean
}

const sampleEveryMs = 10_000
const mostProblems = 20

export async function runSoak({ minutes, server, actors, settle }: SoakPlan): Promise<SoakReport> {
  const begun = performance.now()
  const end = AbortSignal.timeout(Math.round(minutes * 60_000))
  const problems: string[] = []
  const counts = new Map(actors.map(({ name }) => [name, { right: 0, refused: 0, cut: 0 }]))
  const samples: Sample[] = []
  let times: number[] = []
  const live = async (actor: Actor): Promise<void> => {
    const count = counts.get(actor.name) as Record<Outcome, number>
    while (!end.aborted && problems.length < mostProblems) {
      const from = performance.now()
      try {
        count[await actor.act()]++
      } catch (error) {
        const { message } = error as Error
        problems.push(error instanceof WrongAnswer ? `${actor.name}: ${message}` : `${actor.name} failed: ${message}`)
      }
      if (actor.isProbe === true) times.push(performance.now() - from)
      await delay(actor.pauseMs)
    }
  }
  const watch = setInterval(() => {
    samples.push({ seconds: Math.round((performance.now() - begun) / 1000), ...readNow(server.pid), ...toTimes(times) })
    times = []
  }, sampleEveryMs)
  await Promise.all(actors.flatMap((actor) => Array.from({ length: actor.count }, () => live(actor))))
  clearInterval(watch)
  problems.push(...(await settle()))
  const growth = findGrowth(samples)
  problems.push(...(growth ?? []))
  return { minutes, counts, samples, problems, isGrowthJudged: growth !== undefined }
}

function toTimes(times: readonly number[]): Pick<Sample, 'requests' | 'p50Ms' | 'p99Ms'> {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0
  return { requests: times.length, p50Ms: at(0.5), p99Ms: at(0.99) }
}
