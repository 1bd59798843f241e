/**
 * `npm run bench:sqlapi`: races sqlapi against others on real databases and prints the tables. README.md tells what is
 * measured and how.
 */
import { writeFileSync } from 'node:fs'
import { callersScenario, measureStarts, type Options, race, runBench, toCallersMarkdown } from '@services/bench'
import { compareWith } from './against.ts'
import { type Arena, openArena } from './arena.ts'
import { measureBoot } from './boot/boot.ts'
import { callersContenders, measureCallers, toCallersChart, toCallersReport } from './callers.ts'
import { toChart } from './report/chart.ts'
import { findAbsences, makeContenders } from './contenders/all.ts'
import { type Contender, toEntrant } from './contenders/contender.ts'
import { measureMillion } from './million.ts'
import { flags } from './options.ts'
import { writeCallersResult, writeResult } from './report/readme.ts'
import { toMarkdown } from './report/report.ts'
import { scenarios } from './scenarios/all.ts'
import type { ContenderName, Scenario } from './scenarios/scenario.ts'
import type { RaceResult } from './report/targets.ts'

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

async function measure(options: Options): Promise<void> {
  const isWanted = (name: string): boolean => options.only.length === 0 || options.only.includes(name)
  const raced = scenarios.filter(({ name }) => isWanted(name))
  const wanted = new Set(raced.flatMap(({ contenders }) => contenders))
  if (isWanted('million')) wanted.add('toolbox')
  if (isWanted(callersScenario)) for (const name of callersContenders) wanted.add(name)
  const arena = await openArena(wanted)
  try {
    const absences = findAbsences(arena, wanted)
    for (const line of toLines(absences)) console.error(line)
    const field = { arena, absences, contenders: makeContenders(options.profiles) }
    const isMainWanted = [...raced.map(({ name }) => name), 'million', 'boot'].some(isWanted)
    if (isMainWanted) await measureMain(field, raced, options)
    if (isWanted(callersScenario)) await measureMany(field, options)
  } finally {
    await arena.remove()
  }
}

/** Who takes part, and where. */
interface Field {
  readonly arena: Arena
  readonly contenders: Readonly<Record<ContenderName, Contender>>
  /** Why not. */
  readonly absences: ReadonlyMap<ContenderName, string>
}

async function measureMain(
  { arena, contenders, absences }: Field,
  raced: readonly Scenario[],
  { lengths, only, isWritten, chart, profiles }: Options,
): Promise<void> {
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name)
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
  const markdown = toMarkdown(results, { ...lengths, postgresVersion, absences: toLines(absences) })
  console.log(markdown)
  if (chart !== undefined) writeFileSync(chart, toChart(results))
  if (isWritten) writeResult(markdown, toChart(results))
}

async function measureMany({ arena, contenders, absences }: Field, options: Options): Promise<void> {
  const { only, isWritten, chart } = options
  const present = callersContenders.filter((name) => !absences.has(name))
  const run = await measureCallers(contenders, present, arena, options)
  const missing = new Map([...absences].filter(([name]) => callersContenders.includes(name)))
  const report = toCallersReport(run, arena.postgresVersion, toLines(missing))
  console.log(`\n${toCallersMarkdown(report)}`)
  if (chart !== undefined && only.length === 1) writeFileSync(chart, toCallersChart(run))
  if (isWritten) writeCallersResult(report)
}

/** One line for what several contenders have in common. */
function toLines(absences: Field['absences']): string[] {
  return [...new Set(absences.values())].map((line) => `Left out: ${line}`)
}
