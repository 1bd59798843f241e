/**
 * The admin listener: its pages, readiness, and the end that is announced and delayed. A real PostgreSQL; processes for
 * workers and signals.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { call, errorOf, isRefused, until } from '@services/testing'
import { holdLock, type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { startProcessWithAdmin, startWorkersWithAdmin } from '../../support/admin.ts'
import { startInside } from '../../support/inside.ts'
import { startSqlapi } from '../../support/process.ts'

const files = {
  'lite/GET/one.sql': 'SELECT 1 AS one',
  'pg/GET/one.sql': 'SELECT 1 AS one',
  'pg/POST/held.sql': 'SELECT 1 AS one FROM pg_advisory_xact_lock(:key)',
}
const lite = { name: 'lite', url: 'sqlite:lite.db' }

let postgres: ThrowawayPostgres
before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

describe('the listener', () => {
  test('without `admin` there is none [O1.1]', async () => {
    const service = await startInside({ files, config: { datasources: [lite] } })
    for (const path of ['/ready', '/metrics', '/version']) {
      strictEqual(errorOf(await call(service.port, path)), 'SqlapiRuntimeException', path)
    }
    const { stdout } = await service.stop()
    ok(!stdout.includes('Admin'))
  })

  for (const workers of [1, 2]) {
    test(`its pages, workers: ${workers} [O1.1]`, async () => {
      const service = await startWorkersWithAdmin({ files, config: { datasources: [lite], server: { workers } } })
      const health = JSON.parse((await service.admin('/health')).text) as Record<string, unknown>
      const known = JSON.parse((await call(service.port, '/health')).text) as Record<string, unknown>
      deepStrictEqual({ ...health, serverTime: 0 }, { ...known, serverTime: 0 })
      const version = JSON.parse((await service.admin('/version')).text) as Record<string, string>
      deepStrictEqual(version, { name: 'sqlapi', version: known['version'], node: process.version })
      strictEqual((await service.admin('/lite/one')).status, 404)
      strictEqual(errorOf(await call(service.port, '/metrics')), 'SqlapiRuntimeException')
      await service.stop()
    })
  }

  test('a port that is taken, or that of the callers, stops the start [O1.1]', async () => {
    const taken = createServer()
    taken.listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const start = (bind: string, admin: string): Promise<unknown> =>
      startInside({ files, config: { server: { bind }, admin: { bind: admin }, datasources: [lite] } })
    const name = 'ListenException'
    await rejects(start('127.0.0.1:0', `127.0.0.1:${port}`), {
      name,
      message: /admin\.bind 127\.0\.0\.1:\d+ is in use/,
    })
    await rejects(start(`127.0.0.1:${port}`, `0.0.0.0:${port}`), {
      name: 'InvalidConfigurationException',
      message: /admin\.bind: port \d+ is that of the callers/,
    })
    taken.close()
  })
})

for (const workers of [1, 2]) {
  describe(`readiness, workers: ${workers}`, () => {
    const server = { workers }

    test('follows the databases, but for optional ones [O1.2]', async () => {
      const own = await startThrowawayPostgres()
      const datasources = [
        { name: 'pg', url: own.url, acquire_timeout_seconds: 2 },
        { name: 'gone', url: 'postgres://nobody:hunter2@127.0.0.1:1/x', optional: true },
        lite,
      ]
      const service = await startWorkersWithAdmin({ files, config: { datasources, server } })
      await service.untilReady('ready')
      const { code, parts } = await service.ready()
      deepStrictEqual(
        [code, parts.map(({ name, kind, state, optional }) => [name, kind, state, optional])],
        [
          200,
          [
            ['pg', 'datasource', 'up', false],
            ['gone', 'datasource', 'down', true],
            ['lite', 'datasource', 'up', false],
          ],
        ],
      )
      ok(!(await service.admin('/ready')).text.match(/hunter2|127\.0\.0\.1|nobody/), 'no host, no user, no password')
      await own.stop()
      await service.untilReady('not_ready')
      strictEqual((await service.ready()).code, 503)
      await own.start()
      await service.untilReady('ready')
      await service.stop()
      await own.remove()
    })

    test('a database that takes no further connection is up as long as calls succeed [O1.2]', async () => {
      const role = `few${workers}`
      await postgres.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT ${workers}`)
      const url = new URL(postgres.url)
      Object.assign(url, { username: role, password: 'x' })
      const datasources = [{ name: 'pg', url: url.href, max_connections: workers, acquire_timeout_seconds: 2 }]
      const service = await startWorkersWithAdmin({ files, config: { datasources, server } })
      // Each worker has to have its connection first: until then a question may have one of them for a moment.
      const succeeds = async (): Promise<boolean> => (await call(service.port, '/pg/one')).status === 200
      await until(async () => (await succeeds()) && (await succeeds()) && (await succeeds()), 'the pools to be open')
      // Without calls that succeed the database is asked, and has no connection left for the question.
      await until(async () => (await succeeds()) && (await service.ready()).status === 'ready', 'ready')
      const successes: number[] = []
      // On a busy machine calls may pause, and then it is right to doubt the database.
      const keptSucceeding = (): boolean => {
        const recent = successes.filter((time) => time > performance.now() - 3000)
        const gaps = [...recent, performance.now()].map(
          (time, index, all) => time - (all[index - 1] ?? successes[0] ?? 0),
        )
        return recent.length > 0 && successes[0] !== recent[0] && gaps.slice(1).every((gap) => gap < 700)
      }
      await until(async () => {
        strictEqual((await call(service.port, '/pg/one')).status, 200)
        successes.push(performance.now())
        const { status } = await service.ready()
        if (!keptSucceeding()) return false
        strictEqual(status, 'ready')
        return successes.length > 60
      }, 'a time in which calls kept succeeding')
      await service.stop()
    })
  })
}

describe('a database that says nothing', () => {
  test('keeps neither a scrape nor `/ready` waiting, and its address and password stand in neither [O1.3]', async () => {
    const silent = createServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const url = `postgres://somebody:hunter2@127.0.0.1:${port}/x`
    const waits = { acquire_timeout_seconds: 3600 }
    const service = await startProcessWithAdmin({
      files,
      config: { datasources: [{ name: 'pg', url, ...waits }], admin: { ready_timeout_seconds: 60 } },
    })
    let isAnswered = false
    const held = call(service.port, '/pg/one').then(
      () => (isAnswered = true),
      () => (isAnswered = true),
    )
    const waiting = async (): Promise<number> =>
      (await service.samples()).get('sqlapi_jobs_waiting{datasource="pg"}') ?? 0
    await until(async () => (await waiting()) === 1, 'the call to wait')
    const [ready, metrics] = await Promise.all([service.admin('/ready'), service.admin('/metrics')])
    ok(!isAnswered, 'the pages were faster than the database')
    deepStrictEqual([ready.status, metrics.status], [503, 200])
    ok(!/hunter2|somebody|127\.0\.0\.1/.test(ready.text + metrics.text), 'no host, no user, no password')
    service.kill('SIGKILL')
    await service.ended
    await held
    silent.close()
  })
})

for (const workers of [1, 2]) {
  describe(`the end, workers: ${workers}`, () => {
    const config = { datasources: [], server: { workers } }

    test('is announced at once; during the delay requests are taken, and a second signal ends it [O1.2]', async () => {
      const datasources = [{ name: 'pg', url: postgres.url }]
      const shutdown = { delay_seconds: 3600 }
      const service = await startProcessWithAdmin({ files, config: { ...config, datasources, shutdown } })
      await service.untilReady('ready')
      service.kill('SIGTERM')
      await service.line(/Shutting down/)
      const { code, status } = await service.ready()
      deepStrictEqual([code, status], [503, 'ending'])
      const answer = await call(service.port, '/pg/one', { headers: { connection: 'keep-alive' } })
      deepStrictEqual([answer.status, answer.headers.connection], [200, 'close'])
      service.kill('SIGTERM')
      const { signal, stdout } = await service.ended
      strictEqual(signal, 'SIGKILL')
      match(stdout, /second signal/)
    })

    test('comes after the delay, and the admin listener ends last [O1.2]', async () => {
      const datasources = [{ name: 'pg', url: postgres.url }]
      const shutdown = { delay_seconds: 1 }
      const service = await startProcessWithAdmin({ files, config: { ...config, datasources, shutdown } })
      const { key, release } = await holdLock(postgres)
      const held = call(service.port, '/pg/held', { body: { key } })
      await until(async () => {
        const found = await postgres.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'`)
        return found.length > 0
      }, 'the statement to wait')
      const begun = performance.now()
      service.kill('SIGTERM')
      await until(async () => isRefused(service.port), 'the port of the callers to close')
      ok(performance.now() - begun >= 1000, 'not before the delay is over')
      strictEqual((await service.ready()).status, 'ending', 'the admin port is still open')
      strictEqual((await service.admin('/metrics')).status, 200)
      await release()
      strictEqual((await held).status, 200)
      strictEqual((await service.ended).code, 0)
      await rejects(service.ready())
    })

    test('the delay needs no admin listener [O1.2]', async () => {
      const service = await startSqlapi({ files, config: { ...config, shutdown: { delay_seconds: 3600 } } })
      service.kill('SIGTERM')
      await service.line(/Shutting down/)
      const { status, headers } = await call(service.port, '/health')
      deepStrictEqual([status, headers.connection], [200, 'close'])
      service.kill('SIGTERM')
      strictEqual((await service.ended).signal, 'SIGKILL')
    })
  })
}
