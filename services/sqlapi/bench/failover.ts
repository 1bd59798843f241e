/**
 * `npm run bench:failover`: how long a promotion keeps callers waiting. A primary and a standby with synchronous
 * replication, 16 callers that write, the primary crashes, the standby is promoted; several rounds. Tells when calls
 * were answered again, counted from the end of the promotion, and what was lost or doubled. Ends with 1 where a write
 * was, or where callers waited for more than 5 s.
 */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { call, newFolder, spawnProcess, until, untilListening, writeFiles } from '@services/testing'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import { Ledger } from './soak/ledger.ts'

const mostSeconds = 5
const callers = 16
const rounds = Number(/^--rounds=(\d+)$/.exec(process.argv[2] ?? '')?.[1] ?? 5)

interface Round {
  /** From the crash to the end of the promotion. */
  readonly promotionMs: number
  /** From there to the first answer, and until each caller had one. */
  readonly firstMs: number
  readonly allMs: number
  readonly acknowledged: number
  readonly refused: number
  readonly problems: readonly string[]
}

// Each server leaves one listener for the end of this process.
process.setMaxListeners(0)

const all: Round[] = []
for (let number = 1; number <= rounds; number++) {
  const round = await playRound()
  all.push(round)
  const { promotionMs, firstMs, allMs, acknowledged, refused, problems } = round
  console.log(
    `round ${number}: promoted after ${shown(promotionMs)}; first answer ${shown(firstMs)}, every caller ${shown(allMs)} later; ` +
      `${acknowledged} writes acknowledged, ${refused} calls refused, ${problems.length} writes lost or doubled`,
  )
  for (const problem of problems) console.log(`  ${problem}`)
}
const worst = Math.max(...all.map(({ allMs }) => allMs))
console.log(
  `every caller was answered again within ${shown(worst)} of the promotion's end; at most ${mostSeconds} s are wanted`,
)
if (worst > mostSeconds * 1000 || all.some(({ problems }) => problems.length > 0)) process.exitCode = 1

function shown(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

async function playRound(): Promise<Round> {
  const primary = await startThrowawayPostgres()
  const standby = await primary.startStandby()
  await primary.query('CREATE TABLE ledger (id int NOT NULL)')
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query('SELECT pg_reload_conf()')
  const synchronous = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`
  await until(async () => (await primary.query(synchronous)).length === 1, 'synchronous replication')
  const service = await startService([primary, standby])
  try {
    return await crashUnderLoad(service.port, primary, standby)
  } finally {
    await service.stop()
    await standby.remove()
    await primary.remove()
  }
}

function startService(servers: readonly ThrowawayPostgres[]): ReturnType<typeof untilListening> {
  const folder = newFolder()
  writeFiles(join(folder, 'sql'), { 'crm/POST/add.sql': 'INSERT INTO ledger (id) VALUES (CAST(:id AS int))' })
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const url = `${(servers[0] as ThrowawayPostgres).url.replace(/[^@]*$/, '')}${hosts}/postgres?target_session_attrs=read-write`
  const config = { sql_dir: 'sql', server: { bind: '127.0.0.1:0' }, datasources: [{ name: 'crm', url }] }
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(config))
  const command = [process.execPath, join(import.meta.dirname, '../bin/sqlapi.js')]
  return untilListening(spawnProcess({ command, cwd: folder }))
}

async function crashUnderLoad(port: number, primary: ThrowawayPostgres, standby: ThrowawayPostgres): Promise<Round> {
  const ledger = new Ledger()
  const ending = new AbortController()
  const answeredAt = Array.from({ length: callers }, () => 0)
  let acknowledged = 0
  let refused = 0
  const lives = answeredAt.map(async (_, caller) => {
    const agent = new Agent({ keepAlive: true })
    while (!ending.signal.aborted) {
      const [id] = ledger.take(1) as [number]
      const { status } = await call(port, '/crm/add', { body: { id }, agent })
      ledger.note('soak', [id], status === 200 ? 'whole' : 'unknown')
      if (status === 200) {
        acknowledged++
        answeredAt[caller] = performance.now()
      } else refused++
    }
    agent.destroy()
  })
  await until(() => acknowledged > 2000, 'the first writes')
  const crashed = performance.now()
  await primary.crash()
  await standby.query('SELECT pg_promote(true, 60)')
  const promoted = performance.now()
  const first: number[] = Array.from({ length: callers }, () => 0)
  await until(() => {
    for (const [caller, at] of answeredAt.entries()) if (first[caller] === 0 && at > promoted) first[caller] = at
    return first.every((at) => at > 0)
  }, 'an answer for every caller')
  ending.abort()
  await Promise.all(lives)
  const rows = (await standby.query('SELECT id FROM ledger')) as unknown as readonly { id: number }[]
  return {
    promotionMs: promoted - crashed,
    firstMs: Math.min(...first) - promoted,
    allMs: Math.max(...first) - promoted,
    acknowledged,
    refused,
    problems: ledger.compare(
      'soak',
      rows.map(({ id }) => id),
    ),
  }
}
