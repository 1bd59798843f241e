/** Command line -> what to run. */
import { parseArgs } from 'node:util'
import { readRounds, UsageError } from '@services/bench'
import type { Lengths } from './race.ts'
import { scenarios } from './scenarios/all.ts'

export interface Options {
  readonly lengths: Lengths
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
}

/** What is not a race. */
const measurements = ['million', 'boot']
const names = [...scenarios.map(({ name }) => name), ...measurements]

export const usage = `Usage: npm run bench:sqlapi -- [OPTIONS]
  --quick          short rounds, to see that everything works
  --only NAME      one scenario, may be repeated: ${names.join(', ')}
  --rounds N       rounds per scenario
  --write          writes the result and the chart into the folder of the benchmark; only with a whole run
  --chart FILE     writes the chart to FILE
  --profile DIR    sqlapi writes CPU profiles to DIR, a folder per scenario; the figures of such a run say nothing
  --against COMMIT compares with an older sqlapi, 'last-release' or a commit, for about six minutes; ends with 1 if this
                   one is slower than 0.97 x; with --rounds N every scenario has at least N races and it all N times
                   as long; with --write the table goes into README.md`

const whole: Lengths = { rounds: 5, warmUpSeconds: 1.5, seconds: 2 }
const quick: Lengths = { rounds: 1, warmUpSeconds: 0.5, seconds: 1 }

/** Nothing if only help was asked for. */
export function readOptions(args: readonly string[]): Options | undefined {
  const flags = parse(args)
  if (flags.help) return undefined
  const { only, write, chart, profile, against } = flags
  const lengths = { ...(flags.quick ? quick : whole) }
  const rounds = flags.rounds === undefined ? undefined : readRounds(flags.rounds)
  if (rounds !== undefined) lengths.rounds = rounds

  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no scenario '${unknown}'. There are: ${names.join(', ')}`)
  if (write && (only.length > 0 || flags.quick || profile !== undefined)) {
    throw new UsageError('--write takes a whole run: not with --quick, --only or --profile')
  }
  const others = [flags.quick && '--quick', chart && '--chart', profile && '--profile'].filter(Boolean)
  if (against !== undefined && others.length > 0)
    throw new UsageError(`--against does not go with ${others.join(', ')}`)
  return { lengths, rounds, only, isWritten: write, chart, profiles: profile, against }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        write: { type: 'boolean', default: false },
        chart: { type: 'string' },
        profile: { type: 'string' },
        against: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}
