/**
 * `npm run bench:xroad-proxy`: races the proxy against hand-written servers in front of one upstream, over mutual TLS, and
 * prints the tables. README.md tells what is measured and how.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@services/bench'
import { compareWith } from './against.ts'
import { type BootResult, measureBoot } from './boot.ts'
import { type Options, readOptions, usage } from './options.ts'
import { buildPackage } from './package.ts'
import { race } from './race.ts'
import { type ScenarioResult, toMarkdown, writeReadme } from './report.ts'
import { scenarios } from './scenarios.ts'
import { ownProgram, prepare } from './setup.ts'
import { folderVariable, measureWsdl } from './wsdl.ts'
import { measureXml } from './xml.ts'

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
  if (availableParallelism() < 2) console.error('One core for load, server and upstream: the figures will say little.')
  if (options.against !== undefined) return compareWith(options.against, options)
  await measure(options)
  return 0
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
      races.push({ scenario, results: await race(scenario, setup, lengths) })
    }
    const xml = isWanted('xml') ? await measureXml(rounds, warmUpSeconds, seconds) : undefined
    const boots: BootResult[] = isWanted('boot') ? await measureBoot(setup, rounds) : []
    const wsdl = isWanted('wsdl') ? await measureWsdl(setup, rounds) : undefined
    const markdown = toMarkdown({ races, xml, boots, wsdl }, lengths)
    console.log(markdown)
    if (isWritten) writeReadme(markdown)
  } finally {
    await setup.remove()
  }
}
