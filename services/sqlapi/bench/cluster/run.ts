/**
 * `npm run cluster [-- --asynchronous] [--seconds N]`: three PostgreSQL nodes under Patroni with etcd, two processes of
 * sqlapi with all three hosts in their URL, haproxy in front, callers that write and read; then the leader is killed.
 * Ends with 1 where an acknowledged write is lost under synchronous replication, or any write is there twice. Its
 * figures are in docs/scaling.md.
 */
import { parseArgs } from 'node:util'
import { until } from '@services/testing'
import { startBalancer } from '@services/testing/haproxy'
import { startWithAdmin } from '../../test/support/admin.ts'
import { figuresOf, slowMs } from './figures.ts'
import { startLoad } from './load.ts'
import { leaderSeconds, missingPackages, startCluster } from './nodes.ts'

const { values } = parseArgs({ options: { asynchronous: { type: 'boolean' }, seconds: { type: 'string' } } })
const isSynchronous = values.asynchronous !== true
/** How long the callers call before the kill, and after writes are back. */
const seconds = Number(values.seconds ?? 10)
/** A failover takes the leader's key, some rounds of Patroni and a promotion. */
const mostSeconds = 6 * leaderSeconds

const missing = missingPackages()
if (missing.length > 0) {
  console.error(`npm run cluster wants packages of Debian that are not installed: apt-get install ${missing.join(' ')}`)
  process.exit(2)
}

const files = {
  'app/POST/note.sql': 'INSERT INTO note (id) VALUES (:id) RETURNING id',
  'app/GET/one.sql': 'SELECT 1 AS one',
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const say = (text: string): void => console.log(text)

say(`starting etcd and three nodes, ${isSynchronous ? 'synchronous' : 'asynchronous'} replication`)
const cluster = await startCluster({ isSynchronous })
try {
  await until(async () => (await cluster.leader()) !== undefined, 'a leader')
  if (isSynchronous) {
    const query = `SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`
    await until(async () => (await cluster.query(query)).length > 0, 'a synchronous standby')
  }
  // No key: what is written twice has to show.
  await cluster.query('CREATE TABLE note (id bigint)')
  const datasource = {
    name: 'app',
    url: cluster.url,
    optional: true,
    connect_timeout_seconds: 2,
    acquire_timeout_seconds: 5,
  }
  const services = await Promise.all([1, 2].map(() => startWithAdmin({ files, config: { datasources: [datasource] } })))
  const balancer = await startBalancer(services)
  const load = startLoad(balancer.port, { writers: 8, readers: 8 })
  await pause(seconds * 1000)
  const leader = await cluster.leader()
  if (leader === undefined) throw new Error('there is no leader')
  const killed = performance.now()
  leader.kill()
  say(`killed ${leader.name}, the leader, after ${load.calls.length} calls`)
  const isBack = (): boolean =>
    load.calls.some(({ kind, failure, started }) => kind === 'write' && failure === '' && started > killed)
  await until(() => Promise.resolve(isBack() || performance.now() - killed > mostSeconds * 1000), 'writes')
  await pause(seconds * 1000)
  await load.end()
  const found = (await cluster.query('SELECT id::text FROM note')).map(({ id }) => Number(id))
  const figures = figuresOf(load.calls, found, killed)
  const { failures, writesBackMs, longestMs } = figures
  say(
    `PostgreSQL ${cluster.version}, ${isSynchronous ? 'synchronous' : 'asynchronous'}: ${figures.calls} calls, ${figures.writes} of them writes`,
  )
  say(
    `lost ${figures.lost}, doubled ${figures.doubled}, failed ${figures.failed} (${figures.unknownThere} writes of these are there)`,
  )
  say(`slow (over ${slowMs} ms) ${figures.slow}, the longest ${Math.round(longestMs)} ms`)
  say(
    `writes were back after ${writesBackMs === undefined ? 'never' : `${(writesBackMs / 1000).toFixed(1)} s`}; the new leader is ${(await cluster.leader())?.name}`,
  )
  for (const [text, count] of failures.slice(0, 8)) say(`  ${count} x ${text}`)
  if ((isSynchronous && figures.lost > 0) || figures.doubled > 0 || writesBackMs === undefined) process.exitCode = 1
  await balancer.stop()
  for (const service of services) await service.stop()
} finally {
  await cluster.stop()
}
