/**
 * The life of the process: databases that are down, come and go while it runs, and its end on a signal. Real processes,
 * a real PostgreSQL that is stopped and started under them.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testEnd } from '@services/command-line/testing'
import { type Reply, call, errorOf, linesOf, repeat, until } from '@services/testing'
import { holdLock, type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { type Running, startSqlapi } from '../../support/process.ts'

const files = {
  'pg/GET/one.sql': 'SELECT 1 AS one',
  'pg/POST/sleep.sql': 'SELECT 1 AS slept FROM pg_sleep(:s)',
  'pg/POST/held.sql': 'SELECT 1 AS held FROM pg_advisory_xact_lock(:key)',
  'pg/POST/echo.sql': 'SELECT :x AS x',
  'lite/GET/one.sql': 'SELECT 1 AS one',
  'lite/GET/large.sql': "SELECT replace(hex(zeroblob(CAST(:n AS INTEGER))), '00', 'x') AS x",
  'lite/POST/count.sql':
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :n) SELECT max(n) AS n FROM c',
}
const lite = { name: 'lite', url: 'sqlite::memory:' }
/** Some seconds of work for SQLite. */
const long = { n: 20_000_000 }
/** Some hundred milliseconds of it. */
const short = { n: 1_000_000 }

let postgres: ThrowawayPostgres

before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

interface Started extends Running {
  /** What its connections are called in `pg_stat_activity`. */
  readonly name: string
}

let started = 0

async function start(config: Record<string, unknown> = {}): Promise<Started> {
  const name = `sqlapi-${++started}`
  const url = `${postgres.url}?application_name=${name}`
  const datasources = [{ name: 'pg', url, acquire_timeout_seconds: 3 }, lite]
  return { ...(await startSqlapi({ files, config: { datasources, ...config } })), name }
}

/** Runs SQL as the superuser, beside the service. */
function ask(sql: string): Promise<Record<string, unknown>[]> {
  return postgres.query(sql)
}

function active({ name }: Started): string {
  return `FROM pg_stat_activity WHERE application_name = '${name}' AND state = 'active' AND query ~ 'pg_sleep|pg_advisory'`
}

async function untilSleeping(running: Started): Promise<void> {
  await until(async () => (await ask(`SELECT 1 ${active(running)}`)).length > 0, 'a statement that runs')
}

/** Long enough for the service to have taken a request up that no database tells of. */
async function untilCounting(running: Running): Promise<void> {
  for (let i = 0; i < 3; i++) await call(running.port, '/health')
  await new Promise((resolve) => setTimeout(resolve, 50))
}

function warnings(running: Running): string[] {
  const lines = linesOf(running.stdout()).filter((line) => line.includes(' WARN '))
  return lines.filter((line) => !line.includes('Project without a datasource'))
}

describe('databases that come and go', () => {
  test('with every database down the service starts, tells so once and answers /health [S-endpoints.health] [D1.1] [D6.4]', async () => {
    const password = 'hunter2'
    const datasources = [
      { name: 'refused', url: `postgres://u:${password}@127.0.0.1:1/db` },
      { name: 'nofile', url: 'sqlite:missing.db?mode=ro' },
      { name: 'nofolder', url: 'sqlite:nowhere/at/all.db' },
    ]
    const running = await start({ datasources })
    await until(() => warnings(running).length === 3, 'three warnings')
    for (const { name } of datasources) {
      const own = warnings(running).filter((line) => line.includes(`datasource=${name} `))
      strictEqual(own.length, 1, running.stdout())
    }
    ok(!running.stdout().includes(password))
    for (const path of ['/health', '/healthz']) {
      const health = JSON.parse((await call(running.port, path)).text) as Record<string, unknown>
      deepStrictEqual([health['status'], health['appName']], ['UP', 'sqlapi'])
    }
    for (const { name } of datasources) {
      const answer = await call(running.port, '/lite/one', { headers: { 'x-datasource': name } })
      strictEqual(errorOf(answer), 'BadSqlGrammarException', answer.text)
      // Not the message of a request that waited for its time to be over.
      ok(!answer.text.includes('became free'), answer.text)
      ok(!answer.text.includes(password))
    }
    strictEqual(warnings(running).length, 3, 'requests do not warn again')
    const { code } = await running.stop()
    strictEqual(code, 0)
  })

  test('a database that is down at the start: quick refusals, recovery by itself [D6.4] [S-intro.7]', async (t) => {
    await postgres.stop()
    const running = await start()
    await until(() => warnings(running).length === 1, 'one warning')
    match(warnings(running)[0] ?? '', /datasource=pg /)
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(running.port, '/pg/one')))
    for (const answer of answers) {
      strictEqual(errorOf(answer), 'BadSqlGrammarException')
      // Not the message of a request that waited for its time to be over.
      ok(!answer.text.includes('became free'), answer.text)
    }
    strictEqual((await call(running.port, '/lite/one')).status, 200)
    await postgres.start()
    strictEqual((await call(running.port, '/pg/one')).text, '[{"one":1}]')

    await t.test('connections that died while nobody used them [D6.4]', async () => {
      await Promise.all(Array.from({ length: 8 }, () => call(running.port, '/pg/one')))
      await postgres.stop()
      strictEqual(errorOf(await call(running.port, '/pg/one')), 'BadSqlGrammarException')
      await postgres.start()
      const again = await Promise.all(Array.from({ length: 8 }, () => call(running.port, '/pg/one')))
      for (const answer of again) strictEqual(answer.text, '[{"one":1}]')
      await postgres.stop()
      await postgres.start()
      strictEqual((await call(running.port, '/pg/one')).status, 200, 'nobody asked meanwhile')
    })

    await t.test('connections that died under a statement [D6.4]', async () => {
      let answered = 0
      const sleeping = Array.from({ length: 4 }, async () => {
        const answer = await call(running.port, '/pg/sleep', { body: { s: 600 } })
        answered++
        return answer
      })
      await untilSleeping(running)
      // Some may begin later than others.
      await until(async () => {
        await ask(`SELECT pg_terminate_backend(pid) ${active(running)}`)
        return answered === sleeping.length
      }, 'answers to all of them')
      for (const answer of await Promise.all(sleeping)) strictEqual(errorOf(answer), 'BadSqlGrammarException')
      strictEqual((await call(running.port, '/pg/one')).text, '[{"one":1}]')
    })

    await t.test('a database that stops under many statements at once [D6.4]', async (t) => {
      const seen = new Set<string>()
      const clients = repeat(t, 20, async () => {
        const answer = await call(running.port, '/pg/echo', { body: { x: 1 } })
        seen.add(answer.status === 200 ? answer.text : errorOf(answer))
      })
      await until(() => seen.size > 0, 'answers')
      await postgres.stop()
      await until(() => seen.has('BadSqlGrammarException'), 'refusals')
      await postgres.start()
      strictEqual((await call(running.port, '/pg/echo', { body: { x: 2 } })).text, '[{"x":2}]')
      await clients.end()
      deepStrictEqual([...seen].toSorted(), ['BadSqlGrammarException', '[{"x":1}]'])
    })

    const { code, stderr } = await running.stop()
    deepStrictEqual([code, stderr], [0, ''])
    ok(!running.stdout().includes('InternalError'), running.stdout())
    const left = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${running.name}'`
    await until(async () => (await ask(left)).length === 0, 'no connection left')
  })

  test("a table that is missing is the first request's problem, and only until it is there [D6.4] [S-intro.7]", async () => {
    const running = await startSqlapi({
      files: { 'pg/GET/later.sql': 'SELECT count(*) AS n FROM later', 'lite/GET/later.sql': 'SELECT count(*) AS n FROM later',
        'lite/POST/make.sql': 'CREATE TABLE later (x)' }, // prettier-ignore
      config: { datasources: [{ name: 'pg', url: postgres.url }, lite] },
    })
    for (const project of ['pg', 'lite']) {
      strictEqual(errorOf(await call(running.port, `/${project}/later`)), 'BadSqlGrammarException')
    }
    await ask('CREATE TABLE later (x int)')
    strictEqual((await call(running.port, '/lite/make', { body: {} })).text, '[]')
    for (const project of ['pg', 'lite']) strictEqual((await call(running.port, `/${project}/later`)).text, '[{"n":0}]')
    await running.stop()
  })
})

testEnd({
  title: 'PostgreSQL and SQLite behind it [D6.6] [D6.7] [D6.8]',
  async start() {
    const running = await start()
    const { port } = running
    return {
      ...running,
      getPath: '/lite/one',
      postPath: '/pg/echo',
      large: { path: '/lite/large?n=20000000', length: '[{"x":""}]'.length + 20_000_000 },
      async hold() {
        const { key, release } = await holdLock(postgres)
        const onPostgres = call(port, '/pg/held', { body: { key } })
        const onSqlite = call(port, '/lite/count', { body: short })
        await untilSleeping(running)
        await untilCounting(running)
        const both = Promise.all([onPostgres, onSqlite])
        return { status: both.then((answers) => Math.max(...answers.map(({ status }) => status))), release }
      },
      async holdForever(signal) {
        const call = callSleep(port, signal)
        await untilSleeping(running)
        return { outcome: call.catch((error: unknown) => error) }
      },
    }
  },
})

function callSleep(port: number, signal?: AbortSignal): Promise<Reply> {
  return call(port, '/pg/sleep', { body: { s: 60 }, ...(signal ? { signal } : {}) })
}

describe('the end', { concurrency: 3 }, () => {
  test('a second signal ends it at once, whatever SQLite is doing [D6.6]', async () => {
    const running = await start()
    const counting = call(running.port, '/lite/count', { body: long }).catch((error: unknown) => error)
    await untilCounting(running)
    running.kill('SIGTERM')
    await running.line(/Shutting down/)
    running.kill('SIGTERM')
    const { code, stdout } = await running.ended
    match(linesOf(stdout).at(-1) ?? '', /WARN .*second signal/)
    ok(code !== 0)
    ok((await counting) instanceof Error)
  })

  test('a statement that takes long is waited for [D6.6]', async () => {
    const running = await start()
    const counting = call(running.port, '/lite/count', { body: { n: 6_000_000 } })
    const { key, release } = await holdLock(postgres)
    const other = call(running.port, '/pg/held', { body: { key } })
    await untilSleeping(running)
    await untilCounting(running)
    running.kill('SIGTERM')
    await running.line(/Shutting down/)
    strictEqual((await counting).status, 200)
    await release()
    strictEqual((await other).status, 200)
    strictEqual((await running.ended).code, 0)
  })
})
