/** Replicas that take reads: a primary and its standbys, real ones, and what goes where. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { call, until } from '@services/testing'
import { startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import type { ThrowawayPostgres } from '@services/testing/postgres'
import { startWithAdmin, startWorkersWithAdmin } from '../../support/admin.ts'
import { type Pair, startReplication, untilCaughtUp } from '../../support/replication.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const port = `SELECT current_setting('port') AS port`

const files = {
  'demo/GET/where.sql': port,
  'demo/GET/two.sql': `SELECT 1 AS one; ${port}`,
  'demo/GET/together.sql': `-- @transactional\nSELECT 1 AS one; ${port}`,
  'demo/GET/limited.sql': `-- @timeout 600s\n${port}`,
  'demo/POST/where.sql': port,
  'demo/POST/marked.sql': `-- @replica\n${port}`,
  'demo/POST/marked-writes.sql': `-- @replica\nINSERT INTO note VALUES (CAST(:x AS int)) RETURNING current_setting('port') AS port`,
  'demo/GET/writes.sql': `INSERT INTO note VALUES (0) RETURNING current_setting('port') AS port`,
  'demo/GET/mixed.sql': `INSERT INTO note VALUES (0); ${port}`,
  'demo/GET/locks.sql': `SELECT current_setting('port') AS port FROM note WHERE x = 1 FOR UPDATE`,
  'demo/GET/session.sql': `SELECT set_config('app.x', 'y', false), current_setting('port') AS port`,
  'demo/GET/sets.sql': `SET application_name = 'x'; ${port}`,
  'demo/GET/explains.sql': 'EXPLAIN SELECT 1',
  'demo/GET/next.sql': `SELECT nextval('counter') AS n, current_setting('port') AS port`,
  'demo/GET/hidden.sql': `SELECT remember(CAST(:x AS int)) AS x, current_setting('port') AS port`,
  'demo/GET/unlogged.sql': `SELECT count(*) AS n, current_setting('port') AS port FROM scratch`,
  'demo/GET/divide.sql': `SELECT 1 / CAST(:x AS int) AS y`,
  'demo/GET/count.sql': `SELECT count(*) AS n FROM note`,
  'demo/GET/long.sql': `SELECT count(*) AS n, CASE WHEN pg_is_in_recovery() THEN pg_sleep(600) END, current_setting('port') AS port FROM note`,
  'demo/POST/add.sql': 'INSERT INTO note VALUES (CAST(:x AS int))',
}

const schema = `CREATE TABLE note (x int); INSERT INTO note VALUES (1); CREATE SEQUENCE counter; CREATE UNLOGGED TABLE scratch (x int);
CREATE TABLE remembered (x int);
CREATE FUNCTION remember(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO remembered VALUES (x); RETURN x; END'`

/** A machine that is busy is no reason to leave a server. */
const patience = { acquire_timeout_seconds: 600, silence_timeout_seconds: 600 }

/** Services that the test at hand has started. */
const open: TestService[] = []

async function startService(datasource: Readonly<Record<string, unknown>>): Promise<TestService> {
  const service = await startTestService({ kind: 'postgres', files, datasource: { ...patience, ...datasource } })
  open.push(service)
  return service
}

async function portOf(service: TestService, path = '/demo/where'): Promise<number> {
  const { status, text } = await service.get(path)
  strictEqual(status, 200, text)
  return Number((JSON.parse(text) as [{ port: string }])[0].port)
}

function untilServedBy(service: TestService, server: ThrowawayPostgres): Promise<void> {
  return until(async () => (await portOf(service)) === server.port, `reads on ${server.port}`)
}

describe('a datasource with a replica', () => {
  let pair: Pair
  let primary: ThrowawayPostgres
  let standby: ThrowawayPostgres
  before(async () => {
    pair = await startReplication({ autovacuum: 'off', wal_receiver_timeout: '0', wal_sender_timeout: '0' })
    ;({ primary, standby } = pair)
    await primary.query(schema)
    await untilCaughtUp(pair)
  })
  after(() => pair.remove())
  afterEach(() => Promise.all(open.splice(0).map((service) => service.close())))

  async function start(fields: object = {}): Promise<TestService> {
    const service = await startService({ url: primary.url, replicas: [standby.url], ...fields })
    await untilServedBy(service, standby)
    return service
  }

  test('runs there what only reads of GET files and of files marked so, and everything else on the first [O4.2]', async () => {
    const service = await start()
    const post = async (path: string, body: object): Promise<number> => {
      const { status, text } = await service.post(path, body)
      strictEqual(status, 200, text)
      return Number(/"port":"(\d+)"/.exec(text)?.[1])
    }
    for (let round = 0; round < 5; round++) {
      for (const path of ['where', 'two', 'together', 'limited']) {
        strictEqual(await portOf(service, `/demo/${path}`), standby.port, path)
      }
      strictEqual(await post('/demo/marked', {}), standby.port)
      strictEqual(await post('/demo/marked/batch', { queries: [{}, {}] }), standby.port)
      strictEqual(await post('/demo/where', {}), primary.port)
      strictEqual(await post('/demo/where/batch', { queries: [{}] }), primary.port)
      strictEqual(await post('/demo/marked-writes', { x: 7 }), primary.port)
      for (const path of ['writes', 'mixed', 'locks', 'session', 'sets']) {
        strictEqual(await portOf(service, `/demo/${path}`), primary.port, path)
      }
      strictEqual((await service.get('/demo/explains')).status, 200)
    }
  })

  test('sends a statement that a standby cannot run to the first for good, and each call runs once [O4.2]', async () => {
    const service = await start()
    for (let n = 1; n <= 5; n++) {
      deepStrictEqual(JSON.parse((await service.get('/demo/next')).text), [{ n, port: String(primary.port) }])
      deepStrictEqual(JSON.parse((await service.get(`/demo/hidden?x=${n}`)).text), [
        { x: n, port: String(primary.port) },
      ])
      strictEqual(await portOf(service, '/demo/unlogged'), primary.port)
    }
    deepStrictEqual(
      await primary.query('SELECT x FROM remembered'),
      [1, 2, 3, 4, 5].map((x) => ({ x })),
    )
    deepStrictEqual(
      service.log.filter((line) => line.includes('Statement failed')),
      [],
    )
    strictEqual(await portOf(service), standby.port)
  })

  test(
    'does the same behind poolers in transaction mode [O4.2] [O4.3]',
    { skip: withoutPgbouncer ?? false },
    async () => {
      const inTransactions = { pool_mode: 'transaction', default_pool_size: '2' }
      const [first, other] = [await startPgbouncer(primary.url, inTransactions), await startPgbouncer(standby.url, inTransactions)] // prettier-ignore
      const url = first.through(primary.url)
      const service = await start({ url, replicas: [other.through(standby.url)], pooler: 'transaction' })
      const before = await primary.query('SELECT count(*)::int AS n FROM remembered')
      for (let n = 1; n <= 3; n++) {
        const together = await Promise.all(Array.from({ length: 30 }, () => portOf(service)))
        deepStrictEqual([...new Set(together)], [standby.port])
        for (const path of ['two', 'together', 'limited']) {
          strictEqual(await portOf(service, `/demo/${path}`), standby.port, path)
        }
        match((await service.post('/demo/marked/batch', { queries: [{}, {}] })).text, new RegExp(`"${standby.port}"`))
        for (const path of ['writes', 'mixed', 'locks', 'next', 'hidden?x=1', 'unlogged']) {
          strictEqual(await portOf(service, `/demo/${path}`), primary.port, path)
        }
        for (const path of ['session', 'sets']) strictEqual((await service.get(`/demo/${path}`)).status, 400, path)
      }
      const [was, is] = [before, await primary.query('SELECT count(*)::int AS n FROM remembered')]
      strictEqual((is[0]?.['n'] as number) - (was[0]?.['n'] as number), 3)
      await Promise.all(open.splice(0).map((each) => each.close()))
      await Promise.all([first.stop(), other.stop()])
    },
  )

  test('answers an error of a read as it is [O4.2]', async () => {
    const service = await start()
    for (let round = 0; round < 5; round++) match((await service.get('/demo/divide?x=0')).text, /22012/)
    strictEqual(service.log.filter((line) => line.includes('Statement failed')).length, 5)
    strictEqual(await portOf(service), standby.port)
  })

  test('repeats on the first what the replay has cancelled on the replica [O4.2]', async () => {
    const cancelling = async (delay: string): Promise<void> => {
      await standby.query(`ALTER SYSTEM SET max_standby_streaming_delay = ${delay}`)
      await standby.query('SELECT pg_reload_conf()')
    }
    await cancelling('0')
    const service = await start()
    const answer = service.get('/demo/long')
    const sleeping = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
    await until(async () => (await standby.query(sleeping)).length === 1, 'the statement to sleep')
    await primary.query('DELETE FROM note')
    await primary.query('VACUUM note')
    const { status, text } = await answer
    strictEqual(status, 200, text)
    deepStrictEqual((JSON.parse(text) as [{ port: string }])[0].port, String(primary.port))
    await cancelling('DEFAULT')
  })

  test('turns away from a replica that is too far behind, and back [O4.2]', async () => {
    const service = await start({ max_replica_lag_bytes: 1000 })
    await standby.query('SELECT pg_wal_replay_pause()')
    await primary.query('INSERT INTO note SELECT generate_series(1, 1000)')
    await untilServedBy(service, primary)
    const [row] = await primary.query('SELECT count(*)::int AS n FROM note')
    deepStrictEqual(JSON.parse((await service.get('/demo/count')).text), [row])
    ok(service.log.some((line) => /WARN.*replica is not used.*demo\.replicas\[0\].*bytes behind/.test(line)))
    await standby.query('SELECT pg_wal_replay_resume()')
    await untilServedBy(service, standby)
    ok(service.log.some((line) => /INFO.*replica is used again.*demo\.replicas\[0\]/.test(line)))
    ok(!service.log.join('\n').match(/p@ss|p%40ss/))
  })

  test('turns away from a replica that is cut off from its primary, and back [O4.2]', async () => {
    const service = await start()
    const [row] = await standby.query('SHOW primary_conninfo')
    const follow = async (source: string): Promise<void> => {
      await standby.query(`ALTER SYSTEM SET primary_conninfo = '${source}'`)
      await standby.query('SELECT pg_reload_conf()')
    }
    await follow('host=127.0.0.1 port=1')
    await untilServedBy(service, primary)
    ok(service.log.some((line) => /WARN.*is cut off from its primary/.test(line)))
    await follow(String(row?.['primary_conninfo']))
    await untilServedBy(service, standby)
  })

  test('of a replica that goes down no read fails, and it is used again once it is up [O4.2]', async () => {
    const service = await start({ max_connections: 4 })
    const ending = new AbortController()
    const statuses = new Set<number>()
    const readers = Array.from({ length: 8 }, async () => {
      while (!ending.signal.aborted) statuses.add((await service.get('/demo/where')).status)
    })
    await standby.crash()
    await untilServedBy(service, primary)
    await standby.start()
    await untilServedBy(service, standby)
    ending.abort()
    await Promise.all(readers)
    deepStrictEqual([...statuses], [200])
  })

  test('without any replica that can be reached the first takes everything [O4.2]', async () => {
    const replicas = ['postgres://nobody:hunter2@127.0.0.1:1/x', 'postgres://nobody:hunter2@127.0.0.1:1/y']
    const service = await startService({ url: primary.url, replicas })
    await until(() => service.log.filter((line) => line.includes('replica is not used')).length === 2, 'two warnings')
    strictEqual(await portOf(service), primary.port)
    ok(!service.log.join('\n').includes('hunter2'))
  })

  for (const workers of [1, 2]) {
    test(`shows in /ready and in the metrics, workers: ${workers} [O4.2] [O1.2] [O1.3]`, async () => {
      const own = { name: 'demo', url: primary.url, replicas: [standby.url, 'postgres://x:hunter2@127.0.0.1:1/x'] }
      const service = await startWorkersWithAdmin({ files, config: { datasources: [own], server: { workers } } })
      await service.untilReady('ready')
      const states = async (): Promise<string[]> =>
        (await service.ready()).parts.map(({ name, kind, state, optional }) => `${name} ${kind} ${state} ${optional}`)
      const expected = [
        'demo datasource up false',
        'demo.replicas[0] replica up true',
        'demo.replicas[1] replica down true',
      ]
      await until(async () => (await states()).join() === expected.join(), 'the states')
      ok(!(await service.admin('/ready')).text.match(/hunter2|127\.0\.0\.1/))
      await until(
        async () => (await call(service.port, '/demo/where')).text.includes(String(standby.port)),
        'the replica',
      )
      await call(service.port, '/demo/next')
      const value = async (series: string): Promise<number | undefined> => (await service.samples()).get(series)
      await until(async () => (await value('sqlapi_replica_up{datasource="demo.replicas[0]"}')) === 1, 'up')
      strictEqual(await value('sqlapi_replica_up{datasource="demo.replicas[1]"}'), 0)
      ok(((await value('sqlapi_replica_lag_bytes{datasource="demo.replicas[0]"}')) ?? -1) >= 0)
      await until(async () => {
        await call(service.port, '/demo/unlogged')
        return ((await value('sqlapi_replica_retries_total{datasource="demo.replicas[0]"}')) ?? 0) >= 1
      }, 'a call that the first did')
      ok(((await value('sqlapi_calls_total{datasource="demo.replicas[0]",lane="alone"}')) ?? 0) >= 1)
      await service.stop()
    })
  }

  test('that reads go to in turn [O4.2]', async (context) => {
    const other = await primary.startStandby()
    context.after(() => other.remove())
    const service = await startService({ url: primary.url, replicas: [standby.url, other.url] })
    const seen = async (count: number): Promise<number[]> => {
      const ports: number[] = []
      while (ports.length < count) ports.push(await portOf(service))
      return ports
    }
    await until(
      async () => new Set(await seen(2)).size === 2 && !(await seen(4)).includes(primary.port),
      'both replicas',
    )
    const ports = await seen(6)
    deepStrictEqual(ports, [...ports.slice(0, 2), ...ports.slice(0, 2), ...ports.slice(0, 2)])
    // A standby that becomes a primary of its own is no replica any more.
    await other.query('SELECT pg_promote(true, 120)')
    await until(async () => (await seen(4)).every((each) => each === standby.port), 'the one that is left')
    ok(service.log.some((line) => /replicas\[1\].*is (?:not a standby|cut off)/.test(line)))
  })

  test('whose URL leads to the first server, while there is no standby, reads there [O4.2]', async () => {
    const url = primary.url.replace(
      /[^@]*$/,
      `127.0.0.1:1,127.0.0.1:${primary.port}/postgres?target_session_attrs=prefer-standby`,
    )
    const datasource = { url: primary.url, replicas: [url] }
    const service = await startWithAdmin({ files, config: { datasources: [{ name: 'demo', ...datasource }] } })
    const series = 'sqlapi_replica_up{datasource="demo.replicas[0]"}'
    await until(async () => (await service.samples()).get(series) === 1, 'the replica')
    strictEqual((await call(service.port, '/demo/where')).status, 200)
    await service.stop()
  })
})
