/**
 * `npm run bench:xroad-proxy`: races the proxy against hand-written servers in front of one upstream, over mutual TLS,
 * and prints the tables. README.md tells what is measured and how.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../../../tools/build/package.ts'
import {
  callersScenario,
  measureStarts,
  type Options,
  race,
  resultMarkers,
  runBench,
  toCallersMarkdown,
  writeBetween,
  writeCallers,
} from '@services/bench'
import { compareWith } from './against.ts'
import { type BootResult, measureBoot } from './boot/boot.ts'
import { chartTitle as callersTitle, measureCallers, toCallersChart, toCallersReport } from './callers.ts'
import { chartTitle, toChart } from './report/chart.ts'
import { toEntrant } from './entrant.ts'
import { flags } from './options.ts'
import { readme, script, toMarkdown, versions } from './report/report.ts'
import type { ScenarioResult } from './report/results.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { ownProgram, prepare, type Setup } from './setup.ts'
import { folderVariable, measureWsdl } from './boot/wsdl.ts'
import { measureXml } from './xml/xml.ts'

const service = join(import.meta.dirname, '..')

await runBench({ flags, measure, measureStarts: startInARow, compareWith })

async function startInARow(count: number, { only: [name = flags.raced[0]], isQuick }: Options): Promise<void> {
  const scenario = scenarios.find((known) => known.name === name) as Scenario
  const setup = await prepare(async (folder) => ({ package: await buildPackage(service, join(folder, 'package')) }))
  try {
    const entrant = toEntrant('package', scenario, setup)
    await measureStarts(entrant, { count, isQuick, title: scenario.title, versions })
  } finally {
    await setup.remove()
  }
}

async function measure(options: Options): Promise<void> {
  const isWanted = (name: string): boolean => options.only.length === 0 || options.only.includes(name)
  if (isWanted('wsdl') && process.env[folderVariable] === undefined) {
    console.error(`${folderVariable} names no folder: WSDL files of real registers are skipped.`)
  }
  const setup = await prepare(
    async (folder) => ({ package: await buildPackage(service, join(folder, 'package')), sources: ownProgram }),
    options.profiles,
  )
  try {
    const absences = Array.from(setup.absences.values(), (line) => `Left out: ${line}`)
    for (const line of absences) console.error(line)
    const isMainWanted = [...flags.raced, ...flags.measured].some((name) => name !== callersScenario && isWanted(name))
    if (isMainWanted) await measureMain(setup, options, absences)
    if (isWanted(callersScenario)) await measureMany(setup, options, absences)
  } finally {
    await setup.remove()
  }
}

async function measureMain(setup: Setup, options: Options, absences: readonly string[]): Promise<void> {
  const { lengths, only, isWritten, chart } = options
  const { rounds, warmUpSeconds, seconds } = lengths
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name)
  const races: ScenarioResult[] = []
  for (const scenario of scenarios.filter(({ name }) => isWanted(name))) {
    const present = scenario.contenders.filter((name) => !setup.absences.has(name))
    const entrants = present.map((name) => toEntrant(name, scenario, setup))
    races.push({ scenario, results: await race(scenario.name, entrants, lengths) })
  }
  const xml = isWanted('xml') ? await measureXml(rounds, warmUpSeconds, seconds) : undefined
  const boots: BootResult[] = isWanted('boot') ? await measureBoot(setup, rounds) : []
  const wsdl = isWanted('wsdl') ? await measureWsdl(setup, rounds) : undefined
  const results = { races, xml, boots, wsdl }
  const markdown = toMarkdown(results, lengths, absences)
  console.log(markdown)
  if (chart !== undefined) writeFileSync(chart, toChart(results))
  if (isWritten) {
    writeFileSync(new URL('chart.svg', readme), toChart(results))
    writeBetween(readme, resultMarkers(script), `![${chartTitle}](chart.svg)\n\n${markdown}`)
  }
}

async function measureMany(setup: Setup, options: Options, absences: readonly string[]): Promise<void> {
  const { only, isWritten, chart } = options
  const run = await measureCallers(setup, options)
  const markdown = toCallersMarkdown(toCallersReport(run, absences))
  console.log(`\n${markdown}`)
  if (chart !== undefined && only.length === 1) writeFileSync(chart, toCallersChart(run))
  if (isWritten) writeCallers({ file: readme, script, title: callersTitle }, markdown, toCallersChart(run))
}
