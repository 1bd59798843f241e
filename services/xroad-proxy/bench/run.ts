/**
 * `npm run bench:xroad-proxy`: races the proxy against hand-written servers in front of one upstream, over mutual TLS, and
 * prints the tables. README.md tells what is measured and how.
 */
import { join } from 'node:path'
import { measureStarts, type Options, race, runBench, writeBetween, resultMarkers } from '@services/bench'
import { compareWith } from './against.ts'
import { type BootResult, measureBoot } from './boot.ts'
import { toEntrant } from './entrant.ts'
import { flags } from './options.ts'
import { buildPackage } from './package.ts'
import { readme, type ScenarioResult, script, toMarkdown, versions } from './report.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { ownProgram, prepare } from './setup.ts'
import { folderVariable, measureWsdl } from './wsdl.ts'
import { measureXml } from './xml.ts'

await runBench({ flags, measure, measureStarts: startInARow, compareWith })

async function startInARow(count: number, { only: [name = flags.raced[0]], isQuick }: Options): Promise<void> {
  const scenario = scenarios.find((known) => known.name === name) as Scenario
  const setup = await prepare((folder) => ({ package: buildPackage(join(folder, 'package')) }))
  try {
    const entrant = toEntrant('package', scenario, setup)
    await measureStarts(entrant, { count, isQuick, title: scenario.title, versions })
  } finally {
    await setup.remove()
  }
}

async function measure({ lengths, only, isWritten, profiles }: Options): Promise<void> {
  const { rounds, warmUpSeconds, seconds } = lengths
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name)
  if (isWanted('wsdl') && process.env[folderVariable] === undefined) {
    console.error(`${folderVariable} names no folder: WSDL files of real registers are skipped.`)
  }
  const setup = await prepare(
    (folder) => ({ package: buildPackage(join(folder, 'package')), sources: ownProgram }),
    profiles,
  )
  try {
    const races: ScenarioResult[] = []
    for (const scenario of scenarios.filter(({ name }) => isWanted(name))) {
      const entrants = scenario.contenders.map((name) => toEntrant(name, scenario, setup))
      races.push({ scenario, results: await race(scenario.name, entrants, lengths) })
    }
    const xml = isWanted('xml') ? await measureXml(rounds, warmUpSeconds, seconds) : undefined
    const boots: BootResult[] = isWanted('boot') ? await measureBoot(setup, rounds) : []
    const wsdl = isWanted('wsdl') ? await measureWsdl(setup, rounds) : undefined
    const markdown = toMarkdown({ races, xml, boots, wsdl }, lengths)
    console.log(markdown)
    if (isWritten) writeBetween(readme, resultMarkers(script), markdown)
  } finally {
    await setup.remove()
  }
}
