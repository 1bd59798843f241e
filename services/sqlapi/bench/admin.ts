/**
 * `npm run bench:admin`: what the metrics cost. sqlapi without an admin listener and sqlapi with one, which is scraped
 * once a second, in the race of one row by key. Ends with 1 where the one with the listener reaches less than 0.97 of
 * the other's throughput, and chance does not explain it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { raceWithAdmin } from '@services/bench'
import { freePort } from '@services/testing'
import { type Arena, openArena } from './arena.ts'
import { toEntrant } from './contenders/contender.ts'
import { overHttp } from './contenders/http.ts'
import { sqlapi } from './contenders/sqlapi.ts'
import { scenarios } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'

const arena = await openArena(new Set(['sqlapi']))
try {
  const scenario = scenarios[0] as Scenario
  const adminPort = await freePort()
  await raceWithAdmin({
    title: scenario.name,
    without: toEntrant(overHttp(sqlapi()), scenario, arena),
    measured: toEntrant(overHttp(sqlapi({ title: 'sqlapi, measured' })), scenario, withAdmin(arena, adminPort)),
    adminPort,
    versions: `PostgreSQL ${arena.postgresVersion}`,
    isQuick: process.argv.includes('--quick'),
  })
} finally {
  await arena.remove()
}

function withAdmin(given: Arena, adminPort: number): Arena {
  const config = join(dirname(given.config), 'sqlapi-admin.yaml')
  writeFileSync(config, `${readFileSync(given.config, 'utf8')}\nadmin:\n  bind: 127.0.0.1:${adminPort}\n`)
  return { ...given, config }
}
