/** Batches and marked files whose statements name something else from one set, or one call, to the next. */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../../support/service.ts'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'

const schema = `
  CREATE SCHEMA one; CREATE TABLE one.t (v int); INSERT INTO one.t VALUES (1);
  CREATE SCHEMA two; CREATE TABLE two.t (v text, w int); INSERT INTO two.t VALUES ('1', 2);
  CREATE TABLE this (b text); INSERT INTO this VALUES ('b'); CREATE TABLE that (a int); INSERT INTO that VALUES (1);
  CREATE TABLE log (line text); CREATE SEQUENCE numbers;
  CREATE FUNCTION turn() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM set_config('search_path', NEW.line || ', public', true); RETURN NEW; END $$;
  CREATE TABLE turns (line text); CREATE TRIGGER turns AFTER INSERT ON turns FOR EACH ROW EXECUTE FUNCTION turn()`

const path = `SELECT set_config('search_path', :s || ', public', true)`
const files = {
  'demo/POST/path.sql': `${path}; SELECT * FROM t WHERE v::text = :v`,
  'demo/POST/marked.sql': `-- @transactional\n${path}; INSERT INTO log VALUES (:s); SELECT * FROM t WHERE v::text = :v`,
  'demo/POST/turned.sql': `ALTER TABLE this RENAME TO x; ALTER TABLE that RENAME TO this; ALTER TABLE x RENAME TO that;
    SELECT * FROM this`,
  'demo/POST/widen.sql': `ALTER TABLE log ADD COLUMN IF NOT EXISTS extra int; INSERT INTO log (line) VALUES (:s);
    SELECT nextval('numbers')::int AS n, * FROM log ORDER BY line LIMIT 1`,
  'demo/POST/count.sql': `CREATE TABLE IF NOT EXISTS log (line text); INSERT INTO log VALUES (:s);
    SELECT count(*) AS n FROM pg_prepared_statements`,
  'demo/POST/trigger.sql': `INSERT INTO turns VALUES (:s); SELECT * FROM t WHERE v::text = :v`,
  'demo/POST/other.sql': `INSERT INTO log VALUES (:s); SELECT * FROM made WHERE v = :v`,
  'demo/POST/session.sql': `SELECT * FROM made WHERE v = :v; SELECT set_config('work_mem', '1MB', true) AS w`,
}

describe('the results of a batch may change between its sets', () => {
  let service: TestService
  let database: TestDatabase
  before(async () => {
    database = await createDatabase('postgres')
    const datasource = { url: database.url, max_connections: 1 }
    await database.execute(schema)
    service = await startTestService({ kind: 'postgres', files, datasource })
  })
  after(async () => {
    await service.close()
    await database.remove()
  })
  const sets = [
    { s: 'one', v: '1' },
    { s: 'two', v: '1' },
    { s: 'one', v: '1' },
    { s: 'one', v: '1' },
    { s: 'two', v: '1' },
  ]
  const results = sets.map(({ s }) => (s === 'one' ? [{ v: 1 }] : [{ v: '1', w: 2 }]))
  const post = async (name: string, body: unknown): Promise<unknown> =>
    JSON.parse((await service.post(name, body)).text)
  const batch = (name: string, queries: unknown): Promise<unknown> => post(`/demo/${name}/batch`, { queries })

  for (const name of ['path', 'marked', 'trigger']) {
    test(`by the search path of a parameter: ${name}.sql [F4]`, async () => {
      for (let round = 0; round < 3; round++) deepStrictEqual(await batch(name, sets), results)
      if (name !== 'marked') return
      for (const [index, set] of sets.entries()) deepStrictEqual(await post(`/demo/${name}`, set), results[index])
    })
  }

  test('by a table that is made again, or gets a column [F4]', async () => {
    const turns = [[{ a: 1 }], [{ b: 'b' }], [{ a: 1 }], [{ b: 'b' }]]
    for (let round = 0; round < 2; round++) deepStrictEqual(await batch('turned', [{}, {}, {}, {}]), turns)
    const widened = (await batch('widen', [{ s: 'a' }, { s: 'b' }])) as { n: number; extra: null }[][]
    ok(widened.every(([row]) => row !== undefined && 'extra' in row))
  })

  test('between two batches, by others: nothing is done twice [F4]', async () => {
    for (const type of ['int', 'text', 'date']) {
      const value = type === 'date' ? '2026-01-01' : '1'
      const v = type === 'int' ? 1 : value
      await database.execute(`DROP TABLE IF EXISTS made; CREATE TABLE made (v ${type}); INSERT INTO made VALUES ('${value}');
        TRUNCATE log`)
      for (let round = 0; round < 2; round++) {
        deepStrictEqual(await batch('other', [{ s: type, v }, { s: type, v }]), [[{ v }], [{ v }]], type) // prettier-ignore
        deepStrictEqual(await batch('session', [{ v }, { v }]), [[{ w: '1MB' }], [{ w: '1MB' }]], type)
      }
      await database.execute(`DO $$ BEGIN ASSERT (SELECT count(*) FROM log) = 4; END $$`)
    }
  })

  test('statements that were given up are not left on the connection [F4]', async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ s: `s${index}` }))
    const found = (await batch('count', many)) as { n: number }[][]
    ok(Number(found.at(-1)?.[0]?.n) < 20, JSON.stringify(found.at(-1)))
  })
})
