/** Command line -> what to run. */
import { parseArgs } from 'node:util'
import { readRounds, UsageError } from '@services/bench'
import type { Lengths } from './race.ts'
import { scenarios } from './scenarios.ts'

export interface Options {
  readonly lengths: Lengths
  /** Of `--rounds`. */
  readonly rounds: number | undefined
  /** Names of scenarios; all if empty. */
  readonly only: readonly string[]
  readonly isWritten: boolean
  /** A folder for CPU profiles. */
  readonly profiles: string | undefined
  /** A commit, or `last-release`: whether this is slower than that. */
  readonly against: string | undefined
}

const names = [...scenarios.map(({ name }) => name), 'xml', 'boot', 'wsdl']

export const usage = `Usage: npm run bench:xroad-proxy -- [OPTIONS]
  --quick          short rounds, to see that everything works
  --only NAME      one scenario, may be repeated: ${names.join(', ')}
  --rounds N       rounds per scenario
  --write          writes the result into README.md; only with all scenarios
  --profile DIR    the proxy writes CPU profiles to DIR, a folder per scenario; the figures of such a run say nothing
  --against COMMIT compares with an older xroad-proxy, 'last-release' or a commit, for at most about six minutes; ends with
                   1 if this one is slower than 0.97 x; with --rounds N every scenario has at least N races and it all
                   may last longer; with --write the table goes into README.md`

const whole: Lengths = { rounds: 5, warmUpSeconds: 3, seconds: 5 }
const quick: Lengths = { rounds: 2, warmUpSeconds: 1, seconds: 1.5 }

/** Nothing if only help was asked for. */
export function readOptions(args: readonly string[]): Options | undefined {
  const flags = parse(args)
  if (flags.help) return undefined
  const { only, write, profile, against } = flags
  const rounds = flags.rounds === undefined ? undefined : readRounds(flags.rounds)
  const lengths = { ...(flags.quick ? quick : whole), ...(rounds === undefined ? {} : { rounds }) }

  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no scenario '${unknown}'. There are: ${names.join(', ')}`)
  if (write && (only.length > 0 || flags.quick || profile !== undefined)) {
    throw new UsageError('--write takes a whole run: not with --quick, --only or --profile')
  }
  const others = [flags.quick && '--quick', profile && '--profile'].filter(Boolean)
  if (against !== undefined && others.length > 0)
    throw new UsageError(`--against does not go with ${others.join(', ')}`)
  return { lengths, rounds, only, isWritten: write, profiles: profile, against }
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
        profile: { type: 'string' },
        against: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}
