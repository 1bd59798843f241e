/** Who gets which SQLite worker, over real files. */
import { ok, strictEqual } from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { call, elapsed, errorOf, linesOf, newFolder, until } from '@services/testing'
import { inProject, transferAtRandom, transfers } from '../../support/pool/pool-transfers.ts'
import { type Running, startSqlapi } from '../../support/process.ts'

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

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
      },
    })
    port = running.port
  })
  after(async () => {
    strictEqual(running.stderr(), '')
    const { code } = await running.stop()
    strictEqual(code, 0)
  })

  /** The answer of a statement that was under way until the others had theirs, however fast the machine is. */
  async function besideLong(count: (n: number) => Promise<{ text: string }>, others: () => Promise<void>) {
    for (let n = 2_000_000; ; n *= 2) {
      let isDone = false
      const long = count(n).finally(() => (isDone = true))
      await others()
      const cameFirst = !isDone
      strictEqual((await long).text, `[{"n":${n}}]`)
      if (cameFirst) return
      ok(n < 60_000_000, 'the others come first')
    }
  }

  test('while a statement runs for long everything else is answered at once [D4.5]', async () => {
    const count = (n: number) => call(port, '/lite/count', { body: { n } })
    await besideLong(count, async () => {
      await sleep(50)
      for (let i = 0; i < 5; i++) {
        for (const path of ['/health', '/lite/one', '/datasources', '/lite/none']) {
          await call(port, path)
        }
        strictEqual((await call(port, '/lite/one', two('memory'))).text, '[{"one":1}]')
      }
      strictEqual((await call(port, '/lite/make', { body: {} })).text, '[]', 'a writer beside it')
    })
  })

  test('nor does a statement delay others that used to be short, not even those sent with it [D4.5]', async () => {
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

  test('writers wait for the lock of another process, and no longer than they may [D4.5]', async () => {
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
    ok(since() > 900, `${since()}`)
    other.exec('ROLLBACK')
    other.close()
    strictEqual((await call(port, '/lite/add', { body: { x: 5 }, ...two('lock') })).text, '[]')
    strictEqual((await call(port, '/lite/size', two('lock'))).text, '[{"n":5}]')
  })

  test('a file is in WAL mode and keeps foreign keys [D4.5]', async () => {
    strictEqual((await call(port, '/lite/mode')).text, '[{"journalMode":"wal"}]')
    strictEqual((await call(port, '/lite/keys')).text, '[{"foreignKeys":1}]')
  })

  test('a file that is read only is only read [D6.4] [D4.5]', async () => {
    strictEqual((await call(port, '/lite/size', two('old'))).text, '[{"n":1}]')
    strictEqual((await call(port, '/lite/mode', two('old'))).text, '[{"journalMode":"delete"}]')
    for (const path of ['/lite/add', '/lite/marked']) {
      strictEqual(errorOf(await call(port, path, { body: { x: 1 }, ...two('old') })), 'BadSqlGrammarException', path)
    }
    for (const suffix of ['-wal', '-shm', '-journal']) ok(!existsSync(join(running.folder, `old.db${suffix}`)), suffix)
  })

  test('a missing file is created by the first use and not by the probe [D6.4]', async () => {
    const file = join(running.folder, 'not yet.db')
    await until(() => warnings().length === 3, 'the probes')
    ok(!existsSync(file))
    strictEqual((await call(port, '/lite/one', two('missing'))).text, '[{"one":1}]')
    ok(existsSync(file))
  })

  /** About datasources that cannot be opened; that a file will be made is another one. */
  function warnings(): string[] {
    return linesOf(running.stdout()).filter(
      (line) => line.includes(' WARN ') && !line.includes('The SQLite file does not'),
    )
  }

  test('what cannot be opened is one WARN and a refusal with every request [D6.4]', async () => {
    await until(() => warnings().length === 3, 'three warnings')
    ok(warnings().some((line) => /datasource=rw .*"The file \/.*never\.db does not exist; /.test(line)))
    for (const name of ['rw', 'folder', 'text']) {
      strictEqual(warnings().filter((line) => line.includes(`datasource=${name} `)).length, 1, name)
      const answers = await Promise.all([1, 2, 3].map(() => call(port, '/lite/one', two(name))))
      for (const answer of answers) {
        strictEqual(errorOf(answer), 'BadSqlGrammarException')
        ok(!answer.text.includes('became free'), answer.text)
      }
    }
    ok(!existsSync(join(running.folder, 'never.db')))
    writeFileSync(join(running.folder, 'text.db'), '')
    strictEqual((await call(port, '/lite/one', two('text'))).text, '[{"one":1}]', 'it recovers by itself')
  })

  test("a database in memory is one for all requests of its datasource, and nobody else's [D6.4]", async () => {
    await call(port, '/lite/make', { body: {}, ...two('memory') })
    const adds = Array.from({ length: 30 }, (_, x) => call(port, '/lite/add', { body: { x }, ...two('memory') }))
    for (const answer of await Promise.all(adds)) strictEqual(answer.text, '[]')
    const sizes = await Promise.all(Array.from({ length: 20 }, () => call(port, '/lite/size', two('memory'))))
    for (const { text } of sizes) strictEqual(text, '[{"n":30}]')
    strictEqual(errorOf(await call(port, '/lite/size', two('other'))), 'BadSqlGrammarException')
  })

  test('transfers at random add up [S-batch.2] [S-marker.1]', async () => {
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
