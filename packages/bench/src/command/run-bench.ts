/** The life of a bench: command line in, one of its kinds of run, exit code out. */
import { availableParallelism } from 'node:os'
import { type BenchFlags, type Options, readOptions, toUsage } from './options.ts'
import { UsageError } from './usage-error.ts'

export interface Bench {
  readonly flags: BenchFlags
  /** Races and measures what the options name, and prints the tables. */
  measure(options: Options): Promise<void>
  /** `--starts`. */
  measureStarts(starts: number, options: Options): Promise<void>
  /** `--against`; returns the exit code. */
  compareWith(which: string, options: Options): Promise<number>
}

/** Sets the exit code: 2 for a mistake on the command line. */
export async function runBench(bench: Bench): Promise<void> {
  // So that the handlers of `exit` end what was started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  try {
    const options = readOptions(bench.flags, process.argv.slice(2))
    if (options === undefined) console.error(toUsage(bench.flags))
    else process.exitCode = await runOnce(bench, options)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n${toUsage(bench.flags)}`)
    process.exitCode = 2
  }
}

async function runOnce(bench: Bench, options: Options): Promise<number> {
  const { against, starts } = options
  if (availableParallelism() < 2) {
    console.error('One core for the load, the servers and what they call: the figures will say little.')
  }
  if (against !== undefined) return bench.compareWith(against, options)
  await (starts === undefined ? bench.measure(options) : bench.measureStarts(starts, options))
  return 0
}
