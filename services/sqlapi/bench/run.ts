/**
 * `npm run bench:sqlapi`: races sqlapi against others on real databases and prints the tables. README.md tells what is
 * measured and how.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { UsageError } from '@services/bench'
import { compareWith } from './against.ts'
import { openArena } from './arena.ts'
import { measureBoot } from './boot.ts'
import { toChart } from './chart.ts'
import { findAbsences, makeContenders } from './contenders/all.ts'
import { measureMillion } from './million.ts'
import { type Options, readOptions, usage } from './options.ts'
import { race } from './race.ts'
import { writeResult } from './readme.ts'
import { toMarkdown } from './report.ts'
import { scenarios } from './scenarios/all.ts'
import type { RaceResult } from './targets.ts'

const mostRoundsOfMillion = 3

// So that the handlers of `exit` end what was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  const options = readOptions(process.argv.slice(2))
  if (options === undefined) console.error(usage)
  else process.exitCode = await main(options)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n${usage}`)
  process.exitCode = 2
}

async function main(options: Options): Promise<number> {
  if (availableParallelism() < 2) console.error('One core for load, server and database: the figures will say little.')
  if (options.against !== undefined) return compareWith(options.against, options)
  await measure(options)
  return 0
}

async function measure({ lengths, only, isWritten, chart, profiles }: Options): Promise<void> {
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name)
  const arena = await openArena(true)
  try {
    const absences = findAbsences(arena)
    for (const line of absences.values()) console.error(`Left out: ${line}`)
    const contenders = makeContenders(profiles)
    const races: RaceResult[] = []
    for (const scenario of scenarios.filter(({ name }) => isWanted(name))) {
      const present = scenario.contenders.filter((name) => !absences.has(name))
      const entered = present.map((name) => contenders[name])
      races.push({ scenario, results: await race(scenario, entered, arena, lengths) })
    }
    const { rounds } = lengths
    const million = isWanted('million')
      ? await measureMillion(arena, Math.min(rounds, mostRoundsOfMillion), profiles)
      : []
    const boots = isWanted('boot') ? await measureBoot(arena.folder, rounds) : []
    const { postgresVersion } = arena
    const results = { races, million, boots }
    const markdown = toMarkdown(results, {
      ...lengths,
      postgresVersion,
      absences: Array.from(absences.values(), (line) => `Left out: ${line}`),
    })
    console.log(markdown)
    if (chart !== undefined) writeFileSync(chart, toChart(results))
    if (isWritten) writeResult(markdown, toChart(results))
  } finally {
    await arena.remove()
  }
}
