/** A plan for the load, in; what it measured, out. The load itself is a process of its own, load.ts. */
import { join } from 'node:path'
import { run } from '../process/server.ts'

export interface Plan {
  readonly port: number
  /** How long it is driven before anything is counted. */
  readonly rampSeconds: number
  readonly seconds: number
  readonly groups: readonly GroupPlan[]
}

export interface GroupPlan {
  readonly connections: number
  /** A closed loop if left out. */
  readonly ratePerSecond?: number
  /** Taken in turns. */
  readonly requests: readonly WireRequest[]
}

export interface WireRequest {
  readonly bytes: string
  readonly status: number
  readonly sha256: string
  /** Whether its answers count for the figures; they are checked in any case. */
  readonly isCounted: boolean
}

export interface Measured {
  /** From the first to the last, those of the ramp included; of each request of each group. */
  readonly answers: readonly (readonly number[])[]
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** What the load itself has used, to see that it was not the one that was slow. */
  readonly loadCpuSecondsPer1000: number
}

/** Throws if an answer was wrong or a connection broke; the load says on stderr which. */
export async function drive(plan: Plan): Promise<Measured> {
  const output = await run({ args: [join(import.meta.dirname, 'load.ts')] }, JSON.stringify(plan))
  return JSON.parse(output) as Measured
}
