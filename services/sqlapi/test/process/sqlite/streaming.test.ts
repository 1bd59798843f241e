/** Large results on SQLite: what is collected, what is sent while its rows come, and who waits for whom meanwhile. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from 'node:assert/strict'
import { get } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { isFull, newFolder, peakResidentBytes, until, withoutMemoryUse } from '@services/testing'
import { collectLimit, pieceSize } from '../../../src/database/result.ts'
import type { Result } from '../../../src/model.ts'
import { startSqlapi } from '../../support/process.ts'
import { Datasource, newFile, textOf } from '../../support/sqlite.ts'

const numbers = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :n)'
/** Rows of some forty characters; enough of them make a stream. */
const rows = `${numbers} SELECT n, 'some text for row ' || n AS body FROM c`
const many = 100_000
/** Fails at the row `bad`. */
const failing = `${numbers} SELECT n, 'some text' AS body, CASE n WHEN :bad THEN abs(-9223372036854775807 - 1) END AS x FROM c`

const schema = `PRAGMA journal_mode = WAL; CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT);
  INSERT INTO item ${rows.replace(':n', String(many))}`
const allItems = 'SELECT id, body FROM item'

function expected(count: number): string {
  return `[${Array.from({ length: count }, (_, i) => `{"n":${i + 1},"body":"some text for row ${i + 1}"}`).join(',')}]`
}

function toStream(answer: Result): Readable {
  ok(answer instanceof Readable, 'the answer is a stream')
  return answer
}

/** The stream, when nobody has read of it and its worker waits for that. */
async function stalled(answer: Result): Promise<Readable> {
  const stream = toStream(answer)
  await until(() => stream.readableLength > collectLimit + 2 * pieceSize, 'the worker has sent what it may')
  return stream
}

/** Whether the WAL could be emptied, which no reader may be in the way of. */
function canEmptyWal(file: string): boolean {
  const database = new DatabaseSync(file)
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0
  } finally {
    database.close()
  }
}

describe('a large result on SQLite', () => {
  // A recursion is counted in a process, which is there for the next one too.
  const lite = new Datasource(newFile(), 2)

  test('is one text up to the limit and a stream of the same bytes beyond it [S-large.1]', async () => {
    let isStream = false
    for (const n of [1, 1000, 20_000, 24_000, 25_000, 26_000, 60_000]) {
      const answer = await lite.run(rows, { n })
      const text = await textOf(answer)
      strictEqual(text, expected(n), `${n} rows`)
      strictEqual(answer instanceof Readable, text.length > collectLimit + 1, `${n} rows of ${text.length} characters`)
      isStream = answer instanceof Readable
    }
    ok(isStream)
  })

  test('may consist of any characters, of few rows or of one [S-large.1]', async () => {
    const text = `${numbers} SELECT printf('%.*c', :length, :letter) AS long FROM c`
    for (const [n, length, letter] of [
      [1, 1_600_000, 'õ'],
      [3, 1_000_000, '€'],
      [40, 60_000, '\u0001'],
    ] as const) {
      const answer = JSON.parse(await textOf(toStream(await lite.run(text, { n, length, letter })))) as {
        long: string
      }[]
      strictEqual(answer.length, n)
      for (const { long } of answer) ok(long === letter.repeat(length))
    }
  })

  test('is that of the last statement; of those before it only the effect is left [S-large.1]', async () => {
    strictEqual(await lite.run(`${rows}; SELECT 1 AS one`, { n: 60_000 }), '[{"one":1}]')
    strictEqual(await textOf(toStream(await lite.run(`SELECT 1 AS one; ${rows}`, { n: 60_000 }))), expected(60_000))
    const marked = await lite.run(rows, { n: 60_000 }, { transactional: true })
    strictEqual(await textOf(toStream(marked)), expected(60_000))
    strictEqual(await lite.text('SELECT 1 AS one'), '[{"one":1}]')
  })

  test('that fails early is an error, one that fails late never looks whole [S-large.1] [S-large.2]', async () => {
    await rejects(lite.run(failing, { n: many, bad: 10_000 }), {
      name: 'BadSqlGrammarException',
      message: /integer overflow/,
    })
    for (const bad of [40_000, many]) {
      const stream = toStream(await lite.run(failing, { n: many, bad }))
      let received = ''
      await rejects(
        async () => {
          for await (const chunk of stream) received += String(chunk)
        },
        { name: 'BadSqlGrammarException', message: /integer overflow/ },
      )
      ok(received.startsWith('[{"n":1,'))
      throws(() => JSON.parse(received) as unknown)
    }
    strictEqual(await lite.text('SELECT 1 AS one'), '[{"one":1}]')
  })

  test('waits for its reader, with a bounded part of it in memory [S-large.4]', async () => {
    const lite = new Datasource(newFile(schema), 2)
    const stream = await stalled(await lite.run(allItems))
    const writes = Array.from({ length: 50 }, () => lite.run('DELETE FROM item WHERE id = 0', {}, { method: 'POST' }))
    await Promise.all(writes)
    // The first piece is what has been collected; as much again as a few pieces may be on the way behind it.
    ok(stream.readableLength <= collectLimit + 5 * pieceSize, `${stream.readableLength}`)
    let most = 0
    let length = 0
    for await (const chunk of stream) {
      length += (chunk as Buffer).length
      if (length > 2 * collectLimit) most = Math.max(most, stream.readableLength)
      await new Promise((resolve) => setImmediate(resolve))
    }
    ok(most <= 10 * pieceSize, `${most}`)
    strictEqual(length, (await lite.text(allItems)).length)
  })

  test('holds up neither other readers nor the writer [D4.5]', async () => {
    const file = newFile(schema)
    const lite = new Datasource(file, 3)
    const stream = await stalled(await lite.run(allItems))
    await lite.run('INSERT INTO item VALUES (:id, :body)', { id: many + 1, body: 'new' }, { method: 'POST' })
    const last = 'SELECT id, body FROM item ORDER BY id DESC LIMIT 1'
    for (let i = 0; i < 20; i++) strictEqual(await lite.text(last), `[{"id":${many + 1},"body":"new"}]`)
    const seen = JSON.parse(await textOf(stream)) as unknown[]
    strictEqual(seen.length, many, 'it is of the moment at which it began')
    ok(canEmptyWal(file))
  })

  test('does not keep those that came with it, short as it used to be [D4.5]', async () => {
    const lite = new Datasource(newFile(), 4)
    for (let i = 0; i < 10; i++) await lite.run(rows, { n: 1 })
    const others = Array.from({ length: 10 }, (_, i) => i + 1)
    const answers = [many, ...others].map((n) => lite.run(rows, { n }))
    const stream = await stalled(await (answers[0] as Promise<Result>))
    for (const n of others) strictEqual(await answers[n], expected(n))
    strictEqual(await textOf(stream), expected(many))
  })

  for (const [how, leave] of [
    ['stops reading', (stream: Readable) => void stream.destroy()],
    ['has gone', (_stream: Readable, goes: () => void) => goes()],
  ] as const) {
    test(`is given up when its reader ${how}: the worker is free, nothing is locked [S-large.3]`, async () => {
      const file = newFile(schema)
      const lite = new Datasource(file, 2)
      const cancellation = { cancelled: false, onCancel: undefined as (() => void) | undefined }
      const stream = await stalled(await lite.run(allItems, {}, { cancellation }))
      await lite.run('UPDATE item SET body = NULL', {}, { method: 'POST' })
      ok(!canEmptyWal(file), 'the reader holds its moment')
      stream.on('error', () => undefined)
      leave(stream, () => {
        cancellation.cancelled = true
        cancellation.onCancel?.()
      })
      strictEqual(await lite.text('SELECT 1 AS one'), '[{"one":1}]', 'by the only reader that there is')
      ok(canEmptyWal(file))
      await until(() => stream.destroyed, 'the stream has ended')
    })
  }

  test('of a write is collected, so that no reader holds the lock [D4.5]', async () => {
    const lite = new Datasource(newFile(schema))
    const returning = 'UPDATE item SET body = body RETURNING id, body'
    for (const options of [{}, { transactional: true }, { sets: [{}] }]) {
      const answer = await lite.run(returning, {}, { method: 'POST', ...options })
      ok(typeof answer === 'string' && answer.length > 3 * collectLimit)
      strictEqual(JSON.parse(answer).flat().length, many)
    }
    strictEqual(typeof (await lite.run(`${allItems}; DELETE FROM item WHERE id = 0`)), 'string')
  })

  test('of a database in memory, where readers lock the writer out, is collected as well [D4.5]', async () => {
    const lite = new Datasource(':memory:')
    await lite.run('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT)', {}, { method: 'POST' })
    await lite.run(`INSERT INTO item ${rows}`, { n: many }, { method: 'POST' })
    const answer = await lite.run(allItems)
    ok(typeof answer === 'string' && answer.length > 3 * collectLimit)
    strictEqual(await lite.run('DELETE FROM item', {}, { method: 'POST' }), '[]')
  })

  // By day large-results.test.ts has a million rows of either kind of database.
  test(
    'of a million rows goes through a process that stays small [S-large.4]',
    { skip: withoutMemoryUse === false && !isFull ? 'it runs by night' : withoutMemoryUse },
    async () => {
      const running = await startSqlapi({
        folder: newFolder(),
        files: { 'lite/GET/rows.sql': rows.replace(':n', 'cast(:n AS integer)') },
        config: { datasources: [{ name: 'lite', url: 'sqlite:lite.db' }] },
      })
      let length = 0
      let end = ''
      await new Promise<void>((resolve, reject) => {
        const request = get({ host: '127.0.0.1', port: running.port, path: '/lite/rows?n=1000000' }, (response) => {
          response.on('data', (chunk: Buffer) => {
            length += chunk.length
            end = chunk.subarray(-50).toString()
          })
          response.on('end', resolve)
          response.on('error', reject)
        })
        request.on('error', reject)
      })
      match(end, /\{"n":1000000,"body":"some text for row 1000000"\}\]$/)
      // 42 characters a row besides its two numbers, which have 5 888 896 digits together.
      strictEqual(length, 35 * 1_000_000 + 2 * 5_888_896 + 1)
      const peak = peakResidentBytes(running.pid)
      ok(peak < 200 * 1024 * 1024, `${peak} bytes`)
      deepStrictEqual((await running.stop()).code, 0)
    },
  )
})
