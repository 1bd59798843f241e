/** Command line -> what to run. The benches of all services take the same flags; what differs is a plain value of the service. */
import { parseArgs } from 'node:util'
import { guard } from '../against/regression.ts'
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
  /** Whether there is a chart: then `--chart` is a flag, and `--write` keeps it too. */
  readonly isCharted: boolean
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
  readonly isWritten: boolean
  /** A file for the chart. */
  readonly chart: string | undefined
  /** A folder for CPU profiles. */
  readonly profiles: string | undefined
  /** A commit, or `last-release`: whether this is slower than that. */
  readonly against: string | undefined
  /** How many starts in a row, if it is about how far they lie apart. */
  readonly starts: number | undefined
}

/** What a flag does not go with. */
const conflicts = [
  { flag: 'write', others: ['quick', 'only', 'profile'], says: '--write takes a whole run' },
  { flag: 'against', others: ['quick', 'chart', 'profile'], says: undefined },
  { flag: 'starts', others: ['against', 'write', 'rounds', 'chart', 'profile'], says: undefined },
] as const

export function toUsage({ script, service, raced, measured, isCharted }: BenchFlags): string {
  const written = isCharted ? 'the result and the chart' : 'the result'
  const chart = isCharted ? '\n  --chart FILE     writes the chart to FILE' : ''
  return `Usage: npm run ${script} -- [OPTIONS]
  --quick          short rounds, to see that everything works
  --only NAME      one scenario, may be repeated: ${[...raced, ...measured].join(', ')}
  --rounds N       rounds per scenario
  --write          writes ${written} into the folder of the benchmark; only with a whole run${chart}
  --profile DIR    ${service} writes CPU profiles to DIR, a folder per scenario; the figures of such a run say nothing
  --starts N       starts ${service} N times in a row, races each start alone in ${raced[0]} or the scenario of --only, and
                   says how far the starts lie apart
  --against COMMIT compares with an older ${service}, 'last-release' or a commit, for about six minutes; ends with 1 if
                   this one is slower than ${guard.limit} x; with --rounds N every scenario has at least N races and the run
                   more time in proportion; with --write the table goes into README.md`
}

/** Nothing if only help was asked for. Throws a UsageError. */
export function readOptions(flags: BenchFlags, args: readonly string[]): Options | undefined {
  const given = parse(flags, args)
  if (given.help) return undefined
  const { quick, only, write, chart, profile, against } = given
  checkNames(flags, only, given.starts !== undefined)
  for (const { flag, others, says } of conflicts) {
    const found = others.filter((name) => isGiven(given[name]))
    if (!isGiven(given[flag]) || found.length === 0) continue
    if (says !== undefined) throw new UsageError(`${says}: not with ${inWords(others)}`)
    throw new UsageError(`--${flag} does not go with ${found.map((name) => `--${name}`).join(', ')}`)
  }
  const rounds = given.rounds === undefined ? undefined : readCount('--rounds', given.rounds)
  const starts = given.starts === undefined ? undefined : readCount('--starts', given.starts)
  const lengths = { ...(quick ? flags.quick : flags.whole), ...(rounds === undefined ? {} : { rounds }) }
  return { lengths, isQuick: quick, rounds, only, isWritten: write, chart, profiles: profile, against, starts }
}

function checkNames({ raced, measured }: BenchFlags, only: readonly string[], isAboutStarts: boolean): void {
  const names = isAboutStarts ? raced : [...raced, ...measured]
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no scenario '${unknown}'. There are: ${names.join(', ')}`)
  if (isAboutStarts && only.length > 1) throw new UsageError('--starts takes one scenario: --only once')
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
}

function inWords(names: readonly string[]): string {
  const flags = names.map((name) => `--${name}`)
  return `${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`
}

function parse({ isCharted }: BenchFlags, args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        write: { type: 'boolean', default: false },
        chart: { type: 'string' },
        profile: { type: 'string' },
        against: { type: 'string' },
        starts: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.chart !== undefined && !isCharted) throw new Error("Unknown option '--chart'")
    return values
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}
