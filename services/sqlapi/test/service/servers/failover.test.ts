/** A standby that becomes the primary under load, with synchronous replication: two real servers, real callers. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '@services/testing'
import { type Pair, replicateSynchronously, startReplication, urlOf } from '../../support/replication.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const files = {
  'demo/POST/add.sql': 'INSERT INTO ledger (id) VALUES (CAST(:id AS int))',
  'demo/POST/pair.sql':
    '-- @transactional\nINSERT INTO ledger (id) VALUES (CAST(:id AS int)); INSERT INTO ledger (id) VALUES (CAST(:id AS int) + 1)',
  'demo/GET/port.sql': `SELECT current_setting('port') AS port`,
}

/** Writes rows with numbers of their own, and knows which were acknowledged. */
class Writers {
  readonly acknowledged: number[] = []
  readonly refusals = new Set<string>()
  readonly #service: TestService
  readonly #lives: readonly Promise<void>[]
  #next = 1
  #isEnding = false

  constructor(service: TestService, count: number) {
    this.#service = service
    this.#lives = Array.from({ length: count }, (_, index) => this.#live(index))
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#lives)
  }

  /** Waits until so many more are acknowledged. */
  further(count: number): Promise<void> {
    const enough = this.acknowledged.length + count
    return until(() => this.acknowledged.length >= enough, `${count} further writes`)
  }

  async #live(index: number): Promise<void> {
    while (!this.#isEnding) {
      const id = this.#next
      this.#next += 2
      const both = { queries: [{ id }, { id: id + 1 }] }
      const calls = [
        { path: '/demo/add', body: { id }, ids: [id] },
        { path: '/demo/pair', body: { id }, ids: [id, id + 1] },
        { path: '/demo/add/batch', body: both, ids: [id, id + 1] },
      ]
      const { path, body, ids } = calls[index % calls.length] as (typeof calls)[0]
      const { status, text } = await this.#service.post(path, body)
      if (status === 200) this.acknowledged.push(...ids)
      else this.refusals.add(`${status} ${(JSON.parse(text) as { message: string }).message}`)
    }
  }
}

async function promote({ standby }: Pair): Promise<void> {
  deepStrictEqual(await standby.query('SELECT pg_promote(true, 120) AS done'), [{ done: true }])
}

describe('a promotion under load', () => {
  for (const way of ['crash', 'stop'] as const) {
    test(`after a ${way} of the primary loses no acknowledged write, doubles none, and calls are answered again [O4.1]`, async (context) => {
      const pair = await startReplication()
      context.after(() => pair.remove())
      const { primary, standby } = pair
      // Without a key, so that a row that was written twice is there twice.
      await primary.query('CREATE TABLE ledger (id int NOT NULL)')
      await replicateSynchronously(pair)
      const url = urlOf([primary.port, standby.port], primary, '?target_session_attrs=read-write')
      const service = await startTestService({
        kind: 'postgres',
        files,
        datasource: { url, max_connections: 6, acquire_timeout_seconds: 600 },
      })
      context.after(() => service.close())
      const writers = new Writers(service, 12)
      await writers.further(300)
      await primary[way]()
      await promote(pair)
      await writers.further(300)
      await writers.stop()

      strictEqual((await service.get('/demo/port')).text, `[{"port":"${standby.port}"}]`)
      const rows = (await standby.query('SELECT id FROM ledger')) as unknown as readonly { id: number }[]
      const written = rows.map(({ id }) => id)
      strictEqual(new Set(written).size, written.length, 'nothing is there twice')
      const there = new Set(written)
      deepStrictEqual(
        writers.acknowledged.filter((id) => !there.has(id)),
        [],
        'all that was acknowledged is there',
      )
      for (const refusal of writers.refusals)
        match(refusal, /^400 (?:The connection to|The database ended|Datasource 'demo' cannot|No connection of)/)
      ok(!service.log.join('\n').match(/p@ss|p%40ss/))
    })
  }

  test('a primary that is told to take no more writes is left for another [O4.1]', async (context) => {
    const pair = await startReplication()
    context.after(() => pair.remove())
    const { primary, standby } = pair
    await primary.query('CREATE TABLE ledger (id int NOT NULL)')
    const url = urlOf([primary.port, standby.port], primary, '?target_session_attrs=read-write')
    const service = await startTestService({
      kind: 'postgres',
      files,
      datasource: { url, max_connections: 3, acquire_timeout_seconds: 600 },
    })
    context.after(() => service.close())
    await Promise.all(Array.from({ length: 9 }, (_, id) => service.post('/demo/add', { id })))
    await until(async () => (await standby.query('SELECT FROM ledger')).length === 9, 'the rows on the standby')
    await promote(pair)
    await primary.query('ALTER SYSTEM SET default_transaction_read_only = on')
    await primary.query('SELECT pg_reload_conf()')
    await until(
      async () =>
        (await service.post('/demo/add', { id: 10 })).status === 200 &&
        (await standby.query('SELECT FROM ledger WHERE id = 10')).length > 0,
      'a write on the other server',
    )
    const left = `SELECT FROM pg_stat_activity WHERE application_name = 'sqlapi'`
    await until(async () => (await primary.query(left)).length === 0, 'the connections to the first to end')
  })
})
