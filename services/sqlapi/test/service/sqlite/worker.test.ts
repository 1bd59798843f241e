/** One SQLite worker and the main thread's end of it: whose a job is when both want it. */
import { match, strictEqual } from 'node:assert/strict'
import { after, test } from 'node:test'
import { Sink } from '../../../src/database/result.ts'
import { takenBack } from '../../../src/database/pool/job.ts'
import { depth } from '../../../src/database/sqlite/claims.ts'
import type { Assignment } from '../../../src/database/sqlite/workplaces/assignment.ts'
import { Connection } from '../../../src/database/sqlite/workplaces/connection.ts'
import { contentOf, newFile, openOptions } from '../../support/sqlite.ts'

/** Some tenths of a second of work for SQLite. */
const slow = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?1) SELECT max(n) AS n FROM c'

function select(n: number, sql = 'SELECT ?1 AS n'): Assignment {
  const job = {
    transaction: 'none' as const,
    touchesSession: false,
    batch: false,
    format: 'json' as const,
    mayRunOn: true,
    isRead: true,
    sets: [[{ statement: sql.length, values: [n] }]],
  }
  return { job, textOf: () => sql, sink: new Sink(() => undefined) }
}

async function open(file = newFile(), abandoned: () => void = () => undefined): Promise<Connection> {
  const connection = await Connection.open(
    { ...openOptions(file, 1000), statementTimeoutSeconds: 0 },
    { broken: () => undefined, moved: () => undefined, long: () => undefined, abandoned },
  )
  after(() => connection.close())
  return connection
}

test('who is done does not wait for one behind that nobody knows yet [D4.5]', async () => {
  const connection = await open()
  // From now on a reply takes so little time that it could wait for others.
  for (let n = 0; n < 10; n++) await connection.run(select(n)).done
  let isDone = false
  const short = connection.run(select(1)).done
  const long = connection.run(select(3_000_000, slow)).done.finally(() => (isDone = true))
  strictEqual(await short, '[{"n":1}]')
  await new Promise((resolve) => setImmediate(resolve))
  strictEqual(isDone, false)
  strictEqual(await long, '[{"n":3000000}]')
})

test('a worker that gets no time is asked for its jobs again and again, and none is lost or mixed up [D4.5]', async () => {
  const connection = await open()
  let underWay = 0
  let answered = 0
  let givenBack = 0
  const all: Promise<void>[] = []
  const run = async (n: number): Promise<void> => {
    underWay++
    try {
      strictEqual(await connection.run(select(n)).done, `[{"n":${n}}]`)
      answered++
    } catch (error) {
      if (error !== takenBack) throw error
      givenBack++
    } finally {
      underWay--
    }
  }
  let sent = 0
  // No turn of the event loop comes between: the worker hears of nothing.
  for (let round = 0; round < 10; round++) {
    for (let free = depth - underWay; free > 0; free--) all.push(run(++sent))
    connection.giveBack()
    for (let i = 0; i < 5; i++) await Promise.resolve()
  }
  await Promise.all(all)
  strictEqual(answered, depth, 'the last it keeps')
  strictEqual(givenBack, sent - depth)
  for (let n = 0; n < 3 * depth; n++) await run(n)
  strictEqual(answered, 4 * depth, 'every claim can be used again')
})

test('what a worker gives back has come behind everything that it keeps [D4.5]', async () => {
  const connection = await open()
  await connection.run(select(0)).done
  for (let round = 0; round < 100; round++) {
    const kept: boolean[] = []
    const all = Array.from({ length: depth }, async (_, n) => {
      kept[n] = await connection.run(select(n)).done.then(
        () => true,
        () => false,
      )
    })
    await new Promise((resolve) => setImmediate(resolve))
    // The worker has the message by now and begins one job after the other, while these are taken from it.
    for (const since = performance.now(); performance.now() - since < (round % 10) / 20;);
    connection.giveBack()
    await Promise.all(all)
    strictEqual(kept.lastIndexOf(true), kept.indexOf(false) === -1 ? depth - 1 : kept.indexOf(false) - 1)
  }
})

test('a job whose commit is done gets its answer when its worker is given up before the answer was read [S12]', async () => {
  const file = newFile('PRAGMA journal_mode = WAL; CREATE TABLE t (x)')
  let told = ''
  const connection = await open(file, () => (told += 'abandoned'))
  const { job, ...rest } = select(1, 'INSERT INTO t VALUES (CAST(?1 AS INTEGER))')
  const written = connection.run({ ...rest, job: { ...job, transaction: 'shared', mayRunOn: false, isRead: false } })
  const answered = written.done.finally(() => (told += 'answered '))
  const behind = connection.run(select(20_000_000, slow)).done.catch(() => undefined)
  // The jobs are handed over now. Nothing is heard of them until the worker has had all of its time to close.
  await new Promise((resolve) => setImmediate(resolve))
  const closing = connection.close()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)
  strictEqual(await answered, '[]')
  await Promise.all([closing, behind])
  match(told, /^answered /)
  strictEqual(contentOf(file), '1')
})
