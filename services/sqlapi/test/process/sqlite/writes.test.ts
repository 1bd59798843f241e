/**
 * Writes on SQLite through the datasource and the service: what is answered, when, and that it is on the disk by then.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { call, newFolder, until } from '@services/testing'
import { startSqlapi } from '../../support/process.ts'
import { commitsOf, Datasource, newFile } from '../../support/sqlite.ts'

describe('writes on SQLite', () => {
  const table = `PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x UNIQUE)`
  const add = 'INSERT INTO t (x) VALUES (:x) RETURNING id, x'
  const post = { method: 'POST' } as const

  test('that come together are done in their order, with fewer commits, each with its own answer [D4.5]', async () => {
    const file = newFile(table)
    const lite = new Datasource(file)
    strictEqual(await lite.run(add, { x: 0 }, post), '[{"id":1,"x":0}]')
    const before = commitsOf(file)
    const xs = Array.from({ length: 200 }, (_, i) => (i % 10 === 9 ? 0 : i + 1))
    const answers = await Promise.allSettled(xs.map((x) => lite.run(add, { x }, post)))
    let id = 1
    for (const [index, answer] of answers.entries()) {
      if (xs[index] !== 0) deepStrictEqual(answer, { status: 'fulfilled', value: `[{"id":${++id},"x":${xs[index]}}]` })
      else
        match(
          String((answer as PromiseRejectedResult).reason),
          /UNIQUE constraint failed: t\.x \(SQLite 2067, statement at line 1\)/,
        )
    }
    const commits = commitsOf(file) - before
    ok(commits >= 1 && commits < 180, `${commits} commits for 180 rows`)
  })

  test('are seen by whoever reads after the answer [D4.5]', async () => {
    const lite = new Datasource(newFile(table))
    const caller = async (from: number): Promise<void> => {
      for (let x = from; x < from + 40; x++) {
        await lite.run(add, { x }, post)
        strictEqual(await lite.run('SELECT x FROM t WHERE x = :x', { x }), `[{"x":${x}}]`)
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, i) => caller(i * 100)))
  })

  test('share with none that cannot run in a transaction or have one of their own [D4.5]', async () => {
    const file = newFile(table)
    const lite = new Datasource(file)
    const others = [
      'VACUUM',
      'CREATE TABLE IF NOT EXISTS u (x)',
      'PRAGMA journal_mode = WAL',
      'ANALYZE',
      'REINDEX',
      "ATTACH ':memory:' AS other",
      'BEGIN; INSERT INTO t (x) VALUES (-1); ROLLBACK',
      'BEGIN; INSERT INTO t (x) VALUES (-1)',
      'INSERT INTO t (x) VALUES (NULL); INSERT INTO t (x) VALUES (NULL)',
    ]
    let x = 0
    for (let round = 0; round < 5; round++) {
      const all = others.flatMap((other) => [
        lite.run(add, { x: ++x }, post),
        lite.run(other, {}, post),
        lite.run(add, { x: ++x }, post),
      ])
      all.push(lite.run(add, {}, { ...post, sets: [{ x: ++x }, { x: ++x }] }))
      await Promise.all(all)
    }
    strictEqual(await lite.run('SELECT count(x) AS known, count(*) AS n FROM t'), `[{"known":${x},"n":${x + 10}}]`)
  })

  test('that are given up before they begin are not done [D4.5]', async () => {
    const lite = new Datasource(newFile(table))
    await lite.run(add, { x: 0 }, post)
    const cancellations = Array.from({ length: 20 }, () => ({
      cancelled: false,
      onCancel: undefined as (() => void) | undefined,
    }))
    const all = cancellations.map((cancellation, i) => lite.run(add, { x: i + 1 }, { ...post, cancellation }))
    for (const [i, cancellation] of cancellations.entries()) {
      if (i % 2 === 0) continue
      cancellation.cancelled = true
      cancellation.onCancel?.()
    }
    for (const [i, { status }] of (await Promise.allSettled(all)).entries()) {
      strictEqual(status, i % 2 === 0 ? 'fulfilled' : 'rejected')
    }
    strictEqual(await lite.run('SELECT count(*) AS n, sum(x % 2) AS odd FROM t'), '[{"n":11,"odd":10}]')
  })

  test('work the same where readers and writers share one worker, and in memory [D4.5]', async () => {
    for (const [url, connections] of [
      [newFile(table), 1],
      [':memory:', 4],
    ] as const) {
      const lite = new Datasource(url, connections)
      await lite.run('CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, x UNIQUE)', {}, post)
      const all = Array.from({ length: 100 }, (_, i) => [
        lite.run(add, { x: i }, post),
        lite.run('SELECT 1 AS one'),
      ]).flat()
      await Promise.all(all)
      strictEqual(await lite.run('SELECT count(*) AS n FROM t'), '[{"n":100}]')
    }
  })

  test('that were answered outlive the process [D4.5]', async () => {
    const folder = newFolder()
    new DatabaseSync(join(folder, 'lite.db')).exec(table)
    const running = await startSqlapi({
      folder,
      files: { 'lite/POST/add.sql': add },
      config: { datasources: [{ name: 'lite', url: 'sqlite:lite.db' }] },
    })
    const answered: number[] = []
    const caller = async (from: number): Promise<void> => {
      for (let x = from; ; x++) {
        const { status } = await call(running.port, '/lite/add', { body: { x } })
        strictEqual(status, 200)
        answered.push(x)
      }
    }
    const callers = Promise.allSettled(Array.from({ length: 16 }, (_, i) => caller(i * 1_000_000)))
    await until(() => answered.length > 300, 'some hundred answers')
    running.kill('SIGKILL')
    await running.ended
    await callers
    const found = new DatabaseSync(join(folder, 'lite.db')).prepare('SELECT x FROM t').all()
    const xs = new Set(found.map(({ x }) => x))
    for (const x of answered) ok(xs.has(x), `${x} was answered`)
  })
})
