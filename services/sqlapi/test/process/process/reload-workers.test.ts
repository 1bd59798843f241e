/** Several processes read files and settings anew: all or none, whichever of them ends meanwhile. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { call, type Files, keepCalling, linesOf, until, writeFiles } from '@services/testing'
import { StartupFailure } from '../../../src/errors.ts'
import { Rollout } from '../../../src/workers/rollout.ts'
import { startProcessWithAdmin } from '../../support/admin.ts'
import { childrenOf, type Running, startSqlapi, withoutChildren } from '../../support/process.ts'

const lite = { name: 'lite', url: 'sqlite:lite.db' }
const workers = 2

function filesOf(version: number): Files {
  return { 'lite/GET/one.sql': `SELECT ${version} AS one` }
}

function start(): Promise<Running> {
  return startSqlapi({ files: filesOf(1), config: { datasources: [lite], server: { workers } } })
}

function write({ folder }: Running, files: Files): void {
  writeFiles(join(folder, 'sql'), files)
}

function told({ stdout }: Pick<Running, 'stdout'>, words: string): string[] {
  return linesOf(stdout()).filter((line) => line.includes(words))
}

async function reload(running: Running): Promise<string> {
  const before = told(running, 'read anew').length
  running.kill('SIGHUP')
  await until(() => told(running, 'read anew').length > before, 'the end of a reload')
  return told(running, 'read anew').at(-1) as string
}

/** Each call is a connection, and they take turns: of as many as there are workers each has one. */
async function versions({ port }: Running, calls = 2 * workers): Promise<Set<string>> {
  const texts: string[] = []
  for (let i = 0; i < calls; i++) texts.push((await call(port, '/lite/one')).text)
  return new Set(texts.map((text) => text.replaceAll(/\D/g, '')))
}

function untilVersion(running: Running, version: number): Promise<void> {
  return until(async () => [...(await versions(running))].join() === String(version), `version ${version} everywhere`)
}

describe('several processes that read anew', { concurrency: 2, skip: withoutChildren }, () => {
  test('all serve the new set, told once; one that is replaced later serves it too [O3.1]', async () => {
    const running = await start()
    write(running, filesOf(2))
    match(await reload(running), / INFO .*were read anew trigger=SIGHUP endpoints=1 /)
    await untilVersion(running, 2)
    process.kill(childrenOf(running.pid)[0] as number, 'SIGKILL')
    await running.line(/another one replaces it/)
    await until(() => childrenOf(running.pid).length === workers, 'both processes')
    for (let i = 0; i < 20; i++) deepStrictEqual([...(await versions(running, 1))], ['2'])
    strictEqual(told(running, 'were read anew').length, 1)
    strictEqual((await running.stop()).code, 0)
  })

  test('none serves a set in which something is wrong [O3.1]', async () => {
    const running = await start()
    write(running, { ...filesOf(2), 'lite/GET/empty.sql': '' })
    match(await reload(running), / ERROR .*empty\.sql is empty/)
    deepStrictEqual([...(await versions(running))], ['1'])
    rmSync(join(running.folder, 'sql/lite/GET/empty.sql'))
    ok((await reload(running)).includes('were read anew'))
    await untilVersion(running, 2)
    strictEqual((await running.stop()).code, 0)
  })

  test('one that is killed while it is to prepare takes nothing, the other does, and so does its successor [O3.1]', async () => {
    const running = await start()
    const [stopped = 0] = childrenOf(running.pid)
    // It gets what it is to prepare, and does not answer.
    process.kill(stopped, 'SIGSTOP')
    write(running, filesOf(2))
    running.kill('SIGHUP')
    write(running, filesOf(2))
    // A second one waits for the first, which waits for an answer.
    running.kill('SIGHUP')
    process.kill(stopped, 'SIGKILL')
    await running.line(/another one replaces it/)
    await until(() => told(running, 'were read anew').length > 0, 'a reload')
    await until(() => childrenOf(running.pid).length === workers, 'both processes')
    await untilVersion(running, 2)
    for (let i = 0; i < 20; i++) deepStrictEqual([...(await versions(running, 1))], ['2'])
    deepStrictEqual(told(running, ' ERROR '), [])
    strictEqual((await running.stop()).code, 0)
  })

  test('no call fails under load while sets change [O3.1]', async () => {
    const running = await start()
    const callers = keepCalling(running.port, '/lite/one', { count: 8, body: '[{"one":1}]', pauseMs: 5 })
    for (let round = 1; round <= 6; round++) {
      const enough = callers.soFar().right + 50
      const datasources = [{ ...lite, acquire_timeout_seconds: 5 + round }]
      const config = { sql_dir: 'sql', server: { bind: '127.0.0.1:0', workers }, datasources }
      writeFileSync(join(running.folder, 'sqlapi.yaml'), JSON.stringify(config))
      write(running, { 'lite/GET/one.sql': `SELECT 1 AS one -- ${round}` })
      ok((await reload(running)).includes('were read anew'))
      await until(() => callers.soFar().right > enough, 'more answers')
    }
    deepStrictEqual((await callers.stop()).wrong, [])
    strictEqual((await running.stop()).code, 0)
  })

  test('levels of the log change in all of them, and metrics go on [O3.1] [O1.3]', async () => {
    const config = { datasources: [lite], server: { workers } }
    const running = await startProcessWithAdmin({ files: filesOf(1), config })
    for (let i = 0; i < 4; i++) strictEqual((await call(running.port, '/lite/one')).status, 200)
    const all = {
      sql_dir: 'sql',
      server: { bind: '127.0.0.1:0', workers },
      admin: { bind: '127.0.0.1:0' },
      datasources: [lite],
      logging: { level: 'info,sqlx=debug' },
    }
    writeFileSync(join(running.folder, 'sqlapi.yaml'), JSON.stringify(all))
    ok((await reload(running)).includes('were read anew'))
    for (let i = 0; i < 4; i++) strictEqual((await call(running.port, '/lite/one')).status, 200)
    await until(() => told(running, 'sqlx: Statement').length === 4, 'the statements of both')
    const samples = await running.samples()
    const requests = 'sqlapi_http_requests_total{endpoint="/lite/one",method="GET",status="200",error=""}'
    deepStrictEqual([samples.get(requests), samples.get('sqlapi_reload_total{outcome="ok"}')], [8, 1])
    strictEqual((await running.stop()).code, 0)
  })
})

describe('a rollout', () => {
  test('is taken when each that has not ended has prepared [O3.1]', async () => {
    const rollout = new Rollout([], ['a', 'b', 'c'])
    rollout.prepared('a')
    rollout.left('b')
    rollout.prepared('c')
    await rollout.decided
    deepStrictEqual([...rollout.ready], ['a', 'c'])
    rollout.left('c')
    deepStrictEqual([...rollout.ready], ['a'])
    const nobody = new Rollout([], [])
    await nobody.decided
    ok(nobody.id > rollout.id)
  })

  test('is dropped where one cannot prepare, or all have ended [O3.1]', async () => {
    const refused = new Rollout([], ['a', 'b'])
    refused.prepared('a')
    refused.refused('ListenException', 'no room')
    await rejects(refused.decided, new StartupFailure('ListenException', 'no room'))
    const ended = new Rollout([], ['a', 'b'])
    ended.prepared('a')
    ended.left('a')
    ended.left('b')
    await rejects(ended.decided, /every worker has ended/)
  })
})
