/**
 * `npm run bench:pooler`: what a pooler in transaction mode leaves of the throughput. sqlapi connected directly, and
 * behind Debian's pgbouncer with `pooler: transaction`, in the race of one row by key. Ends with 1 where the second
 * reaches less than 0.6 of the first one's throughput.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { medianOf, race, ratio, readable } from '@services/bench'
import { startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import { type Arena, openArena } from './arena.ts'
import { toEntrant } from './contenders/contender.ts'
import { overHttp } from './contenders/http.ts'
import { sqlapi } from './contenders/sqlapi.ts'
import { scenarios } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'

const least = 0.6
const isQuick = process.argv.includes('--quick')
const lengths = isQuick ? { rounds: 1, warmUpSeconds: 0.5, seconds: 1 } : { rounds: 10, warmUpSeconds: 1.5, seconds: 2 }

if (withoutPgbouncer !== undefined) {
  console.error(`npm run bench:pooler wants pgbouncer: ${withoutPgbouncer}`)
  process.exit(2)
}

const arena = await openArena(new Set(['sqlapi']))
const pooler = await startPgbouncer(arena.postgresUrl, { pool_mode: 'transaction' })
try {
  const scenario = scenarios[0] as Scenario
  const results = await race(
    scenario.name,
    [
      toEntrant(overHttp(sqlapi()), scenario, arena),
      toEntrant(overHttp(sqlapi({ title: 'sqlapi, pooler: transaction' })), scenario, behindPooler(arena)),
    ],
    lengths,
  )
  const [direct, pooled] = results
  const share = ratio(pooled, direct, 'requests/s') ?? 0
  const cpu = results.map((result) => readable(medianOf(result, 'cpuSecondsPer1000') ?? 0)).join(' and ')
  console.log(
    `behind pgbouncer ${readable(share)} of the requests/s, at least ${least} is wanted; CPU s per 1000: ${cpu}`,
  )
  if (share < least && !isQuick) process.exitCode = 1
} finally {
  await pooler.stop()
  await arena.remove()
}

/** The configuration is that of the arena, with the pooler's port. */
function behindPooler(given: Arena): Arena {
  const config = join(dirname(given.config), 'sqlapi-pooler.yaml')
  const url = JSON.stringify(given.postgresUrl)
  const text = readFileSync(given.config, 'utf8')
  const through = `${JSON.stringify(pooler.through(given.postgresUrl))}\n    pooler: transaction`
  writeFileSync(
    config,
    text.replace(url, () => through),
  )
  return { ...given, config }
}
