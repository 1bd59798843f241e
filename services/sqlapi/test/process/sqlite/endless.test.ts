/**
 * SQLite statements that give no row and do not end: their clients go, or their time is up, and everybody else is
 * answered. Real statements in real threads and processes; how long anybody waits is compared with what the service
 * promises by a generous measure, never with the speed of the machine.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { call, isFull, linesOf, newFolder, until } from '@services/testing'
import { processGoneMs, threadGoneMs } from '../../../src/database/sqlite/worker-messages.ts'
import type { Cancellation } from '../../../src/model.ts'
import { startSqlapi } from '../../support/process.ts'
import { type CallOptions, contentOf, Datasource, isLocked, newFile, type Values } from '../../support/sqlite.ts'

const schema = `PRAGMA journal_mode = WAL; CREATE TABLE t (x); CREATE TABLE big (x);
  INSERT INTO big WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000) SELECT n FROM c`
const add = 'INSERT INTO t VALUES (:x)'
const all = "SELECT group_concat(x, ' ') AS xs FROM (SELECT x FROM t ORDER BY rowid)"
const post = { method: 'POST' } as const

const counting = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c WHERE n < 0'
const crossing = 'SELECT 1 FROM big a, big b, big c WHERE a.x + b.x + c.x < 0'

const reads: Readonly<Record<string, string>> = {
  'a recursion that gives no row': counting,
  'a recursion without the word, in a subquery': `SELECT 1 WHERE EXISTS (${counting.replace('RECURSIVE ', '')})`,
  'a cross join with a condition that never holds': crossing,
  'a count of a cross join': 'SELECT count(*) FROM big a, big b, big c',
  'a file of several statements': `SELECT 1; ${counting}; SELECT 2`,
}

const writes: Readonly<Record<string, { sql: string; options?: CallOptions }>> = {
  'an INSERT of a recursion': { sql: `INSERT INTO t ${counting}` },
  'an INSERT of a recursion that gives rows': { sql: `INSERT INTO t ${counting.replace('WHERE n < 0', '')}` },
  'an INSERT of a cross join': { sql: `INSERT INTO t ${crossing}` },
  'an UPDATE with a subquery': { sql: `UPDATE t SET x = (SELECT count(*) FROM big a, big b WHERE a.x + b.x <> t.x)` },
  'a DELETE': { sql: `DELETE FROM t WHERE x IN (${counting})` },
  'a batch': {
    sql: `INSERT INTO t SELECT :x WHERE :x < 2 OR EXISTS (${counting})`,
    options: { sets: [{ x: 1 }, { x: 2 }] },
  },
  'a marked file': { sql: `${add}; INSERT INTO t ${counting}`, options: { transactional: true } },
  'a file of several statements': { sql: `INSERT INTO t ${counting}; ${add}` },
  'a table that is made': { sql: `CREATE TABLE made AS ${counting}` },
}

/** One of each kind: of a read, a write, a batch, a marked file; by night all of them. */
const some = new Set([
  'a recursion that gives no row',
  'a count of a cross join',
  'an INSERT of a recursion',
  'an UPDATE with a subquery',
  'a batch',
  'a marked file',
])

/** A thread takes the lock too, for the moment in which it finds out that the statement is for a process. */
async function isHeld(file: string): Promise<boolean> {
  for (let look = 0; look < 10; look++) {
    if (!isLocked(file)) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}

/** A client that goes away, once it is certain that its statement is under way. */
class Leaver {
  readonly cancellation: Cancellation = { cancelled: false, onCancel: undefined }
  readonly outcome: Promise<string>

  constructor(lite: Datasource, sql: string, values: Values, options: CallOptions = {}) {
    const running = lite.run(sql, values, { ...options, cancellation: this.cancellation })
    this.outcome = running.then(
      () => 'answered',
      (error: unknown) => (error as Error).message,
    )
  }

  leave(): void {
    this.cancellation.cancelled = true
    this.cancellation.onCancel?.()
  }
}

/** How long it may go on then: less than usual, because each of these takes a processor for as long. */
const goneMs = 300

const left = /The client has gone|connection to the database was lost/

/** What is promised (2 s), with plenty for a loaded machine; without the promise it would be for ever. */
const soonMs = 30_000

function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not soon: ${what}`)), soonMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

describe('clients that leave a statement without an end on SQLite', () => {
  for (const what of [
    'a recursion that gives no row',
    ...(isFull ? ['a cross join with a condition that never holds'] : []),
  ]) {
    test(`${what}: more of them than there are readers, and everybody is answered [S12]`, async () => {
      const file = newFile(schema)
      const lite = new Datasource(file, 3, 0, goneMs)
      await lite.run(add, { x: 1 }, post)
      // No lock tells that a read is under way: they stay until they were long enough.
      for (let ms = 250; lite.givenUp.length === 0; ms *= 2) {
        const leavers = Array.from({ length: 4 }, () => new Leaver(lite, reads[what] as string, {}))
        await new Promise((resolve) => setTimeout(resolve, ms))
        for (const leaver of leavers) leaver.leave()
        strictEqual(await soon(lite.text(all), 'a read'), '[{"xs":"1"}]')
        for (const { outcome } of leavers) match(await outcome, left)
      }
      strictEqual(lite.givenUp[0]?.reason, 'its client has gone')
      strictEqual(await soon(lite.text(add, { x: 2 }, post), 'a write'), '[]')
      strictEqual(contentOf(file), '1 2')
    })
  }

  for (const what of ['an INSERT of a recursion', 'a batch', ...(isFull ? ['an INSERT of a cross join'] : [])]) {
    test(`${what}: the next write is done, and nothing is left of it [S12]`, async () => {
      const { sql, options } = writes[what] as (typeof writes)[string]
      const file = newFile(schema)
      const lite = new Datasource(file, 3, 0, goneMs)
      await lite.run(add, { x: 0 }, post)
      const leaver = new Leaver(lite, sql, { x: 1 }, { ...post, ...options })
      await until(() => isHeld(file), 'it is under way')
      leaver.leave()
      const others = [1, 2, 3].map((x) => soon(lite.text(add, { x: `other ${x}` }, post), `write ${x}`))
      deepStrictEqual(await Promise.all(others), ['[]', '[]', '[]'])
      match(await leaver.outcome, left)
      deepStrictEqual(
        lite.givenUp.map(({ reason }) => reason),
        ['its client has gone'],
      )
      strictEqual(contentOf(file), '0 other 1 other 2 other 3')
    })
  }
})

test('a statement whose client has left may go on for as long as the manual says [S12] [T3]', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
  const [, process, thread] = /if it still runs ([\d.]+) seconds.*if it still runs (\d+) seconds/s.exec(manual) ?? []
  deepStrictEqual([Number(process) * 1000, Number(thread) * 1000], [processGoneMs, threadGoneMs])
})

describe('statement_timeout_seconds on SQLite', () => {
  // One for all: the process that takes the place of one that was ended is there for the next statement without an end.
  const file = newFile(schema)
  const lite = new Datasource(file, 2, 0.3)
  /** Its client may be told before the log is. */
  const untilGivenUp = async (): Promise<void> => {
    await until(() => lite.givenUp.length > 0, 'the log to tell of it')
    deepStrictEqual(
      lite.givenUp.splice(0).map(({ outcome }) => outcome),
      ['it was ended and undone'],
    )
  }

  for (const [what, sql] of Object.entries(reads).filter(([what]) => isFull || some.has(what))) {
    test(`${what} is ended, and its client told [S11] [S12]`, async () => {
      await rejects(soon(lite.text(sql), 'the timeout'), (error: Error) => {
        strictEqual(error.name, 'BadSqlGrammarException')
        match(error.message, /^statement timeout after 0.3 s \(statement at line 1\)$/)
        return true
      })
      strictEqual(await soon(lite.text('SELECT 1 AS n'), 'the next'), '[{"n":1}]')
      await untilGivenUp()
    })
  }

  for (const [what, { sql, options }] of Object.entries(writes).filter(([what]) => isFull || some.has(what))) {
    test(`${what} is ended, its client told where, and nothing is left of it [S11] [S12] [S17]`, async () => {
      await lite.run('DELETE FROM t', {}, post)
      await lite.run(add, { x: 0 }, post)
      const place = options?.sets === undefined ? '' : ' in queries[1]'
      await rejects(soon(lite.text(sql, { x: 1 }, { ...post, ...options }), 'the timeout'), {
        name: 'BadSqlGrammarException',
        message: `statement timeout after 0.3 s (statement at line 1)${place}`,
      })
      strictEqual(await soon(lite.text(add, { x: 2 }, post), 'the next'), '[]')
      strictEqual(contentOf(file), '0 2')
      strictEqual(await lite.text('SELECT count(*) AS n FROM sqlite_schema'), '[{"n":2}]')
      await untilGivenUp()
    })
  }

  test('a statement that gives rows all the while is ended too [S11]', async () => {
    const endless = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c'
    await rejects(soon(lite.text(endless), 'the timeout'), /statement timeout after 0.3 s/)
  })

  test('each statement of a file and each set of a batch has the time for itself [S11]', async () => {
    const lite = new Datasource(newFile(schema), 2, 1)
    const some = 'INSERT INTO t WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :n) SELECT max(n) FROM c'
    // As many as take about three times the limit together.
    const started = performance.now()
    await lite.run(some, { n: 60_000 }, post)
    await lite.run(some, { n: 60_000 }, post)
    const oneMs = (performance.now() - started) / 2
    const sets = Array.from({ length: Math.min(500, Math.ceil(3000 / oneMs)) }, () => ({ n: 60_000 }))
    await lite.run(some, {}, { ...post, sets })
  })

  test('the neighbours of a group keep their answers, and are written once [S12]', async () => {
    const file = newFile(`${schema}; CREATE TRIGGER slow AFTER INSERT ON t WHEN new.x = 'endless' BEGIN
      INSERT INTO t ${counting}; END`)
    const lite = new Datasource(file, 3, 1)
    const acknowledged: unknown[] = []
    const write = async (x: number | string): Promise<void> => {
      await lite.text(add, { x }, post)
      acknowledged.push(x)
    }
    // So that the statement is known to be short.
    for (let x = 0; x < 20; x++) await write(x)
    const neighbours = [...Array(10).keys()].map((x) => write(`before${x}`))
    const endless = lite.text(add, { x: 'endless' }, post)
    const others = [...Array(10).keys()].map((x) => write(`behind${x}`))
    await rejects(soon(endless, 'the timeout'), /statement timeout after 1 s/)
    await soon(Promise.all([...neighbours, ...others]), 'the neighbours')
    deepStrictEqual(String(contentOf(file)).split(' ').toSorted(), acknowledged.map(String).toSorted())
  })
})

const withoutChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
  ? false
  : 'this system has no /proc/<pid>/task/<pid>/children to find the processes by'

/** Processes that this one has started. */
function childrenOf(pid: number): Set<string> {
  return new Set(
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter((id) => id !== ''),
  )
}

test(
  'the process that takes the place of a wedged one is started before that is ended [S12]',
  { skip: withoutChildren },
  async () => {
    const file = newFile(schema)
    const lite = new Datasource(file, 1, 1)
    const before = childrenOf(process.pid)
    const since = (): string[] => [...childrenOf(process.pid)].filter((id) => !before.has(id))
    const endless = lite.text(`INSERT INTO t ${counting}`, {}, post)
    await until(() => since().length > 0, 'its process')
    const [wedged] = since()
    await rejects(soon(endless, 'the timeout'), /statement timeout after 1 s/)
    // Nobody has asked for anything since.
    await until(() => since().length === 1 && since()[0] !== wedged, 'one that waits for the next')
    const [next] = since()
    const sum = 'INSERT INTO t WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT sum(n) FROM c'
    strictEqual(await lite.text(sum, {}, post), '[]')
    deepStrictEqual(since(), [next])
    strictEqual(contentOf(file), '6')
  },
)

test('what may run on and on is answered from its process as from a thread, streams included [S12]', async () => {
  const lite = new Datasource(newFile(schema), 3)
  const sum = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :n) SELECT n, :text AS t FROM c'
  strictEqual(await lite.text(sum, { n: 2, text: 'õun' }), '[{"n":1,"t":"õun"},{"n":2,"t":"õun"}]')
  const many = 60_000
  const rows = JSON.parse(await lite.text(sum, { n: many, text: 'some text that takes its place' })) as { n: number }[]
  strictEqual(rows.length, many)
  ok(rows.every(({ n }, index) => n === index + 1))
  const together = Array.from({ length: 200 }, (_, n) => lite.text(sum, { n: n + 1, text: null }))
  deepStrictEqual(
    (await Promise.all(together)).map((text) => (JSON.parse(text) as unknown[]).length),
    together.map((_, n) => n + 1),
  )
  await rejects(
    lite.run(`INSERT INTO t ${sum}`, { n: 1, text: '' }, post),
    /table t has 1 columns but 2 values were supplied/,
  )
})

test('the end in order is not held up, and the log tells what was given up [S11] [S12]', async () => {
  const files = {
    'lite/GET/endless.sql': counting,
    'lite/POST/endless.sql': `INSERT INTO t ${counting}`,
    'lite/POST/add.sql': add,
    'memory/GET/endless.sql': counting,
    'memory/GET/one.sql': 'SELECT 1 AS one',
    'memory/POST/one.sql': 'CREATE TABLE IF NOT EXISTS one (x)',
  }
  const datasource = { statement_timeout_seconds: 1 }
  const datasources = [
    { name: 'lite', url: `sqlite:${newFile(schema)}`, max_connections: 3, ...datasource },
    // Here no process can do it, and a thread cannot be ended: each keeps a processor busy to the end.
    { name: 'memory', url: 'sqlite::memory:', max_connections: 2, ...datasource },
  ]
  const sqlapi = await startSqlapi({ folder: newFolder(), files, config: { datasources } })
  const answers = await Promise.all([
    call(sqlapi.port, '/lite/endless'),
    call(sqlapi.port, '/lite/endless', { body: {} }),
    call(sqlapi.port, '/memory/endless'),
  ])
  for (const { text } of answers) match(text, /"message":"statement timeout after 1 s \(statement at line 1\)"/)
  strictEqual((await call(sqlapi.port, '/lite/add', { body: { x: 1 } })).text, '[]')
  strictEqual((await call(sqlapi.port, '/memory/one')).text, '[{"one":1}]')
  let text = ''
  do ({ text } = await call(sqlapi.port, '/memory/endless'))
  while (/statement timeout/.test(text))
  match(
    text,
    /No worker of datasource 'memory' can be started: 2 statements .* still run \(max_connections 2\); .* restart/,
  )
  const { code, stdout, stderr } = await soon(sqlapi.stop(), 'the end')
  deepStrictEqual([code, stderr], [0, ''])
  const lines = linesOf(stdout)
  match(lines.at(-1) as string, /Stopped/)
  const warnings = lines.filter((line) => line.includes('given up'))
  ok(warnings.every((line) => / WARN /.test(line) && /line=1 reason="it ran longer than 1 s"/.test(line)))
  ok(warnings.length >= 4, 'two of the file, two in memory')
  match(warnings.at(-1) as string, /max_connections \(2\)/)
})
