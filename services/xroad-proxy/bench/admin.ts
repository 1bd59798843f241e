/**
 * `npm run bench:admin`: what the metrics cost. The proxy without an admin listener and the proxy with one, which is
 * scraped once a second, in the race of a small GET on the REST lane. Ends with 1 where the one with the listener
 * reaches less than 0.97 of the other's throughput, and chance does not explain it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Command, raceWithAdmin } from '@services/bench'
import { freePort } from '@services/testing'
import { toEntrant } from './entrant.ts'
import { versions } from './report/report.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { ownProgram, prepare, type Setup } from './setup.ts'

const setup = await prepare(() => ({ sources: ownProgram }))
try {
  const scenario = scenarios[0] as Scenario
  const adminPort = await freePort()
  await raceWithAdmin({
    title: scenario.name,
    without: toEntrant('sources', scenario, setup),
    measured: { ...toEntrant('sources', scenario, withAdmin(setup, adminPort)), title: 'sources, measured' },
    adminPort,
    versions,
    isQuick: process.argv.includes('--quick'),
  })
} finally {
  await setup.remove()
}

/** The configuration is the last argument. */
function withAdmin(given: Setup, adminPort: number): Setup {
  return {
    ...given,
    async command(name, scenario): Promise<Command> {
      const { args, ...rest } = await given.command(name, scenario)
      const config = `${args.at(-1)}.admin.yaml`
      writeFileSync(config, `${readFileSync(String(args.at(-1)), 'utf8')}admin:\n  bind: 127.0.0.1:${adminPort}\n`)
      return { ...rest, args: [...args.slice(0, -1), config] }
    },
  }
}
