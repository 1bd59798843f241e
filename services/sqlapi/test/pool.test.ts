/**
 * Who gets a connection, when, and in which state. First the pool by itself with connections that only pretend, at random
 * but repeatable; then the service over a real PostgreSQL and real SQLite files.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type ThrowawayPostgres, startThrowawayPostgres } from '../../../tools/throwaway-postgres.ts'
import { History } from '../src/database/history.ts'
import { type Connection, type Job, Pool, type PoolOptions } from '../src/database/pool.ts'
import type { Cancellation } from '../src/model.ts'
import {
  type Answer,
  call,
  elapsed,
  errorOf,
  linesOf,
  newFolder,
  type Running,
  startSqlapi,
  until,
} from './support/process.ts'

/** Repeatable chance: numbers from 0 to 1 (mulberry32). */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function uncancelled(): Cancellation {
  return { cancelled: false, onCancel: undefined }
}

function shortHistory(): History {
  const history = new History()
  for (let i = 0; i < 3; i++) history.record(0)
  return history
}

class Pretended implements Connection {
  isDirty = false
  isClosed = false
  inFlight = 0
  cleanings = 0
  cleaned = true

  async clean(): Promise<boolean> {
    this.cleanings++
    await sleep(0)
    this.isDirty = false
    return this.cleaned
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

function pretend(options: Partial<PoolOptions<Pretended>> = {}) {
  const opened: Pretended[] = []
  const pool = new Pool<Pretended>({
    name: 'demo',
    max: 2,
    maxConnections: 2,
    acquireTimeoutSeconds: 5,
    depth: 4,
    open: () => {
      opened.push(new Pretended())
      return Promise.resolve(opened.at(-1) as Pretended)
    },
    ...options,
  })
  return { pool, opened }
}

/** A job that stays on its connection until it is told to end. */
function held(settings: Partial<Job<Pretended, Pretended>> = {}) {
  const ending = Promise.withResolvers<void>()
  const started = Promise.withResolvers<Pretended>()
  const run = async (connection: Pretended): Promise<Pretended> => {
    started.resolve(connection)
    await ending.promise
    return connection
  }
  const job = { group: undefined, history: undefined, cancellation: uncancelled(), run, ...settings }
  return { job, started: started.promise, end: ending.resolve, fail: ending.reject }
}

describe('the pool by itself', { concurrency: true }, () => {
  test('[D6.5] opens no more than it may, opening ones included', async () => {
    const { pool, opened } = pretend({ max: 3 })
    const jobs = Array.from({ length: 10 }, () => held())
    const done = jobs.map(({ job }) => pool.run(job))
    await Promise.all(jobs.slice(0, 3).map(({ started }) => started))
    strictEqual(opened.length, 3)
    for (const { end } of jobs) end()
    strictEqual(new Set(await Promise.all(done)).size, 3)
    strictEqual(opened.length, 3)
    await pool.close()
    ok(opened.every(({ isClosed }) => isClosed))
  })

  test('[D6.5] the probe counts as well', async () => {
    const { pool, opened } = pretend({ max: 1 })
    const first = held()
    const running = pool.run(first.job)
    await pool.probe()
    await first.started
    first.end()
    await running
    strictEqual(opened.length, 1)
    await pool.close()
  })

  test('short jobs share a connection up to the depth, others never', async () => {
    const { pool, opened } = pretend({ max: 1, depth: 3 })
    await pool.probe()
    const short = { group: 'any', history: shortHistory() }
    const shared = [held(short), held(short), held(short), held(short)]
    const alone = held()
    const done = [...shared, alone].map(({ job }) => pool.run(job))
    await Promise.all(shared.slice(0, 3).map(({ started }) => started))
    let isAlone = false
    void alone.started.then(() => (isAlone = true))
    for (const { end } of shared.slice(0, 3)) end()
    await shared[3]?.started
    strictEqual(isAlone, false)
    shared[3]?.end()
    await alone.started
    alone.end()
    await Promise.all(done)
    strictEqual(opened.length, 1)
    await pool.close()
  })

  test('jobs of different groups never share a connection', async () => {
    const { pool } = pretend({ max: 2 })
    const read = held({ group: 'read', history: shortHistory() })
    const write = held({ group: 'write', history: shortHistory() })
    const done = [pool.run(read.job), pool.run(write.job)]
    ok((await read.started) !== (await write.started))
    read.end()
    write.end()
    await Promise.all(done)
    await pool.close()
  })

  test('a lane whose head is late gets no more jobs', async () => {
    const { pool } = pretend({ max: 2 })
    const short = { group: 'any', history: shortHistory() }
    const late = held(short)
    const running = pool.run(late.job)
    const on = await late.started
    await sleep(50)
    const next = held(short)
    const other = pool.run(next.job)
    ok((await next.started) !== on)
    late.end()
    next.end()
    await Promise.all([running, other])
    await pool.close()
  })

  test('[D3.6] what was left dirty is cleaned before it is used again, or closed', async () => {
    const { pool, opened } = pretend({ max: 1 })
    const dirty = held()
    const running = pool.run(dirty.job)
    const connection = await dirty.started
    connection.isDirty = true
    dirty.end()
    await running
    const next = held()
    const second = pool.run(next.job)
    strictEqual(await next.started, connection)
    deepStrictEqual([connection.isDirty, connection.cleanings], [false, 1])
    connection.isDirty = true
    connection.cleaned = false
    next.end()
    await second
    const last = held()
    const third = pool.run(last.job)
    ok((await last.started) !== connection)
    deepStrictEqual([connection.isClosed, opened.length], [true, 2])
    last.end()
    await third
    await pool.close()
  })

  test('[S-limits.acquire_timeout_seconds] whoever waits too long is told so, the others go on', async () => {
    const { pool } = pretend({ max: 1, acquireTimeoutSeconds: 0.1 })
    const first = held()
    const running = pool.run(first.job)
    await first.started
    const since = elapsed()
    await rejects(pool.run(held().job), (error: Error) => {
      strictEqual(error.name, 'BadSqlGrammarException')
      match(error.message, /'demo'.*0\.1 s/)
      return true
    })
    ok(since() >= 95 && since() < 1000, `${since()}`)
    const next = held()
    const second = pool.run(next.job)
    first.end()
    await next.started
    next.end()
    await Promise.all([running, second])
    await pool.close()
  })

  test('[D6.7] a job whose client has gone is passed over', async () => {
    const { pool } = pretend({ max: 1 })
    const first = held()
    const running = pool.run(first.job)
    await first.started
    const cancellation = uncancelled()
    const gone = pool.run({ ...held({ cancellation }).job, run: () => Promise.reject(new Error('was run')) })
    const next = held()
    const second = pool.run(next.job)
    cancellation.cancelled = true
    first.end()
    await rejects(gone, { name: 'BadSqlGrammarException' })
    await next.started
    next.end()
    await Promise.all([running, second])
    await pool.close()
  })

  test('[D6.4] when nothing can be opened everybody is told at once', async () => {
    const refused = new Error('refused')
    const { pool } = pretend({ max: 3, open: () => Promise.reject(refused) })
    const since = elapsed()
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => pool.run(held().job)))
    for (const outcome of outcomes) strictEqual(outcome.status === 'rejected' && outcome.reason, refused)
    await rejects(pool.probe(), refused)
    ok(since() < 1000)
    await pool.close()
  })

  test('[D6.4] a connection that breaks as soon as it is open leaves nobody waiting for the deadline', async () => {
    let count = 0
    const { pool } = pretend({
      max: 1,
      acquireTimeoutSeconds: 2,
      open: (broken) => {
        if (count++ === 0) broken()
        return Promise.resolve(new Pretended())
      },
    })
    const since = elapsed()
    const waiting = held()
    waiting.end()
    await Promise.allSettled([pool.run(waiting.job)])
    await pool.close()
    ok(since() < 1000, `settled after ${Math.round(since())} ms`)
  })

  test('closing ends waiting jobs and every connection', async () => {
    const { pool, opened } = pretend({ max: 1 })
    const first = held()
    const running = pool.run(first.job)
    await first.started
    const waiting = pool.run(held().job)
    const closing = pool.close()
    await rejects(waiting, { name: 'BadSqlGrammarException' })
    await closing
    ok(opened.every(({ isClosed }) => isClosed))
    first.end()
    await running
  })
})

describe('the pool at random', () => {
  for (let seed = 1; seed <= 20; seed++) {
    test(`[D6.5] [D3.6] whatever happens, in whatever order: ${seed}`, { timeout: 30_000 }, () => simulate(seed))
  }
})

/** Jobs of all kinds, connections that fail to open, break, get dirty and cannot be cleaned. */
async function simulate(seed: number): Promise<void> {
  const next = chance(seed)
  const isLucky = (probability: number): boolean => next() < probability
  const max = 1 + Math.floor(next() * 4)
  const depth = 1 + Math.floor(next() * 5)
  const breaks = isLucky(0.5) ? 0.02 : 0
  const problems: string[] = []
  const check = (holds: boolean, what: string): void => void (holds || problems.push(what))
  let open = 0
  let lastStarted = -1
  const linger = (): Promise<unknown> => (isLucky(0.05) ? sleep(next() * 15) : new Promise(setImmediate))

  class Random extends Pretended {
    breakNow: () => void = () => undefined
    readonly broken = new Promise<never>((_, reject) => (this.breakNow = () => reject(new Error('broken'))))

    override async clean(): Promise<boolean> {
      check(this.inFlight === 0 && !this.isClosed, 'cleaned while in use')
      await linger()
      this.isDirty = false
      return isLucky(0.9)
    }

    override close(): Promise<void> {
      if (!this.isClosed) open--
      this.isClosed = true
      this.breakNow()
      return Promise.resolve()
    }
  }

  const pool = new Pool<Random>({
    name: 'demo',
    max,
    maxConnections: max,
    depth,
    acquireTimeoutSeconds: isLucky(0.5) ? 5 : 0.02,
    open: async (broken) => {
      open++
      check(open <= max, `${open} open of ${max}`)
      await linger()
      if (isLucky(breaks * 5)) {
        open--
        throw new Error('cannot be opened')
      }
      const connection = new Random()
      connection.broken.catch(() => undefined)
      if (isLucky(breaks * 10)) {
        setTimeout(() => {
          if (connection.isClosed) return
          void connection.close()
          broken()
        }, next() * 20)
      }
      return connection
    },
  })

  const slowHistory = new History()
  slowHistory.record(1000)
  const submit = (index: number): Promise<unknown> => {
    const cancellation = uncancelled()
    const shares = isLucky(0.6)
    const history = shares ? shortHistory() : slowHistory
    if (isLucky(0.1)) setTimeout(() => (cancellation.cancelled = true), next() * 10)
    const run = async (connection: Random): Promise<void> => {
      check(index > lastStarted, `${index} after ${lastStarted}`)
      lastStarted = index
      check(!connection.isClosed, 'a closed connection')
      check(!connection.isDirty, 'a dirty connection')
      check(connection.inFlight < (shares ? depth : 1), 'too many on one connection')
      connection.inFlight++
      try {
        if (isLucky(0.1)) connection.isDirty = true
        await Promise.race([linger(), connection.broken])
        if (isLucky(0.1)) throw new Error('failed')
      } finally {
        connection.inFlight--
      }
    }
    return pool.run({ group: shares ? 'any' : undefined, history, cancellation, run })
  }

  const jobs: Promise<unknown>[] = []
  // How they end is their own affair; that they end is what counts.
  const settle = (job: Promise<unknown>): void => void jobs.push(job.catch(() => undefined))
  if (isLucky(0.5)) settle(pool.probe())
  for (let index = 0; index < 400; index++) {
    settle(submit(index))
    if (isLucky(0.3)) await linger()
  }
  await Promise.all(jobs)
  await pool.close()
  deepStrictEqual([...new Set(problems)], [])
  await until(() => open === 0, 'every connection closed')
}

const transfers = {
  'POST/setup.sql': `CREATE TABLE accounts (id integer PRIMARY KEY, balance integer NOT NULL CHECK (balance >= 0));
    INSERT INTO accounts VALUES (1, 100), (2, 100), (3, 100), (4, 100), (5, 100)`,
  'POST/transfer.sql': `-- @transactional
    UPDATE accounts SET balance = balance + :amount WHERE id = :to;
    UPDATE accounts SET balance = balance - :amount WHERE id = :from;
    SELECT count(*) AS n FROM accounts`,
  'GET/total.sql': 'SELECT cast(sum(balance) AS integer) AS total, count(*) AS n FROM accounts',
}

/** Transfers of which some must fail, batches of them, and readers who look at the total meanwhile. */
async function transferAtRandom(port: number, project: string, seed: number): Promise<void> {
  const next = chance(seed)
  await call(port, `/${project}/setup`, { body: {} })
  const outcomes = new Map<string, number>()
  const note = (answer: Answer): void => {
    const outcome = answer.status === 200 ? 'done' : errorOf(answer)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  const transfer = () => ({
    from: 1 + Math.floor(next() * 5),
    to: 1 + Math.floor(next() * 5),
    amount: Math.floor(next() * 60),
  })
  const write = async (): Promise<void> => {
    for (let i = 0; i < 15; i++) {
      const isBatch = next() < 0.3
      const body = isBatch ? { queries: [transfer(), transfer()] } : transfer()
      note(await call(port, `/${project}/transfer${isBatch ? '/batch' : ''}`, { body }))
    }
  }
  const state = { going: true }
  let looks = 0
  const read = async (): Promise<void> => {
    for (; state.going; looks++) strictEqual((await call(port, `/${project}/total`)).text, '[{"total":500,"n":5}]')
  }
  const readers = [read(), read(), read()]
  await Promise.all(Array.from({ length: 10 }, write))
  state.going = false
  await Promise.all(readers)
  const known = new Set(['done', 'BadSqlGrammarException'])
  deepStrictEqual(
    [...outcomes.keys()].filter((outcome) => !known.has(outcome)),
    [],
  )
  ok(
    (outcomes.get('done') ?? 0) > 20 && (outcomes.get('BadSqlGrammarException') ?? 0) > 0,
    JSON.stringify([...outcomes]),
  )
  ok(looks > 10)
  strictEqual((await call(port, `/${project}/total`)).text, '[{"total":500,"n":5}]')
}

function inProject(project: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${project}/${path}`, text]))
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
  const run = (path: string, body: unknown, options = {}): Promise<Answer> => call(port, path, { body, ...options })
  const viaQueue = { headers: { 'x-datasource': 'queue' } }

  /** A request that can be given up; `undefined` when it was. */
  function abortable(path: string, body: unknown, options = {}) {
    const controller = new AbortController()
    const answer = run(path, body, { ...options, signal: controller.signal }).catch(() => undefined)
    return { answer, abort: () => controller.abort() }
  }

  test('[D6.5] [S-limits.max_connections] [S-config.datasources.max_connections] never more connections than allowed', async () => {
    const next = chance(1)
    const state = { going: true }
    let most = 0
    const watching = (async () => {
      while (state.going) {
        most = Math.max(most, await backends('wide'))
        await sleep(2)
      }
    })()
    const requests = Array.from({ length: 200 }, async (_, i) => {
      await sleep(next() * 400)
      const { answer, abort } =
        i % 3 === 0 ? abortable('/wide/echo', { x: i }) : abortable('/wide/sleep', { s: next() / 30 })
      if (i % 5 === 0) setTimeout(abort, next() * 50)
      return answer
    })
    const answers = await Promise.all(requests)
    state.going = false
    await watching
    for (const answer of answers) if (answer !== undefined) strictEqual(answer.status, 200, answer.text)
    strictEqual(most, 4)
  })

  test('[S-limits.acquire_timeout_seconds] [S-error.BadSqlGrammarException] [D6.5] an exhausted pool says so after the time, and only to who needs it', async () => {
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
      for (const answer of await Promise.all(answers)) strictEqual(errorOf(answer), error, answer.text)
    }
    strictEqual((await call(port, '/health')).status, 200)
    strictEqual((await run('/wide/echo', { x: 1 })).status, 200)
    ok(since() < 800, `others were answered after ${since()} ms`)
    for (const answer of await waiting) {
      deepStrictEqual([answer.status, errorOf(answer)], [400, 'BadSqlGrammarException'])
      match(answer.text, /narrow.*1 s/)
    }
    ok(since() > 900 && since() < 3000, `the pool's answer came after ${since()} ms`)
    first.abort()
    await until(async () => (await run('/narrow/echo', { x: 1 })).status === 200, 'the connection to be free')
  })

  test('[D6.7] [S-errors.2] the statement of a client that goes away is cancelled and its connection used again', async () => {
    const pid = (await run('/narrow/pid', {}, viaQueue)).text
    const { answer, abort } = abortable('/narrow/sleep', { s: 60 }, viaQueue)
    await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
    abort()
    strictEqual(await answer, undefined)
    await until(async () => (await sleeping('queue')) === 0, 'the statement to be cancelled', 3000)
    strictEqual((await run('/narrow/pid', {}, viaQueue)).text, pid)
    strictEqual(await backends('queue', "state = 'idle'"), 1)
  })

  test('[D6.7] the same in a batch and in a file with a transaction: nothing of them remains', async () => {
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
      await until(async () => (await sleeping('queue')) === 0, 'the statement to be cancelled', 3000)
      strictEqual((await run('/narrow/echo', { x: 1 }, viaQueue)).status, 200)
      strictEqual(await backends('queue', "state LIKE 'idle in transaction%'"), 0)
    }
    strictEqual((await call(port, '/narrow/total', viaQueue)).text, '[{"total":500,"n":5}]')
    await observer.query('DROP TABLE accounts')
  })

  test('[D6.7] a client that goes away while it waits frees its place', async () => {
    const first = run('/narrow/sleep', { s: 0.6 }, viaQueue)
    await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
    const waiting = Array.from({ length: 5 }, () => abortable('/narrow/sleep', { s: 5 }, viaQueue))
    await sleep(100)
    const last = run('/narrow/echo', { x: 7 }, viaQueue)
    for (const { abort } of waiting) abort()
    strictEqual((await first).status, 200)
    const since = elapsed()
    strictEqual((await last).text, '[{"x":7}]')
    ok(since() < 1000, `${since()}`)
  })

  test('[D6.7] a statement that used to be short is cancelled as well', async () => {
    for (let i = 0; i < 8; i++) strictEqual((await run('/narrow/varying', { s: 0 }, viaQueue)).status, 200)
    const { abort } = abortable('/narrow/varying', { s: 6 }, viaQueue)
    await until(async () => (await sleeping('queue')) === 1, 'a statement that runs')
    abort()
    await until(async () => (await sleeping('queue')) === 0, 'the statement to be cancelled', 3000)
  })

  test('[D6.7] a hundred clients that leave at any moment leak nothing', async () => {
    const next = chance(7)
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
    const since = elapsed()
    const four = await Promise.all(Array.from({ length: 4 }, () => run('/wide/sleep', { s: 0.5 })))
    for (const { status, text } of four) strictEqual(status, 200, text)
    ok(since() < 3000, 'all four run at once')
    ok((await backends('wide')) <= 4)
    await until(async () => (await backends('wide', "state <> 'idle'")) === 0, 'every connection idle')
  })

  test('short statements next to slow ones are not delayed', async () => {
    for (let i = 0; i < 8; i++) {
      await run('/wide/echo', { x: i })
      await run('/wide/varying', { s: 0 })
    }
    // Known to be slow, unknown so far, and short until now.
    const slow = [run('/wide/sleep', { s: 2 }), run('/wide/varying', { s: 2 })]
    await until(async () => (await sleeping('wide')) === 2, 'two statements that run')
    await sleep(50)
    let slowest = 0
    for (let i = 0; i < 60; i++) {
      const since = elapsed()
      strictEqual((await run('/wide/echo', { x: i })).text, `[{"x":${i}}]`)
      slowest = Math.max(slowest, since())
    }
    ok(slowest < 700, `the slowest took ${slowest} ms`)
    strictEqual(await sleeping('wide'), 2, 'they are still at it')
    for (const answer of await Promise.all(slow)) strictEqual(answer.status, 200)
  })

  test('[S-batch.2] [S-marker.1] transfers at random add up', async () => transferAtRandom(port, 'wide', 11))
})

describe('SQLite', () => {
  const count = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :n) SELECT max(n) AS n FROM c'
  const files = {
    'GET/one.sql': 'SELECT 1 AS one',
    'GET/count.sql': count.replace(':n', 'cast(:n AS integer)'),
    'POST/count.sql': count,
    'POST/make.sql': 'CREATE TABLE IF NOT EXISTS t (x)',
    'POST/add.sql': 'INSERT INTO t VALUES (:x)',
    'POST/marked.sql': '-- @transactional\nINSERT INTO t VALUES (:x); SELECT count(*) AS n FROM t',
    'GET/size.sql': 'SELECT count(*) AS n FROM t',
    'GET/mode.sql': 'PRAGMA journal_mode',
    'GET/keys.sql': 'PRAGMA foreign_keys',
    ...transfers,
  }
  let running: Running
  let port = 0
  const two = (datasource: string): { headers: Record<string, string> } => ({ headers: { 'x-datasource': datasource } })

  before(async () => {
    const folder = newFolder({ 'text.db': 'this is no database, however often it is read. '.repeat(100) })
    new DatabaseSync(join(folder, 'old.db')).exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    const source = (name: string, url: string, others = {}): object => ({
      name,
      url,
      acquire_timeout_seconds: 1,
      ...others,
    })
    running = await startSqlapi({
      folder,
      files: inProject('lite', files),
      config: {
        datasources: [
          source('lite', 'sqlite:lite.db', { acquire_timeout_seconds: 20 }),
          source('lock', 'sqlite:lock.db'),
          source('old', 'sqlite:old.db?mode=ro'),
          source('missing', 'sqlite:not%20yet.db'),
          source('rw', 'sqlite:never.db?mode=rw'),
          source('folder', 'sqlite:nowhere/x.db'),
          source('text', 'sqlite:text.db'),
          source('memory', 'sqlite::memory:'),
          source('other', 'sqlite::memory:'),
          source('bank', 'sqlite:bank.db', { acquire_timeout_seconds: 30 }),
          source('bank2', 'sqlite::memory:', { acquire_timeout_seconds: 30 }),
        ],
        project_datasource_map: { bank: 'bank' },
      },
    })
    port = running.port
  })
  after(async () => {
    strictEqual(running.stderr(), '')
    const { code } = await running.stop()
    strictEqual(code, 0)
  })

  test('[D4.5] while a statement runs for seconds everything else is answered at once', async () => {
    const started = elapsed()
    let isDone = false
    const slow = call(port, '/lite/count', { body: { n: 9_000_000 } }).finally(() => (isDone = true))
    await sleep(50)
    let slowest = 0
    for (let i = 0; i < 5; i++) {
      for (const path of ['/health', '/lite/one', '/datasources', '/lite/none']) {
        const since = elapsed()
        await call(port, path)
        slowest = Math.max(slowest, since())
      }
      strictEqual((await call(port, '/lite/one', two('memory'))).text, '[{"one":1}]')
    }
    strictEqual((await call(port, '/lite/make', { body: {} })).text, '[]', 'a writer beside it')
    strictEqual(isDone, false, `the slow one took only ${started()} ms`)
    ok(slowest < 700, `the slowest took ${slowest} ms`)
    strictEqual((await slow).text, '[{"n":9000000}]')
  })

  test('[D4.5] nor does a statement delay others that used to be short, not even those sent with it', async () => {
    for (let i = 0; i < 8; i++) {
      await call(port, '/lite/count?n=10')
      await call(port, '/lite/one')
    }
    let isDone = false
    const slow = call(port, '/lite/count?n=6000000').finally(() => (isDone = true))
    const others = await Promise.all(Array.from({ length: 10 }, () => call(port, '/lite/one')))
    for (const { text } of others) strictEqual(text, '[{"one":1}]')
    strictEqual(isDone, false, 'the others came first')
    await slow
  })

  test('[D4.5] writers wait for the lock of another process, and no longer than they may', async () => {
    strictEqual((await call(port, '/lite/make', { body: {}, ...two('lock') })).text, '[]')
    const other = new DatabaseSync(join(running.folder, 'lock.db'))
    const writes = [
      ['/lite/add', { x: 1 }],
      ['/lite/add/batch', { queries: [{ x: 1 }, { x: 2 }] }],
      ['/lite/marked', { x: 1 }],
    ] as const
    for (const [path, body] of writes) {
      other.exec('BEGIN IMMEDIATE')
      const waiting = call(port, path, { body, ...two('lock') })
      await sleep(150)
      strictEqual((await call(port, '/lite/size', two('lock'))).status, 200, 'readers do not wait')
      other.exec('COMMIT')
      strictEqual((await waiting).status, 200, path)
    }
    strictEqual((await call(port, '/lite/size', two('lock'))).text, '[{"n":4}]')
    other.exec('BEGIN IMMEDIATE')
    const since = elapsed()
    // Those behind the first wait in the service, and just as long.
    const refused = await Promise.all(writes.map(([path, body]) => call(port, path, { body, ...two('lock') })))
    for (const answer of refused) strictEqual(errorOf(answer), 'BadSqlGrammarException')
    ok(since() > 900 && since() < 3500, `${since()}`)
    other.exec('ROLLBACK')
    other.close()
    strictEqual((await call(port, '/lite/add', { body: { x: 5 }, ...two('lock') })).text, '[]')
    strictEqual((await call(port, '/lite/size', two('lock'))).text, '[{"n":5}]')
  })

  test('[D4.5] a file is in WAL mode and keeps foreign keys', async () => {
    strictEqual((await call(port, '/lite/mode')).text, '[{"journalMode":"wal"}]')
    strictEqual((await call(port, '/lite/keys')).text, '[{"foreignKeys":1}]')
  })

  test('[D6.4] [D4.5] a file that is read only is only read', async () => {
    strictEqual((await call(port, '/lite/size', two('old'))).text, '[{"n":1}]')
    strictEqual((await call(port, '/lite/mode', two('old'))).text, '[{"journalMode":"delete"}]')
    for (const path of ['/lite/add', '/lite/marked']) {
      strictEqual(errorOf(await call(port, path, { body: { x: 1 }, ...two('old') })), 'BadSqlGrammarException', path)
    }
    for (const suffix of ['-wal', '-shm', '-journal']) ok(!existsSync(join(running.folder, `old.db${suffix}`)), suffix)
  })

  test('[D6.4] a missing file is created by the first use and not by the probe', async () => {
    const file = join(running.folder, 'not yet.db')
    await until(() => warnings().length === 3, 'the probes')
    ok(!existsSync(file))
    strictEqual((await call(port, '/lite/one', two('missing'))).text, '[{"one":1}]')
    ok(existsSync(file))
  })

  function warnings(): string[] {
    return linesOf(running.stdout()).filter((line) => line.includes(' WARN '))
  }

  test('[D6.4] what cannot be opened is one WARN and a refusal with every request', async () => {
    await until(() => warnings().length === 3, 'three warnings')
    for (const name of ['rw', 'folder', 'text']) {
      strictEqual(warnings().filter((line) => line.includes(`datasource=${name} `)).length, 1, name)
      const since = elapsed()
      const answers = await Promise.all([1, 2, 3].map(() => call(port, '/lite/one', two(name))))
      for (const answer of answers) strictEqual(errorOf(answer), 'BadSqlGrammarException')
      ok(since() < 1500)
    }
    ok(!existsSync(join(running.folder, 'never.db')))
    writeFileSync(join(running.folder, 'text.db'), '')
    strictEqual((await call(port, '/lite/one', two('text'))).text, '[{"one":1}]', 'it recovers by itself')
  })

  test("[D6.4] a database in memory is one for all requests of its datasource, and nobody else's", async () => {
    await call(port, '/lite/make', { body: {}, ...two('memory') })
    const adds = Array.from({ length: 30 }, (_, x) => call(port, '/lite/add', { body: { x }, ...two('memory') }))
    for (const answer of await Promise.all(adds)) strictEqual(answer.text, '[]')
    const sizes = await Promise.all(Array.from({ length: 20 }, () => call(port, '/lite/size', two('memory'))))
    for (const { text } of sizes) strictEqual(text, '[{"n":30}]')
    strictEqual(errorOf(await call(port, '/lite/size', two('other'))), 'BadSqlGrammarException')
  })

  test('[S-batch.2] [S-marker.1] transfers at random add up', async () => {
    const folder = newFolder()
    const service = await startSqlapi({
      folder,
      files: { ...inProject('file', transfers), ...inProject('memory', transfers) },
      config: {
        datasources: [
          { name: 'file', url: 'sqlite:bank.db', acquire_timeout_seconds: 30 },
          { name: 'memory', url: 'sqlite::memory:', acquire_timeout_seconds: 30 },
        ],
      },
    })
    await transferAtRandom(service.port, 'file', 5)
    await transferAtRandom(service.port, 'memory', 6)
    strictEqual((await service.stop()).code, 0)
  })
})
