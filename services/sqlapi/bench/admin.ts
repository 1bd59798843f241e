/**
 * `npm run bench:admin`: what the metrics cost. sqlapi without an admin listener and sqlapi with one, which is scraped once a second, in
 * the race of one row by key. Ends with 1 where the one with the listener reaches less than 0.97 of the other's throughput.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Entrant, freePort, medianOf, race, ratio, readable } from '@services/bench'
import { type Arena, openArena } from './arena.ts'
import { toEntrant } from './contenders/contender.ts'
import { overHttp } from './contenders/http.ts'
import { sqlapi } from './contenders/sqlapi.ts'
import { scenarios } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'

const least = 0.97
const isQuick = process.argv.includes('--quick')
const lengths = isQuick ? { rounds: 1, warmUpSeconds: 0.5, seconds: 1 } : { rounds: 10, warmUpSeconds: 1.5, seconds: 2 }

const arena = await openArena(new Set(['sqlapi']))
try {
  const scenario = scenarios[0] as Scenario
  const port = await freePort()
  const results = await race(
    scenario.name,
    [
      toEntrant(overHttp(sqlapi()), scenario, arena),
      scraped(toEntrant(overHttp(sqlapi({ title: 'sqlapi, measured' })), scenario, withAdmin(arena, port)), port),
    ],
    lengths,
  )
  const [without, measured] = results
  const share = ratio(measured, without, 'requests/s') ?? 0
  const cpu = results.map((result) => readable(medianOf(result, 'cpuSecondsPer1000') ?? 0)).join(' and ')
  console.log(`with metrics ${readable(share)} of the requests/s, at least ${least} is wanted; CPU s per 1000: ${cpu}`)
  if (share < least && !isQuick) process.exitCode = 1
} finally {
  await arena.remove()
}

function withAdmin(given: Arena, adminPort: number): Arena {
  const config = join(dirname(given.config), 'sqlapi-admin.yaml')
  writeFileSync(config, `${readFileSync(given.config, 'utf8')}\nadmin:\n  bind: 127.0.0.1:${adminPort}\n`)
  return { ...given, config }
}

/** More often than any Prometheus does. */
function scraped(entrant: Entrant, adminPort: number): Entrant {
  return {
    title: entrant.title,
    async start() {
      const racer = await entrant.start()
      const scrape = (): void => void fetch(`http://127.0.0.1:${adminPort}/metrics`).then((answer) => answer.text())
      const timer = setInterval(scrape, 1000)
      return {
        round: (seconds) => racer.round(seconds),
        usage: () => racer.usage(),
        stop() {
          clearInterval(timer)
          return racer.stop()
        },
      }
    },
  }
}
