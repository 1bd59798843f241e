/**
 * `npm run bench:xroad-proxy`: races the proxy against hand-written servers in front of one upstream, over mutual TLS, and
 * prints the tables. README.md tells what is measured and how.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type BootResult, measureBoot } from './boot.ts'
import { type Lengths, race } from './race.ts'
import { type ScenarioResult, toMarkdown, writeReadme } from './report.ts'
import { scenarios } from './scenarios.ts'
import { prepare } from './setup.ts'
import { folderVariable, measureWsdl } from './wsdl.ts'
import { measureXml } from './xml.ts'

const names = [...scenarios.map(({ name }) => name), 'xml', 'boot', 'wsdl']
const usage = `Usage: npm run bench:xroad-proxy -- [OPTIONS]
  --quick          short rounds, to see that everything works
  --only NAME      one scenario, may be repeated: ${names.join(', ')}
  --rounds N       rounds per scenario
  --write          writes the result into README.md; only with all scenarios
  --profile DIR    the proxy writes CPU profiles to DIR, a folder per scenario; the figures of such a run say nothing`

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    write: { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const lengths: Lengths = {
  ...(flags.quick ? { rounds: 2, warmUpSeconds: 1, seconds: 1.5 } : { rounds: 5, warmUpSeconds: 3, seconds: 5 }),
  ...(flags.rounds === undefined ? {} : { rounds: Number(flags.rounds) }),
}
const refusal = findRefusal()
if (flags.help || refusal !== undefined) {
  console.error(refusal === undefined ? usage : `${refusal}\n${usage}`)
  process.exit(flags.help ? 0 : 2)
}
// So that the handlers of `exit` end what was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
await main()

function findRefusal(): string | undefined {
  const unknown = flags.only.find((name) => !names.includes(name))
  if (unknown !== undefined) return `There is no scenario '${unknown}'.`
  if (!Number.isInteger(lengths.rounds) || lengths.rounds < 1) return '--rounds takes a whole number from 1.'
  if (flags.write && (flags.only.length > 0 || flags.profile !== undefined)) return '--write needs a whole, plain run.'
  return undefined
}

async function main(): Promise<void> {
  if (availableParallelism() < 2) console.error('One core for load, server and upstream: the figures will say little.')
  const { rounds, warmUpSeconds, seconds } = lengths
  const isWanted = (name: string): boolean => flags.only.length === 0 || flags.only.includes(name)
  if (isWanted('wsdl') && process.env[folderVariable] === undefined) {
    console.error(`${folderVariable} names no folder: WSDL files of real registers are skipped.`)
  }
  const setup = await prepare(flags.profile)
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
    if (flags.write) writeReadme(markdown)
  } finally {
    await setup.remove()
  }
}
