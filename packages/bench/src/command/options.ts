/**
 * Command line -> what to run. The benches of all services take the same flags; what differs is a plain value of the
 * service.
 */
import { parseArgs } from 'node:util'
import { guard } from '../against/regression.ts'
import { callersScenario } from '../race/callers.ts'
import type { Lengths } from '../race/race.ts'
import { readCount, UsageError } from './usage-error.ts'

/** What the command line of one service's bench knows. */
export interface BenchFlags {
  /** As package.json calls it. */
  readonly script: string
  readonly service: string
  /** Scenarios that are raced. `--starts` takes the first one. */
  readonly raced: readonly string[]
  /** What else is measured. */
  readonly measured: readonly string[]
  readonly whole: Lengths
  /** Of `--quick`. */
  readonly quick: Lengths
}

export interface Options {
  readonly lengths: Lengths
  readonly isQuick: boolean
  /** Of `--rounds`. */
  readonly rounds: number | undefined
  /** Names of scenarios; all if empty. */
  readonly only: readonly string[]
  /** How many call at a time in the scenario `callers`; its own numbers if empty. */
  readonly callers: readonly number[]
  readonly isWritten: boolean
  /** A file for the chart. */
  readonly chart: string | undefined
  /** A folder for CPU profiles. */
  readonly profiles: string | undefined
  /** A commit, `baseline` or `last-release`: whether this is slower than that. */
  readonly against: string | undefined
  /** How many starts in a row, if it is about how much they differ. */
  readonly starts: number | undefined
}

/** What a flag does not go with. */
const conflicts = [
  { flag: 'write', others: ['quick', 'only', 'callers', 'profile'], says: '--write takes a whole run' },
  { flag: 'against', others: ['quick', 'callers', 'chart', 'profile'], says: undefined },
  { flag: 'starts', others: ['against', 'callers', 'write', 'rounds', 'chart', 'profile'], says: undefined },
] as const

export function toUsage({ script, service, raced, measured }: BenchFlags): string {
  return `Usage: npm run ${script} -- [OPTIONS]
  --quick          short rounds, to see that everything works
  --only NAME      one scenario, may be repeated: ${[...raced, ...measured].join(', ')}
  --callers N      so many call at a time in the scenario ${callersScenario}, may be repeated
  --rounds N       rounds per scenario
  --write          writes results and charts into the folder of the benchmark; only with a whole run, or with
                   --only ${callersScenario} for those of that scenario
  --chart FILE     writes the chart to FILE; with --only ${callersScenario} the one of that scenario
  --profile DIR    ${service} writes CPU profiles to DIR, a folder per scenario; the figures of such a run say nothing
  --starts N       starts ${service} N times in a row, races each start alone in ${raced[0]} or the scenario of --only, and
                   reports how much the starts differ
  --against COMMIT compares with an older ${service}, 'last-release', 'baseline' or a commit, for about six minutes; ends
                   with 1 if this one is slower than ${guard.limit} x; with --rounds N every scenario has at least N races and
                   the run more time in proportion; with --write the table goes into README.md`
}

/** Nothing if only help was asked for. Throws a UsageError. */
export function readOptions(flags: BenchFlags, args: readonly string[]): Options | undefined {
  const given = parse(args)
  if (given.help) return undefined
  const { quick, only, write, chart, profile, against } = given
  checkNames(flags, only, given.starts !== undefined)
  checkConflicts(given)
  const rounds = given.rounds === undefined ? undefined : readCount('--rounds', given.rounds)
  const starts = given.starts === undefined ? undefined : readCount('--starts', given.starts)
  const lengths = { ...(quick ? flags.quick : flags.whole), ...(rounds === undefined ? {} : { rounds }) }
  const callers = given.callers.map((text) => readCount('--callers', text))
  return { lengths, isQuick: quick, rounds, only, callers, isWritten: write, chart, profiles: profile, against, starts }
}

function checkNames({ raced, measured }: BenchFlags, only: readonly string[], isAboutStarts: boolean): void {
  const names = isAboutStarts ? raced : [...raced, ...measured]
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no scenario '${unknown}'. There are: ${names.join(', ')}`)
  if (isAboutStarts && only.length > 1) throw new UsageError('--starts takes one scenario: --only once')
}

function checkConflicts(given: Given): void {
  const { only, against, callers } = given
  // Its result has a place of its own in the page.
  const isCallersAlone = against === undefined && only.length === 1 && only[0] === callersScenario
  for (const { flag, others, says } of conflicts) {
    if (!isGiven(given[flag])) continue
    const found = others.filter((name) => isGiven(given[name]) && !(name === 'only' && isCallersAlone))
    if (found.length === 0) continue
    if (says !== undefined) throw new UsageError(`${says}: not with ${inWords(others)}`)
    throw new UsageError(`--${flag} does not go with ${found.map((name) => `--${name}`).join(', ')}`)
  }
  if (callers.length > 0 && only.length > 0 && !only.includes(callersScenario)) {
    throw new UsageError(`--callers is for the scenario '${callersScenario}', which --only leaves out`)
  }
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
}

function inWords(names: readonly string[]): string {
  const flags = names.map((name) => `--${name}`)
  return `${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`
}

type Given = ReturnType<typeof parse>

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        callers: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        write: { type: 'boolean', default: false },
        chart: { type: 'string' },
        profile: { type: 'string' },
        against: { type: 'string' },
        starts: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return values
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}
