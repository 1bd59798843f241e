/**
 * A contender in the race of a scenario: what it is asked, what it has to answer, and how busy the upstream was
 * meanwhile.
 */
import { type Ask, type Entrant, type Racer, startHttpRacer } from '@services/bench'
import type { ContenderName, Request, Scenario } from './scenarios.ts'
import type { Setup } from './setup.ts'

export function toEntrant(name: ContenderName, scenario: Scenario, setup: Setup): Entrant {
  return {
    title: name,
    async start() {
      const { connections, requests, rampSeconds } = scenario
      const asks = requests.map((request) => toAsk(name, request))
      const command = await setup.command(name, scenario)
      const ramp = rampSeconds === undefined ? {} : { rampSeconds }
      return besideUpstream(
        await startHttpRacer({ title: name, command, callers: { connections, asks }, ...ramp }),
        setup,
      )
    },
  }
}

function toAsk(name: ContenderName, { expected: byOthers, expectedOfClient, ...request }: Request): Ask {
  const expected = name === 'node-soap' ? (expectedOfClient ?? '') : byOthers
  return { ...request, expected, isRight: ({ status, body }) => status === 200 && body === expected }
}

function besideUpstream(racer: Racer, { upstream }: Setup): Racer {
  return {
    ...racer,
    async round(seconds) {
      const since = performance.now()
      const before = upstream.usage().cpuSeconds
      const round = await racer.round(seconds)
      const busy = (upstream.usage().cpuSeconds - before) / ((performance.now() - since) / 1000)
      return { ...round, remark: `upstream busy ${(busy * 100).toFixed(0)} %` }
    },
  }
}
