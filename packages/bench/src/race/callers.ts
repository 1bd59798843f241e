/**
 * The scenario `callers`: the same requests from one caller, from a thousand, and from some numbers between. Each
 * contender has a process of its own for each number, because the most memory is counted from the start of a process;
 * all of them take turns, so that figures can be compared along the numbers as well as between contenders.
 */
import { type Entrant, type Lengths, race, type Racer, type Result } from './race.ts'

/** As the command line calls it. */
export const callersScenario = 'callers'

export const callerCounts: readonly number[] = [1, 8, 64, 128, 256, 512, 1024]

/** What `--against` compares two versions with. */
export const manyCallers = 512

const whole: Lengths = { rounds: 3, warmUpSeconds: 1.5, seconds: 2 }
const quick: Lengths = { rounds: 1, warmUpSeconds: 0.5, seconds: 1 }

export interface CallersContender {
  readonly title: string
  /** Starts a process that this many callers will call. */
  start(callers: number): Promise<Racer>
}

export interface CallersResult extends Result {
  readonly callers: number
}

export interface CallersPlan {
  /** All of `callerCounts` if empty. */
  readonly callers: readonly number[]
  readonly isQuick: boolean
  readonly rounds: number | undefined
}

export interface CallersRun {
  readonly lengths: Lengths
  /** In the order of the numbers, and for each number in that of the contenders. */
  readonly results: readonly CallersResult[]
}

export async function raceCallers(
  contenders: readonly CallersContender[],
  { callers, isQuick, rounds }: CallersPlan,
): Promise<CallersRun> {
  const lengths = { ...(isQuick ? quick : whole), ...(rounds === undefined ? {} : { rounds }) }
  const counts = callers.length === 0 ? callerCounts : [...new Set(callers)].toSorted((a, b) => a - b)
  const entered = counts.flatMap((count) => contenders.map((contender) => ({ count, contender })))
  const entrants = entered.map(({ count, contender }): Entrant => {
    return { title: `${contender.title}, callers: ${count}`, start: () => contender.start(count) }
  })
  const results = await race(callersScenario, entrants, lengths)
  return {
    lengths,
    results: results.map((result, index) => {
      const { count, contender } = entered[index]!
      return { ...result, contender: contender.title, callers: count }
    }),
  }
}
