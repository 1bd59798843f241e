/**
 * Who gets a connection, when, and in which state: the pool with connections that only pretend. Whatever else may
 * happen, in whatever order, is simulation.test.ts; the same over real databases pool-postgres.test.ts and
 * pool-sqlite.test.ts.
 */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { elapsed, until } from '@services/testing'
import { History } from '../../../src/database/pool/history.ts'
import { type Connection, type Errand, takenBack } from '../../../src/database/pool/job.ts'
import { Pool, type PoolOptions } from '../../../src/database/pool/pool.ts'
import type { Cancellation } from '../../../src/model.ts'
import { VirtualClock } from '../../support/pool/simulation-clock.ts'

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

  retire(): void {
    this.isDirty = true
    this.cleaned = false
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
function held(settings: Partial<Errand<Pretended, Pretended>> = {}) {
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
  test('opens no more than it may, opening ones included [D6.5]', async () => {
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

  test('connections that are meant end as soon as they are free, and no others [O4.1]', async () => {
    const { pool, opened } = pretend({ max: 3 })
    const jobs = [held(), held(), held()]
    const done = jobs.map(({ job }) => pool.run(job))
    const [idle, busy, other] = (await Promise.all(jobs.map(({ started }) => started))) as [
      Pretended,
      Pretended,
      Pretended,
    ]
    jobs[0]?.end()
    await done[0]
    pool.retire((connection) => connection !== other)
    deepStrictEqual([idle.isClosed, busy.isClosed, other.isClosed], [true, false, false])
    jobs[1]?.end()
    strictEqual(await done[1], busy)
    const next = held()
    const later = pool.run(next.job)
    ok(![idle, busy, other].includes(await next.started))
    await until(() => busy.isClosed, 'the busy one to end')
    for (const { end } of [jobs[2] as (typeof jobs)[0], next]) end()
    await Promise.all([done[2], later])
    strictEqual(opened.length, 4)
    strictEqual(other.isClosed, false)
    await pool.close()
  })

  test('nobody joins a connection that is to end [O4.1]', async () => {
    const { pool, opened } = pretend({ max: 2 })
    const short = { group: 'any', history: shortHistory() }
    const first = held(short)
    const done = pool.run(first.job)
    const connection = await first.started
    pool.retire(() => true)
    const second = held(short)
    const later = pool.run(second.job)
    ok((await second.started) !== connection)
    for (const { end } of [first, second]) end()
    await Promise.all([done, later])
    strictEqual(opened.length, 2)
    await pool.close()
  })

  test('the probe counts as well [D6.5]', async () => {
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

  test('a slot whose head is late gets no more jobs', async () => {
    const clock = new VirtualClock()
    const { pool } = pretend({ max: 2, clock })
    const short = { group: 'any', history: shortHistory() }
    const late = held(short)
    const running = pool.run(late.job)
    const on = await late.started
    for (let look = 0; look < 2; look++) clock.step()
    const next = held(short)
    const other = pool.run(next.job)
    ok((await next.started) !== on)
    late.end()
    next.end()
    await Promise.all([running, other])
    await pool.close()
  })

  test('what was left dirty is cleaned before it is used again, or closed [D3.6]', async () => {
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

  test('whoever waits too long is told so, the others go on [S-limits.acquire_timeout_seconds]', async () => {
    const { pool } = pretend({ max: 1, acquireTimeoutSeconds: 0.1 })
    const first = held()
    const running = pool.run(first.job)
    await first.started
    const since = elapsed()
    await rejects(pool.run(held().job), { reason: 'acquire_timeout', message: /'demo'.*0\.1 s/ })
    ok(since() >= 95, `${since()}`)
    const next = held()
    const second = pool.run(next.job)
    first.end()
    await next.started
    next.end()
    await Promise.all([running, second])
    await pool.close()
  })

  test('a job whose client has gone is passed over [D6.7]', async () => {
    const { pool } = pretend({ max: 1 })
    const first = held()
    const running = pool.run(first.job)
    await first.started
    const cancellation = uncancelled()
    const gone = pool.run({ ...held({ cancellation }).job, run: () => Promise.reject(new Error('was run')) })
    const next = held()
    const second = pool.run(next.job)
    cancellation.cancelled = true
    cancellation.onCancel?.()
    await rejects(gone, { reason: 'client_gone' })
    first.end()
    await next.started
    next.end()
    await Promise.all([running, second])
    await pool.close()
  })

  test('when nothing can be opened everybody is told at once [D6.4]', async () => {
    const refused = new Error('refused')
    const { pool } = pretend({ max: 3, acquireTimeoutSeconds: 3600, open: () => Promise.reject(refused) })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => pool.run(held().job)))
    for (const outcome of outcomes) strictEqual(outcome.status === 'rejected' && outcome.reason, refused)
    await rejects(pool.probe(), refused)
    await pool.close()
  })

  test('a connection that breaks as soon as it is open leaves nobody waiting for the deadline [D6.4]', async () => {
    let count = 0
    const { pool } = pretend({
      max: 1,
      acquireTimeoutSeconds: 3600,
      open: (broken) => {
        if (count++ === 0) broken()
        return Promise.resolve(new Pretended())
      },
    })
    const waiting = held()
    waiting.end()
    await Promise.allSettled([pool.run(waiting.job)])
    await pool.close()
  })

  test('closing ends waiting jobs and every connection', async () => {
    const { pool, opened } = pretend({ max: 1 })
    const first = held()
    const running = pool.run(first.job)
    await first.started
    const waiting = pool.run(held().job)
    const closing = pool.close()
    await rejects(waiting, { reason: 'datasource_closed' })
    await closing
    ok(opened.every(({ isClosed }) => isClosed))
    first.end()
    await running
  })
})

describe('what the pool tells [S25]', { concurrency: true }, () => {
  test('its load is what the connections do, and how many jobs wait', async () => {
    const clock = new VirtualClock()
    const { pool, opened } = pretend({ max: 3, clock })
    const shared = held({ group: 'any', history: shortHistory() })
    const [alone, ended, second, waiting] = [held(), held(), held(), held()]
    const done = [shared, alone, ended].map(({ job }) => pool.run(job))
    await Promise.all([shared, alone, ended].map(({ started }) => started))
    ended.end()
    await done[2]
    const none = { idle: 0, shared: 0, alone: 0, cleaning: 0, opening: 0, closing: 0 }
    deepStrictEqual(pool.load, { connections: { ...none, idle: 1, shared: 1, alone: 1 }, waiting: 0 })
    done.push(...[second, waiting].map(({ job }) => pool.run(job)))
    deepStrictEqual(pool.load, { connections: { ...none, shared: 1, alone: 2 }, waiting: 1 })
    // A late one is still shared.
    for (let look = 0; look < 2; look++) clock.step()
    deepStrictEqual(pool.load.connections.shared, 1)
    for (const connection of opened) connection.isDirty = true
    shared.end()
    await done[0]
    deepStrictEqual(pool.load, { connections: { ...none, alone: 2, cleaning: 1 }, waiting: 1 })
    for (const { end } of [alone, second, waiting]) end()
    await Promise.all(done)
    await pool.close()
  })

  test('it has last succeeded when a run has, and not when one has failed', async () => {
    const clock = new VirtualClock()
    const { pool } = pretend({ max: 1, clock })
    const [bad, good] = [held(), held()]
    strictEqual(pool.lastSuccess, -Infinity)
    bad.fail(new Error('bad'))
    await rejects(pool.run(bad.job), /bad/)
    strictEqual(pool.lastSuccess, -Infinity)
    clock.stall(5)
    good.end()
    await pool.run(good.job)
    strictEqual(pool.lastSuccess, clock.now())
    await pool.close()
  })

  test('whoever measures hears how long jobs have waited and run, and whether beside others', async () => {
    const clock = new VirtualClock()
    const waited: number[] = []
    const ofJobs: number[] = []
    const ran: [number | undefined, boolean][] = []
    const meter = {
      waited: (ms: number) => waited.push(ms),
      ran: (...run: [number | undefined, boolean]) => ran.push(run),
    }
    const { pool } = pretend({ max: 1, clock, acquireTimeoutSeconds: 2, meter })
    const ofJob = { waited: (ms: number) => ofJobs.push(ms) }
    const short = held({ group: 'any', history: shortHistory(), meter: ofJob })
    const alone = held({ meter: ofJob })
    clock.stall(3)
    const done = [pool.run(short.job), pool.run(alone.job)]
    await short.started
    clock.stall(7)
    short.end()
    await alone.started
    const late = pool.run(held({ meter: ofJob }).job)
    clock.stall(2000)
    while (clock.step()) if (ofJobs.length === 2) break
    await rejects(late, { reason: 'acquire_timeout' })
    alone.end()
    await Promise.all(done)
    deepStrictEqual(
      [waited, ofJobs],
      [
        [0, 2000, 7],
        [0, 2000, 7],
      ],
    )
    deepStrictEqual(
      ran.map(([, isShared]) => isShared),
      [true, false],
    )
    strictEqual(ran[0]?.[0], 7)
    await pool.close()
  })
})

describe('jobs that are not begun, or begun again [D6.7]', { concurrency: true }, () => {
  test('one whose client has gone before it came costs no connection', async () => {
    const { pool, opened } = pretend()
    const gone = held({ cancellation: { cancelled: true, onCancel: undefined } })
    await rejects(pool.run(gone.job), { reason: 'client_gone' })
    strictEqual(opened.length, 0)
    await pool.close()
  })

  test('after the end each is refused by name, and nothing is due any more', async () => {
    const clock = new VirtualClock()
    const { pool } = pretend({ max: 2, clock })
    const short = held({ group: 'any', history: shortHistory() })
    const running = pool.run(short.job)
    await short.started
    short.end()
    await running
    await pool.close()
    await rejects(pool.run(held().job), { reason: 'datasource_closed', message: "Datasource 'demo' is closed" })
    strictEqual(clock.step(), false)
  })

  for (const isGone of [false, true]) {
    test(`one that its connection gives back ${isGone ? 'ends where its client has gone' : 'goes before those that came later'}`, async () => {
      const { pool } = pretend({ max: 1 })
      const given = Promise.withResolvers<never>()
      const started = Promise.withResolvers<void>()
      const cancellation = uncancelled()
      const order: string[] = []
      const first = pool.run({
        ...held({ cancellation }).job,
        run: (): Promise<string> => {
          order.push('first')
          started.resolve()
          return order.length === 1 ? given.promise : Promise.resolve('done')
        },
      })
      await started.promise
      const second = pool.run({ ...held().job, run: () => Promise.resolve(order.push('second')) })
      cancellation.cancelled = isGone
      given.reject(takenBack)
      if (isGone) await rejects(first, { reason: 'client_gone' })
      else strictEqual(await first, 'done')
      await second
      deepStrictEqual(order, isGone ? ['first', 'second'] : ['first', 'first', 'second'])
      await pool.close()
    })
  }
})
