/** A primary and a standby that follows it: two real PostgreSQL servers with streaming replication. */
import { until } from '@services/testing'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'

export interface Pair {
  readonly primary: ThrowawayPostgres
  readonly standby: ThrowawayPostgres
  remove(): Promise<void>
}

/** `settings` are those of both. */
export async function startReplication(settings: Readonly<Record<string, string>> = {}): Promise<Pair> {
  const primary = await startThrowawayPostgres(settings)
  const standby = await primary.startStandby()
  await untilStreaming(primary)
  return {
    primary,
    standby,
    async remove() {
      await standby.remove()
      await primary.remove()
    },
  }
}

function untilStreaming(primary: ThrowawayPostgres): Promise<void> {
  const query = `SELECT FROM pg_stat_replication WHERE state = 'streaming'`
  return until(async () => (await primary.query(query)).length > 0, 'the standby to stream')
}

/** From now on the primary acknowledges no write that the standby does not have. */
export async function replicateSynchronously({ primary }: Pair): Promise<void> {
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.query('SELECT pg_reload_conf()')
  const query = `SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`
  await until(async () => (await primary.query(query)).length > 0, 'synchronous replication')
}

/** Waits until the standby has all that the primary has written so far. */
export async function untilCaughtUp({ primary, standby }: Pair): Promise<void> {
  const [row] = await primary.query('SELECT pg_current_wal_lsn()::text AS lsn')
  const query = `SELECT FROM (SELECT pg_last_wal_replay_lsn() AS lsn) AS x WHERE lsn >= '${String(row?.['lsn'])}'`
  await until(async () => (await standby.query(query)).length > 0, 'the standby to catch up')
}

/** One URL for several servers, in this order: user, password and database are those of the first. */
export function urlOf(ports: readonly number[], { url }: ThrowawayPostgres, query = ''): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return url.replace(/[^@]*$/, `${hosts}/postgres`) + query
}
