/**
 * Several processes on one port: who answers, who may connect how often, what happens when one of them ends, and how
 * all end together. Real processes, real sockets, a real PostgreSQL. That requests are answered as by one process is
 * for cases-workers.test.ts.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { call, errorOf, type Files, linesOf, newFolder, repeat, until, Wire } from '@services/testing'
import { holdLock, type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { isInMemory } from '../../../src/boot/config/url.ts'
import { readLocation } from '../../../src/database/sqlite/location.ts'
import { divide } from '../../../src/workers/assignments.ts'
import { passLines } from '../../../src/workers/lines.ts'
import { pauseMs } from '../../../src/workers/pauses.ts'
import { runCommand } from '../../support/commands.ts'
import { childrenOf, type Running, spawnSqlapi, startSqlapi, withoutChildren } from '../../support/process.ts'

const files: Files = {
  'pg/GET/who.sql': 'SELECT pg_backend_pid() AS pid',
  'pg/POST/sleep.sql': 'SELECT pg_backend_pid() AS pid FROM pg_sleep(:s)',
  'pg/POST/held.sql': 'SELECT pg_backend_pid() AS pid FROM pg_advisory_xact_lock(:key)',
  'pg/POST/echo.sql': 'SELECT length(:x) AS n',
  'lite/GET/one.sql': 'SELECT 1 AS one',
  'lite/POST/setup.sql': 'CREATE TABLE t (x)',
  'lite/POST/add.sql': 'INSERT INTO t VALUES (:x)',
  'lite/GET/count.sql': 'SELECT count(*) AS n FROM t',
  'lite/POST/work.sql':
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :n) SELECT max(n) AS n FROM c',
}

const lite = { name: 'lite', url: 'sqlite:lite.db' }

let postgres: ThrowawayPostgres

before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

interface Started extends Running {
  /** What its connections are called in `pg_stat_activity`. */
  readonly name: string
}

interface Variant {
  readonly workers?: number
  readonly maxConnections?: number
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}

let started = 0

async function start({ workers = 2, maxConnections = workers, config, env = {} }: Variant = {}): Promise<Started> {
  const name = `workers-${++started}`
  const url = `${postgres.url}?application_name=${name}`
  const datasources = [{ name: 'pg', url, max_connections: maxConnections, acquire_timeout_seconds: 2 }, lite]
  const running = await startSqlapi({ files, env, config: { datasources, server: { workers }, ...config } })
  return { ...running, name }
}

function ask(sql: string): Promise<Record<string, unknown>[]> {
  return postgres.query(sql)
}

function connectionsOf({ name }: Started, condition = 'true'): Promise<Record<string, unknown>[]> {
  return ask(`SELECT pid FROM pg_stat_activity WHERE application_name = '${name}' AND ${condition}`)
}

/** With as many connections as workers, each worker has one: the sessions that answer are as many as the processes. */
async function whoAnswers({ port }: Running, requests: number): Promise<Set<unknown>> {
  const answers = []
  for (let i = 0; i < requests; i++) answers.push(await call(port, '/pg/who'))
  return new Set(answers.map(({ text }) => (JSON.parse(text) as { pid: number }[])[0]?.pid))
}

interface Held {
  /** The status of each answer, or the code of the error. */
  readonly outcomes: Promise<string[]>
  /** Lets the statements end. */
  readonly release: () => Promise<void>
}

/** A statement under way in each of two workers, until it is released. */
async function holdOnBoth(running: Started): Promise<Held> {
  const { key, release } = await holdLock(postgres)
  const outcomes: Promise<string>[] = []
  for (const count of [1, 2]) {
    outcomes.push(
      call(running.port, '/pg/held', { body: { key } }).then(
        ({ status }) => String(status),
        (error: unknown) => String((error as NodeJS.ErrnoException).code),
      ),
    )
    // One after the other: they take turns only when each has taken over what it was given.
    const isHeld = "wait_event = 'advisory'"
    await until(async () => (await connectionsOf(running, isHeld)).length === count, `${count} that are held`)
  }
  return { outcomes: Promise.all(outcomes), release }
}

/** The flags of Node and V8 that it was started with. */
function flagsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .filter((part) => part.startsWith('--'))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Many a configuration here has datasources for some of the projects only. */
function isOfProject(line: string): boolean {
  return line.includes('Project without a datasource')
}

function warnings(running: Running): string[] {
  return linesOf(running.stdout()).filter((line) => line.includes(' WARN ') && !isOfProject(line))
}

/** The lines about workers that were killed. */
function ends(running: Running): string[] {
  return warnings(running).filter((line) => line.includes('another one replaces it') && line.includes('SIGKILL'))
}

describe('several processes', { concurrency: 2, skip: withoutChildren }, () => {
  test('three answer on one port, which is told once [D7.1] [S-config.server.workers]', async () => {
    const running = await start({ workers: 3 })
    const children = childrenOf(running.pid)
    strictEqual(children.length, 3)
    for (const pid of children) deepStrictEqual(flagsOf(pid), flagsOf(running.pid))
    strictEqual((await whoAnswers(running, 9)).size, 3)
    const { code, stdout, stderr } = await running.stop()
    deepStrictEqual([code, stderr], [0, ''])
    const told = linesOf(stdout).map((line) => /sqlapi: ([\w -]+?)(?: \w+=|$)/.exec(line)?.[1])
    const header = 'The header X-Datasource may choose among the datasources'
    deepStrictEqual(told, ['Configuration and SQL files read', header, 'Listening', 'Shutting down', 'Stopped'])
  })

  test('without the setting there is one process [D7.1]', async () => {
    const running = await startSqlapi({ files, config: { datasources: [lite] } })
    strictEqual((await call(running.port, '/lite/one')).text, '[{"one":1}]')
    deepStrictEqual(childrenOf(running.pid), [])
    strictEqual((await running.stop()).code, 0)
  })

  describe('two that go on', { concurrency: 1 }, () => {
    let running: Started
    before(async () => {
      running = await start({ workers: 2, maxConnections: 5 })
    })
    after(async () => {
      strictEqual((await running.stop()).code, 0)
    })

    test('/health is the same whoever answers [D7.5] [S-endpoints.health]', async () => {
      const times = new Set<unknown>()
      for (let i = 0; i < 4; i++) {
        const { serverTime, ...same } = JSON.parse((await call(running.port, '/health')).text) as Record<
          string,
          unknown
        >
        strictEqual(typeof serverTime, 'number')
        times.add(JSON.stringify(same))
      }
      strictEqual(times.size, 1)
    })

    test('a pool that is exhausted names the ceiling of all [D7.2] [D6.5]', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => call(running.port, '/pg/sleep', { body: { s: 2.5 } })),
      )
      const refused = answers.filter(({ status }) => status !== 200)
      ok(refused.length > 0)
      for (const answer of refused) {
        strictEqual(errorOf(answer), 'BadSqlGrammarException')
        match(answer.text, /became free within 2 s \(max_connections 5\)/)
      }
    })

    test('together they open no more connections than max_connections, and as many [D7.2] [D6.5]', async (t) => {
      const seen: number[] = []
      const calls = Array.from({ length: 40 }, () => call(running.port, '/pg/sleep', { body: { s: 0.3 } }))
      const watching = repeat(t, 1, async () => void seen.push((await connectionsOf(running)).length))
      await Promise.all(calls)
      await watching.end()
      strictEqual(Math.max(...seen), 5, seen.join())
    })

    test('on SQLite each writes, and waits for the other [D7.2] [D4.5]', async () => {
      strictEqual((await call(running.port, '/lite/setup', { body: {} })).text, '[]')
      const added = await Promise.all(
        Array.from({ length: 100 }, (_, x) => call(running.port, '/lite/add', { body: { x } })),
      )
      deepStrictEqual(new Set(added.map(({ text }) => text)), new Set(['[]']))
      for (let i = 0; i < 2; i++) strictEqual((await call(running.port, '/lite/count')).text, '[{"n":100}]')
    })
  })

  test('one that is killed before all listen: one ERROR, exit code 1 [D7.1] [D6.1]', async () => {
    const sql = Object.fromEntries(Object.entries(files).map(([path, text]) => [`sql/${path}`, text]))
    const config = { sql_dir: 'sql', server: { bind: '127.0.0.1:0', workers: 2 }, datasources: [lite] }
    const spawned = spawnSqlapi({ cwd: newFolder({ ...sql, 'sqlapi.yaml': JSON.stringify(config) }) })
    await until(() => childrenOf(spawned.pid).length > 0, 'a worker')
    for (const pid of childrenOf(spawned.pid)) process.kill(pid, 'SIGKILL')
    const { code, stdout, stderr } = await spawned.ended
    deepStrictEqual([code, stderr], [1, ''])
    match(linesOf(stdout).at(-1) ?? '', / ERROR .*server\.workers: process \d+ ended at once \(SIGKILL\)/)
    const others = linesOf(stdout).filter((line) => !line.includes(' INFO ') && !isOfProject(line))
    strictEqual(others.length, 1)
  })

  test('one that is killed loses its requests only, and is replaced [D7.3]', async () => {
    const running = await start()
    const [first = 0, second] = childrenOf(running.pid)
    const { outcomes, release } = await holdOnBoth(running)
    process.kill(first, 'SIGKILL')
    // Told before the other one goes on, so its end was not waited for.
    const replaced = await running.line(/ WARN /)
    await release()
    deepStrictEqual((await outcomes).toSorted(), ['200', 'ECONNRESET'])
    match(replaced, new RegExp(`another one replaces it pid=${first} reason=SIGKILL pauseMs=100$`))
    await until(async () => (await whoAnswers(running, 4)).size === 2, 'two that answer')
    const now = childrenOf(running.pid)
    deepStrictEqual([now.length, now.includes(first), now.includes(second as number)], [2, false, true])
    // A busy machine may also have a line about a database that is slow to answer the new one.
    deepStrictEqual(ends(running), [replaced])
    strictEqual((await running.stop()).code, 0)
  })

  test('one that keeps ending waits longer each time, and the other one does not [S25]', async () => {
    const running = await start()
    const [stable = 0] = childrenOf(running.pid)
    const pauses = (): number[] =>
      Array.from(running.stdout().matchAll(/ pauseMs=(\d+)$/gm), ([, pause]) => Number(pause))
    for (const count of [1, 2, 3]) {
      await until(() => childrenOf(running.pid).length === 2, 'two processes')
      const victim = childrenOf(running.pid).find((pid) => pid !== stable) as number
      process.kill(victim, 'SIGKILL')
      await until(() => pauses().length === count, 'a line about its end')
    }
    deepStrictEqual(pauses(), [100, 200, 400])
    process.kill(stable, 'SIGKILL')
    await until(() => pauses().length === 4, 'a line about the end of the other one')
    strictEqual(pauses()[3], 100)
    await running.stop()
  })

  test('a connection on its way to one that is killed is closed [D7.3]', async () => {
    const running = await start()
    const [stopped = 0] = childrenOf(running.pid)
    process.kill(stopped, 'SIGSTOP')
    // They take turns, so one of the two is handed to the process that does not move.
    const wires = await Promise.all([Wire.open(running.port), Wire.open(running.port)])
    for (const wire of wires) wire.write('GET /lite/one HTTP/1.1\r\nHost: x\r\n\r\n')
    const outcomes = wires.map((wire) => wire.answer().then(({ text }) => text, () => 'closed')) // prettier-ignore
    strictEqual(await Promise.race(outcomes), '[{"one":1}]')
    process.kill(stopped, 'SIGKILL')
    deepStrictEqual((await Promise.all(outcomes)).toSorted(), ['[{"one":1}]', 'closed'])
    for (const wire of wires) wire.socket.destroy()
    await running.stop()
  })

  test('all of them may end at once: the port stays, and each end is told [D7.3]', async () => {
    const running = await start()
    for (let round = 1; round <= 2; round++) {
      for (const pid of childrenOf(running.pid)) process.kill(pid, 'SIGKILL')
      await until(() => ends(running).length === 2 * round, () => `a line for each end in\n${running.stdout()}`) // prettier-ignore
      await until(() => childrenOf(running.pid).length === 2, 'two new ones')
      await until(() => call(running.port, '/lite/one').then(({ status }) => status === 200, () => false), 'an answer') // prettier-ignore
    }
    await until(async () => (await whoAnswers(running, 4)).size === 2, 'two that answer')
    const { code, stdout } = await running.stop()
    strictEqual(code, 0)
    strictEqual(linesOf(stdout).filter((line) => line.includes('Listening')).length, 1)
  })

  test('a new one serves the files and the settings of the start [D7.3] [S-intro.2]', async () => {
    const running = await start()
    writeFileSync(join(running.folder, 'sql/lite/GET/one.sql'), 'SELECT 2 AS two')
    writeFileSync(join(running.folder, 'sql/lite/GET/broken.sql'), '')
    writeFileSync(join(running.folder, 'sqlapi.yaml'), '{')
    for (const pid of childrenOf(running.pid)) process.kill(pid, 'SIGKILL')
    await until(() => call(running.port, '/lite/one').then(({ text }) => text === '[{"one":1}]', () => false), 'the old answer') // prettier-ignore
    strictEqual((await running.stop()).code, 0)
  })

  test('a fault outside of any request is logged, and ends one process [D7.3]', async () => {
    const folder = newFolder({ 'fault.mjs': "process.on('SIGUSR2', () => { throw new Error('out of the blue') })" })
    const running = await start({ env: { NODE_OPTIONS: `--import=${join(folder, 'fault.mjs')}` } })
    const [first = 0] = childrenOf(running.pid)
    process.kill(first, 'SIGUSR2')
    match(await running.line(/ ERROR /), /Internal error .*out of the blue/)
    match(await running.line(/ WARN /), new RegExp(`pid=${first} reason="exit code 1"`))
    await until(async () => (await whoAnswers(running, 4)).size === 2, 'two that answer')
    strictEqual((await running.stop()).code, 0)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal}, to all of them even: what is in flight is finished, exit code 0 [D7.4] [D6.6]`, async () => {
      const running = await start()
      const children = childrenOf(running.pid)
      const { outcomes, release } = await holdOnBoth(running)
      for (const pid of [...children, running.pid]) process.kill(pid, signal)
      await running.line(/Shutting down/)
      await release()
      deepStrictEqual(await outcomes, ['200', '200'])
      const { code, stdout, stderr } = await running.ended
      deepStrictEqual([code, stderr, warnings(running)], [0, '', []])
      match(linesOf(stdout).at(-1) ?? '', /Stopped$/)
      deepStrictEqual(children.filter(isAlive), [])
      await until(async () => (await connectionsOf(running)).length === 0, 'no connection left')
    })
  }

  test('a second signal ends all of them at once [D7.4] [D6.6]', async () => {
    const running = await start()
    const children = childrenOf(running.pid)
    const { outcomes, release } = await holdOnBoth(running)
    running.kill('SIGTERM')
    await running.line(/Shutting down/)
    running.kill('SIGTERM')
    const { code, signal, stdout } = await running.ended
    deepStrictEqual([code, signal], [null, 'SIGKILL'])
    match(linesOf(stdout).at(-1) ?? '', /WARN .*second signal/)
    deepStrictEqual(await outcomes, ['ECONNRESET', 'ECONNRESET'])
    await release()
    await until(() => !children.some(isAlive), 'no process left')
  })

  test('none outlives the first process, whatever it is doing [D7.4]', async () => {
    const running = await start()
    const children = childrenOf(running.pid)
    const { outcomes, release } = await holdOnBoth(running)
    // A minute of work for SQLite, in one of them.
    const working = call(running.port, '/lite/work', { body: { n: 500_000_000 } }).catch((error: unknown) => error)
    await call(running.port, '/lite/one')
    running.kill('SIGKILL')
    deepStrictEqual(await outcomes, ['ECONNRESET', 'ECONNRESET'])
    await release()
    const outcome = await working
    ok(outcome instanceof Error, JSON.stringify(outcome))
    await until(() => !children.some(isAlive), 'no process left')
    await rejects(call(running.port, '/lite/one'), { code: 'ECONNREFUSED' })
  })

  test('the end: a connection that came while one of them was busy is closed, and the rest goes on [D7.4]', async () => {
    const running = await start()
    const [first = 0] = childrenOf(running.pid)
    const { outcomes, release } = await holdOnBoth(running)
    // What it is told to end, it hears before it is given the connections.
    process.kill(first, 'SIGSTOP')
    running.kill('SIGTERM')
    await running.line(/Shutting down/)
    const late = Array.from({ length: 4 }, () => call(running.port, '/lite/one').catch(String))
    process.kill(first, 'SIGCONT')
    await Promise.all(late)
    await release()
    deepStrictEqual(await outcomes, ['200', '200'])
    strictEqual((await running.ended).code, 0)
  })

  test('one that is killed during the end is told and not replaced [D7.4]', async () => {
    const running = await start()
    const [first = 0] = childrenOf(running.pid)
    const { outcomes, release } = await holdOnBoth(running)
    running.kill('SIGTERM')
    await running.line(/Shutting down/)
    process.kill(first, 'SIGKILL')
    await running.line(/ WARN /)
    await release()
    deepStrictEqual((await outcomes).toSorted(), ['200', 'ECONNRESET'])
    const { code } = await running.ended
    strictEqual(code, 0)
    deepStrictEqual(warnings(running).length, 1)
    match(warnings(running)[0] ?? '', new RegExp(`Ended before all work was finished reason="worker ${first} ended`))
  })

  test('lines longer than a pipe takes at once stay whole, and none is lost [D7.5]', async () => {
    const config = { logging: { level: 'info,sqlx=debug', format: 'json' } }
    const running = await start({ config: { datasources: [{ name: 'pg', url: postgres.url }], ...config } })
    const letters = 'abcdefghijklmnopqrstuvwxyz0123'.split('')
    const long = letters.map((letter) => letter.repeat(100_000))
    // A reader that falls behind, so that both have more to say than goes through.
    running.child.stdout?.pause()
    const answers = long.map((x) => call(running.port, '/pg/echo', { body: { x } }))
    await new Promise((resolve) => setTimeout(resolve, 300))
    running.child.stdout?.resume()
    await Promise.all(answers)
    const { code, stdout } = await running.stop()
    strictEqual(code, 0)
    const logged = linesOf(stdout)
      .map((line) => JSON.parse(line) as { event: string; parameters?: string })
      .filter(({ event }) => event === 'statement')
    deepStrictEqual(
      logged.map(({ parameters }) => String(parameters)).toSorted(),
      long.map((x) => JSON.stringify([x])).toSorted(),
    )
  })

  test('a database that cannot be reached is one warning [D7.5] [D6.4]', async () => {
    const running = await start({ config: { datasources: [
      { name: 'down', url: 'postgres://u:secret@127.0.0.1:1/db' }, { name: 'lite', url: 'sqlite:lite.db' },
    ] } }) // prettier-ignore
    const headers = { 'x-datasource': 'down' }
    for (let i = 0; i < 4; i++) {
      strictEqual(errorOf(await call(running.port, '/lite/one', { headers })), 'BadSqlGrammarException')
    }
    await running.stop()
    strictEqual(warnings(running).length, 1)
    match(warnings(running)[0] ?? '', /Database cannot be reached.* datasource=down url=postgres:\/\/u:\*{5}@/)
  })

  const refusals: readonly [what: string, config: object, files: Files, message: RegExp][] = [
    ['a database in memory', { datasources: [{ name: 'm', url: 'sqlite::memory:' }] }, files,
      /datasources\[0\]\.url: .*server\.workers is 2.* error=InvalidConfigurationException/],
    ['fewer connections than processes', { datasources: [{ ...lite, max_connections: 1 }] }, files,
      /datasources\[0\]\.max_connections: 1 .*server\.workers.* error=InvalidConfigurationException/],
    ['no process at all', { server: { workers: 0 } }, files,
      /server\.workers: found the number 0, expected a whole number from 1 to 64/],
    ['more processes than there is a use for', { server: { workers: 65 } }, files,
      /server\.workers: found the number 65, expected a whole number from 1 to 64/],
    ['a broken file', {}, { 'lite/GET/empty.sql': '' }, /is empty.* error=InvalidQueryException/],
    ['an address of another machine', { server: { workers: 2, bind: '192.0.2.1:8080' } }, files,
      /192\.0\.2\.1:8080 is not an address of this machine.* error=ListenException/],
  ] // prettier-ignore
  for (const [what, config, tree, message] of refusals) {
    test(`${what}: one ERROR, exit code 1 [D7.1] [D6.1] [S-config.server.workers]`, () =>
      refuses({ server: { bind: '127.0.0.1:0', workers: 2 }, datasources: [lite], ...config }, tree, message))
  }

  test('a port that is taken: one ERROR, exit code 1 [D7.1] [D6.1]', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const bind = `127.0.0.1:${(taken.address() as AddressInfo).port}`
    try {
      await refuses({ server: { bind, workers: 3 } }, files, /is in use by another process.* error=ListenException/)
    } finally {
      taken.close()
    }
  })
})

async function refuses(config: object, tree: Files, message: RegExp): Promise<void> {
  const sql = Object.fromEntries(Object.entries(tree).map(([path, text]) => [`sql/${path}`, text]))
  const folder = newFolder({ ...sql, 'sqlapi.yaml': JSON.stringify({ sql_dir: 'sql', ...config }) })
  // Whether the address can be had is found out by the processes; all else is refused before there are any.
  const run = message.source.includes('ListenException')
    ? spawnSqlapi({ cwd: folder }).ended
    : runCommand({ cwd: folder, args: [] })
  const { code, stdout, stderr } = await run
  const lines = linesOf(stdout).filter((line) => !line.includes(' INFO ') && !isOfProject(line))
  deepStrictEqual([code, stderr, lines.length], [1, '', 1], stdout)
  match(lines[0] ?? '', / ERROR /)
  match(lines[0] ?? '', message)
}

test('a ceiling is divided without a rest, the first get one more [D7.2]', () => {
  deepStrictEqual(
    [divide(10, 3), divide(4, 4), divide(5, 2)],
    [
      [4, 3, 3],
      [1, 1, 1, 1],
      [3, 2],
    ],
  )
})

test('the pause before a new one doubles up to half a minute [D7.3]', () => {
  deepStrictEqual([1, 2, 3, 9, 10, 1000].map(pauseMs), [100, 200, 400, 25_600, 30_000, 30_000])
})

test('a database counts as in memory where the driver keeps it there [D7.2] [D6.4]', () => {
  const urls = ['sqlite::memory:', 'sqlite://:memory:', 'sqlite::memory:?cache=shared', 'sqlite:a.db?mode=memory', 'sqlite:a.db',
    'sqlite:/data/a.db?mode=ro', 'sqlite:memory', 'sqlite::memory:.db'] // prettier-ignore
  for (const url of urls) strictEqual(isInMemory(url), readLocation(url).path === undefined, url)
  strictEqual(isInMemory('postgres://:memory:'), false)
})

test('lines are passed on whole, half a line at the end is not [D7.5]', async () => {
  const from = new PassThrough()
  const written: string[] = []
  passLines(from, { write: (lines) => void written.push(lines) })
  const bytes = Buffer.from('one\ntwo öäü\nthree\nhalf')
  for (const byte of bytes) from.write(Buffer.from([byte]))
  from.end()
  await once(from, 'end')
  deepStrictEqual(written, ['one\n', 'two öäü\n', 'three\n'])
})
