/** Samples of a process that has worked for a while -> whether it grows. Pure. */
import { median } from '../report/median.ts'

/** A process at one moment, and how long requests took since the one before. */
export interface Sample {
  /** Since the beginning. */
  readonly seconds: number
  readonly residentMB: number
  /** Open files and sockets. */
  readonly handles: number
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** What may grow by how much from the first third to the last: by a factor, and by an amount on top. */
const bounds = [
  { field: 'residentMB', unit: 'MB', factor: 1.25, more: 24 },
  { field: 'handles', unit: 'handles', factor: 1.25, more: 16 },
  { field: 'p50Ms', unit: 'ms (median)', factor: 2, more: 5 },
] as const

/** Fewer samples say nothing. */
const fewest = 9
/** What a process does once: connections, caches, compiled code. */
const warmUp = 0.25

/** A line for each quantity that grew; undefined where there are too few samples to judge. */
export function findGrowth(samples: readonly Sample[]): readonly string[] | undefined {
  const warm = samples.slice(Math.ceil(samples.length * warmUp))
  if (warm.length < fewest) return undefined
  const third = Math.floor(warm.length / 3)
  return bounds.flatMap(({ field, unit, factor, more }) => {
    const first = median(warm.slice(0, third).map((sample) => sample[field]))
    const last = median(warm.slice(-third).map((sample) => sample[field]))
    return last > first * factor + more ? [`grew from ${first.toFixed(1)} to ${last.toFixed(1)} ${unit}`] : []
  })
}
