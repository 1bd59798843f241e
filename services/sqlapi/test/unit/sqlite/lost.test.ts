/**
 * SQLite workers that end by themselves, or whose session is lost: who is told, and that the next request finds
 * another.
 */
import { rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { until } from '@services/testing'
import { Datasource, isLocked, newFile } from '../../support/sqlite.ts'

const table = 'PRAGMA journal_mode = WAL; CREATE TABLE t (x)'
const add = 'INSERT INTO t VALUES (:x)'
const size = 'SELECT count(*) AS n FROM t'
const post = { method: 'POST' } as const
/** Some tenths of a second of work for SQLite, and nothing that might not end: it stays in its thread. */
const addSlowly = 'INSERT INTO t SELECT sum(length(hex(randomblob(100000)))) FROM json_each(:x)'
const manyTimes = JSON.stringify(Array.from({ length: 3000 }, () => 0))

/** The next worker that is started. */
async function nextWorker(): Promise<Worker> {
  const [worker] = (await once(process, 'worker')) as [Worker]
  return worker
}

describe('a SQLite worker', () => {
  test('that ends by itself is replaced [D6.4]', async () => {
    const lite = new Datasource(newFile(table))
    for (let x = 0; x < 3; x++) {
      const starting = nextWorker()
      await lite.run(add, { x }, post)
      await (await starting).terminate()
    }
    strictEqual(await lite.run(size), '[{"n":3}]')
  })

  test('that ends by itself fails the job it was at; those behind it are done by the next [D6.4]', async () => {
    const file = newFile(table)
    const lite = new Datasource(file)
    const starting = nextWorker()
    await lite.run(add, { x: 0 }, post)
    const worker = await starting
    const slow = lite.run(addSlowly, { x: manyTimes }, post)
    const behind = Promise.all(Array.from({ length: 20 }, (_, x) => lite.run(add, { x }, post)))
    const failing = rejects(slow, /The connection to the database was lost/)
    await until(() => isLocked(file), 'the slow write has begun')
    await worker.terminate()
    await failing
    await behind
    strictEqual(await lite.run(size), '[{"n":21}]')
  })

  test('whose session cannot be made anew says so and serves nobody any more [D3.6]', async () => {
    const file = newFile(table)
    const lite = new Datasource(file)
    const starting = nextWorker()
    await lite.run(add, { x: 0 }, post)
    const ended = once(await starting, 'exit')
    const touching = lite.run(`PRAGMA foreign_keys = OFF; ${addSlowly}`, { x: manyTimes }, post)
    const failing = rejects(touching, /The file of the database was deleted or replaced in the meantime/)
    await until(() => isLocked(file), 'it is under way')
    renameSync(file, `${file}-away`)
    await failing
    renameSync(`${file}-away`, file)
    strictEqual(await lite.run(add, { x: 1 }, post), '[]')
    const [code] = (await ended) as [number]
    strictEqual(code, 0, 'it has ended in order')
    strictEqual(await lite.run(size), '[{"n":3}]', 'the slow one is in the file, and nobody was told that it is')
  })
})
