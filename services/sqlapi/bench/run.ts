/**
 * `npm run bench:sqlapi`: races sqlapi against others on real databases and prints the tables. README.md tells what is
 * measured and how.
 */
import { writeFileSync } from 'node:fs'
import { measureStarts, type Options, race, runBench } from '@services/bench'
import { compareWith } from './against.ts'
import { openArena } from './arena.ts'
import { measureBoot } from './boot.ts'
import { toChart } from './chart.ts'
import { findAbsences, makeContenders } from './contenders/all.ts'
import { toEntrant } from './contenders/contender.ts'
import { measureMillion } from './million.ts'
import { flags } from './options.ts'
import { writeResult } from './readme.ts'
import { toMarkdown } from './report.ts'
import { scenarios } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'
import type { RaceResult } from './targets.ts'

const mostRoundsOfMillion = 3

await runBench({ flags, measure, measureStarts: startInARow, compareWith })

async function startInARow(count: number, { only: [name = flags.raced[0]], isQuick }: Options): Promise<void> {
  const scenario = scenarios.find((known) => known.name === name) as Scenario
  const arena = await openArena(new Set(['sqlapi']))
  try {
    const entrant = toEntrant(makeContenders(undefined).sqlapi, scenario, arena)
    await measureStarts(entrant, {
      count,
      isQuick,
      title: scenario.title,
      versions: `PostgreSQL ${arena.postgresVersion}`,
    })
  } finally {
    await arena.remove()
  }
}

async function measure({ lengths, only, isWritten, chart, profiles }: Options): Promise<void> {
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name)
  const raced = scenarios.filter(({ name }) => isWanted(name))
  const wanted = new Set(raced.flatMap(({ contenders }) => contenders))
  if (isWanted('million')) wanted.add('toolbox')
  const arena = await openArena(wanted)
  try {
    const absences = findAbsences(arena, wanted)
    const lines = [...new Set(absences.values())].map((line) => `Left out: ${line}`)
    for (const line of lines) console.error(line)
    const contenders = makeContenders(profiles)
    const races: RaceResult[] = []
    for (const scenario of raced) {
      const present = scenario.contenders.filter((name) => !absences.has(name))
      const entrants = present.map((name) => toEntrant(contenders[name], scenario, arena))
      races.push({ scenario, results: await race(scenario.name, entrants, lengths) })
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
      absences: lines,
    })
    console.log(markdown)
    if (chart !== undefined) writeFileSync(chart, toChart(results))
    if (isWritten) writeResult(markdown, toChart(results))
  } finally {
    await arena.remove()
  }
}
