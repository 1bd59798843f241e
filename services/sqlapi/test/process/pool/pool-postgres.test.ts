/** Who gets a connection to a real PostgreSQL, and in which state, seen by another client of the server. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Reply, call, elapsed, errorOf, randomFrom, repeat, until } from '@services/testing'
import { type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import pg from 'pg'
import { inProject, transferAtRandom, transfers } from '../../support/pool/pool-transfers.ts'
import { type Running, startSqlapi } from '../../support/process.ts'

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

describe('PostgreSQL', () => {
  let postgres: ThrowawayPostgres
  let running: Running
  let observer: pg.Client
  let port = 0
  const files = {
    'GET/one.sql': 'SELECT 1 AS one',
    'POST/echo.sql': 'SELECT cast(:x AS int) AS x',
    'POST/sleep.sql': 'SELECT 1 AS slept FROM pg_sleep(:s)',
    'POST/varying.sql': 'SELECT 1 AS slept FROM pg_sleep(:s)',
    'POST/add.sql': '-- @transactional\nUPDATE accounts SET balance = balance + 1; SELECT 1 AS slept FROM pg_sleep(:s)',
    'POST/pid.sql': 'SELECT pg_backend_pid() AS pid',
    'POST/note.sql': 'INSERT INTO notes SELECT cast(:x AS int) FROM pg_sleep(:s)',
    ...transfers,
  }

  before(async () => {
    // Transfers in opposite directions lock each other out, which is found out soon here.
    postgres = await startThrowawayPostgres({ deadlock_timeout: '10ms' })
    observer = new pg.Client({ connectionString: postgres.url, application_name: 'observer' })
    await observer.connect()
    const source = (name: string, others: object): object => ({
      name,
      url: `${postgres.url}?application_name=pool-${name}`,
      ...others,
    })
    running = await startSqlapi({
      files: Object.assign({}, ...['wide', 'narrow'].map((project) => inProject(project, files))) as Record<
        string,
        string
      >,
      config: {
        datasources: [
          source('wide', { max_connections: 4, acquire_timeout_seconds: 20 }),
          source('narrow', { max_connections: 1, acquire_timeout_seconds: 1 }),
          source('queue', { max_connections: 1, acquire_timeout_seconds: 20 }),
          source('ten', { max_connections: 10 }),
        ],
      },
    })
    port = running.port
  })
  after(async () => {
    strictEqual(running.stderr(), '')
    const { code } = await running.stop()
    strictEqual(code, 0)
    await observer.end()
    await postgres.remove()
  })

  async function backends(name: string, condition = 'true'): Promise<number> {
    const sql = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1 AND ${condition}`
    const { rows } = await observer.query<{ n: number }>(sql, [`pool-${name}`])
    return rows[0]?.n ?? 0
  }

  const sleeping = (name: string): Promise<number> => backends(name, "state = 'active' AND query LIKE '%pg_sleep%'")
  const run = (path: string, body: unknown, options = {}): Promise<Reply> => call(port, path, { body, ...options })
  const viaQueue = { headers: { 'x-datasource': 'queue' } }

  /** A request that can be given up; `undefined` when it was. */
  function abortable(path: string, body: unknown, options = {}) {
    const controller = new AbortController()
    const answer = run(path, body, { ...options, signal: controller.signal }).catch(() => undefined)
    return { answer, abort: () => controller.abort() }
  }

  test('never more connections than allowed [D6.5] [S-limits.max_connections] [S-config.datasources.max_connections]', async (t) => {
    const next = randomFrom(1)
    let most = 0
    const watching = repeat(t, 1, async () => {
      most = Math.max(most, await backends('wide'))
      await sleep(2)
    })
    const requests = Array.from({ length: 200 }, async (_, i) => {
      await sleep(next() * 400)
      const { answer, abort } =
        i % 3 === 0 ? abortable('/wide/echo', { x: i }) : abortable('/wide/sleep', { s: next() / 30 })
      if (i % 5 === 0) setTimeout(abort, next() * 50)
      return answer
    })
    const answers = await Promise.all(requests)
    await watching.end()
    for (const answer of answers) if (answer !== undefined) strictEqual(answer.status, 200, answer.text)
    strictEqual(most, 4)
  })

  test('an exhausted pool says so after the time, and only to who needs it [S-limits.acquire_timeout_seconds] [S-error.BadSqlGrammarException] [D6.5]', async () => {
    const first = abortable('/narrow/sleep', { s: 30 })
    await until(async () => (await sleeping('narrow')) === 1, 'a statement that runs')
    const since = elapsed()
    const waiting = Promise.all([run('/narrow/echo', { x: 1 }), run('/narrow/echo/batch', { queries: [{ x: 1 }] })])
    const atOnce = {
      MalformedRequestException: [run('/narrow/echo', '{'), run('/narrow/echo', '[]'), run('/narrow/echo/batch', {})],
      InvalidDataAccessApiUsageException: [
        run('/narrow/echo', {}),
        run('/narrow/echo/batch', { queries: [{ x: 1 }, {}] }),
        run('/narrow/transfer', { from: 1, to: 2 }),
      ],
      SqlapiRuntimeException: [run('/narrow/none', {}), call(port, '/narrow/echo')],
      UnknownDataSourceNameException: [run('/narrow/echo', { x: 1 }, { headers: { 'x-datasource': 'x' } })],
      BadSqlGrammarException: [run('/narrow/echo', '{"x":99999999999999999999}')],
    }
    for (const [error, answers] of Object.entries(atOnce)) {
      for (const answer of await Promise.all(answers)) {
        strictEqual(errorOf(answer), error, answer.text)
        ok(!answer.text.includes('became free'), answer.text)
      }
    }
    strictEqual((await call(port, '/health')).status, 200)
    strictEqual((await run('/wide/echo', { x: 1 })).status, 200)
    for (const answer of await waiting) {
      deepStrictEqual([answer.status, errorOf(answer)], [400, 'BadSqlGrammarException'])
      match(answer.text, /narrow.*1 s/)
    }
    ok(since() > 900, `the pool's answer came after ${since()} ms`)
    first.abort()
    await until(async () => (await run('/narrow/echo', { x: 1 })).status === 200, 'the connection to be free')
  })

  test('the statement of a client that goes away is cancelled and its connection used again [D6.7] [S-errors.2]', async () => {
    const pid = (await run('/narrow/pid', {}, viaQueue)).text
    const { answer, abort } = abortable('/narrow/sleep', { s: 60 }, viaQueue)
    await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
    abort()
    strictEqual(await answer, undefined)
    await until(async () => (await sleeping('queue')) === 0, 'the statement to be cancelled')
    strictEqual((await run('/narrow/pid', {}, viaQueue)).text, pid)
    strictEqual(await backends('queue', "state = 'idle'"), 1)
  })

  test('the same in a batch and in a file with a transaction: nothing of them remains [D6.7]', async () => {
    await run('/narrow/setup', {}, viaQueue)
    const kinds: [string, unknown][] = [
      ['/narrow/add/batch', { queries: [{ s: 0 }, { s: 60 }] }],
      // The plan is known by now, so these are all under way at once.
      ['/narrow/add/batch', { queries: [{ s: 60 }, ...Array.from({ length: 150 }, () => ({ s: 0 }))] }],
      ['/narrow/add', { s: 60 }],
    ]
    for (const [path, body] of kinds) {
      const { abort } = abortable(path, body, viaQueue)
      await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
      abort()
      await until(async () => (await sleeping('queue')) === 0, 'the statement to be cancelled')
      strictEqual((await run('/narrow/echo', { x: 1 }, viaQueue)).status, 200)
      strictEqual(await backends('queue', "state LIKE 'idle in transaction%'"), 0)
    }
    strictEqual((await call(port, '/narrow/total', viaQueue)).text, '[{"total":500,"n":5}]')
    await observer.query('DROP TABLE accounts')
  })

  test('a client that goes away while it waits frees its place [D6.7]', async () => {
    const first = run('/narrow/sleep', { s: 0.6 }, viaQueue)
    await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
    // Had one of them kept its place, the last one would wait longer than any test may take.
    const waiting = Array.from({ length: 5 }, () => abortable('/narrow/sleep', { s: 3600 }, viaQueue))
    await sleep(100)
    const last = run('/narrow/echo', { x: 7 }, viaQueue)
    for (const { abort } of waiting) abort()
    strictEqual((await first).status, 200)
    strictEqual((await last).text, '[{"x":7}]')
  })

  test('a statement that used to be short is cancelled as well [D6.7]', async () => {
    for (let i = 0; i < 8; i++) strictEqual((await run('/narrow/varying', { s: 0 }, viaQueue)).status, 200)
    const { abort } = abortable('/narrow/varying', { s: 6 }, viaQueue)
    await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
    abort()
    await until(async () => (await sleeping('queue')) === 0, 'the statement to be cancelled')
  })

  test('a hundred clients that leave at any moment leak nothing [D6.7]', async () => {
    const next = randomFrom(7)
    const bodies: [string, () => unknown][] = [
      ['/wide/sleep', () => ({ s: next() / 10 })],
      ['/wide/echo', () => ({ x: 1 })],
      ['/wide/sleep/batch', () => ({ queries: [{ s: 0.02 }, { s: next() / 20 }] })],
    ]
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        await sleep(next() * 200)
        const [path, body] = bodies[i % bodies.length] as [string, () => unknown]
        const { answer, abort } = abortable(path, body())
        setTimeout(abort, next() * 60)
        await answer
      }),
    )
    const four = Array.from({ length: 4 }, () => abortable('/wide/sleep', { s: 3600 }))
    await until(async () => (await sleeping('wide')) === 4, 'all four to run at once')
    for (const { abort } of four) abort()
    ok((await backends('wide')) <= 4)
    await until(async () => (await backends('wide', "state <> 'idle'")) === 0, 'every connection idle')
  })

  test('five callers that hold their statements leave 64 others on connections of their own, and few [D6.5]', async () => {
    const viaTen = { headers: { 'x-datasource': 'ten' } }
    for (let i = 0; i < 8; i++) strictEqual((await run('/wide/pid', {}, viaTen)).status, 200)
    const slow = Array.from({ length: 5 }, () => abortable('/wide/sleep', { s: 60 }, viaTen))
    await until(async () => (await sleeping('ten')) === 5, 'five statements that run')
    const fast = await Promise.all(Array.from({ length: 64 }, () => pidsOf(10, viaTen)))
    // Whoever had been put behind one of them would still be waiting.
    strictEqual(await sleeping('ten'), 5, 'they are still at it')
    const held = await pidsSleeping('ten')
    const used = new Set(fast.flat())
    deepStrictEqual(
      held.filter((pid) => used.has(pid)),
      [],
    )
    ok(used.size <= 5, `${used.size} connections`)
    for (const { abort } of slow) abort()
    await until(async () => (await sleeping('ten')) === 0, 'the statements to be cancelled')
  })

  /** The backends that answer so many calls, one after the other. */
  async function pidsOf(calls: number, options: object): Promise<number[]> {
    const pids: number[] = []
    for (let i = 0; i < calls; i++) {
      const { text } = await run('/wide/pid', {}, options)
      pids.push(Number(/\d+/.exec(text)?.[0]))
    }
    return pids
  }

  async function pidsSleeping(name: string): Promise<number[]> {
    const sql = `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND state = 'active' AND query LIKE '%pg_sleep%'`
    const { rows } = await observer.query<{ pid: number }>(sql, [`pool-${name}`])
    return rows.map(({ pid }) => pid)
  }

  test('whoever leaves a pipeline, at whatever moment, takes no neighbour along [D6.7]', async () => {
    for (let i = 0; i < 8; i++) {
      await run('/narrow/varying', { s: 0 }, viaQueue)
      await run('/narrow/echo', { x: i }, viaQueue)
    }
    const next = randomFrom(3)
    for (let round = 0; round < 40; round++) {
      const leaving = [0, 0.01, 0].map((s) => abortable('/narrow/varying', { s }, viaQueue))
      const staying = Array.from({ length: 12 }, (_, x) => run('/narrow/echo', { x }, viaQueue))
      for (const { abort } of leaving) setTimeout(abort, next() * 15)
      for (const [x, answer] of (await Promise.all(staying)).entries()) strictEqual(answer.text, `[{"x":${x}}]`)
      for (const { answer } of leaving) strictEqual((await answer)?.status ?? 200, 200)
    }
  })

  test('a backend that ends with a pipeline in flight: each call is told, none runs twice, the next is served [D6.4]', async () => {
    await observer.query('CREATE TABLE notes (x int)')
    for (let i = 0; i < 8; i++) strictEqual((await run('/narrow/note', { x: -1, s: 0 }, viaQueue)).status, 200)
    const first = run('/narrow/note', { x: 0, s: 60 }, viaQueue)
    const others = Array.from({ length: 30 }, (_, x) => run('/narrow/note', { x: x + 1, s: 0 }, viaQueue))
    await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
    await observer.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY($1)', [
      await pidsSleeping('queue'),
    ])
    const answers = await Promise.all([first, ...others])
    strictEqual(errorOf(answers[0]), 'BadSqlGrammarException')
    const { rows } = await observer.query<{ x: number }>('SELECT x FROM notes WHERE x >= 0 ORDER BY x')
    const done = answers.flatMap(({ status }, x) => (status === 200 ? [x] : []))
    deepStrictEqual(
      rows.map(({ x }) => x),
      done,
    )
    strictEqual((await run('/narrow/echo', { x: 1 }, viaQueue)).text, '[{"x":1}]')
    await observer.query('DROP TABLE notes')
  })

  test('short statements next to slow ones are not delayed', async () => {
    for (let i = 0; i < 8; i++) {
      await run('/wide/echo', { x: i })
      await run('/wide/varying', { s: 0 })
    }
    // Known to be slow, unknown so far, and short until now.
    const slow = [abortable('/wide/sleep', { s: 3600 }), abortable('/wide/varying', { s: 3600 })]
    await until(async () => (await sleeping('wide')) === 2, 'two statements that run')
    await sleep(50)
    for (let i = 0; i < 60; i++) strictEqual((await run('/wide/echo', { x: i })).text, `[{"x":${i}}]`)
    strictEqual(await sleeping('wide'), 2, 'they are still at it')
    for (const { abort } of slow) abort()
    await until(async () => (await sleeping('wide')) === 0, 'the statements to be cancelled')
  })

  test('transfers at random add up [S-batch.2] [S-marker.1]', async () => transferAtRandom(port, 'wide', 11))
})
