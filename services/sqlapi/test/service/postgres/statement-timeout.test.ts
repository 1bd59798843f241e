/** Statements that run longer than they may, on PostgreSQL. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'
import { startTestService, type TestReply, type TestService } from '../../support/service.ts'

/** Longer than any test waits: whoever gets there was not ended. */
const sleep = 'SELECT 1 AS slept FROM pg_sleep(600)'

const files = {
  'demo/POST/sleep.sql': `\n${sleep}`,
  'demo/POST/second.sql': `INSERT INTO note VALUES (2);\n${sleep}`,
  'demo/POST/marked.sql': `-- @transactional\nINSERT INTO note VALUES (3);\n${sleep}`,
  'demo/POST/sometimes.sql': 'INSERT INTO note SELECT 4 FROM pg_sleep(:s)',
  'demo/POST/notes.sql': 'SELECT id FROM note ORDER BY id',
  'demo/POST/timeout.sql': `SELECT current_setting('statement_timeout') AS timeout`,
  'demo/POST/pid.sql': 'SELECT pg_backend_pid() AS pid',
  'demo/POST/lift.sql': 'SET statement_timeout = 0',
  'demo/POST/lift-local.sql': '-- @transactional\nSET LOCAL statement_timeout = 0; SELECT 1 AS one',
  'demo/POST/lift-open.sql': 'BEGIN; SET statement_timeout = 0',
  'demo/POST/lift-by-function.sql': `SELECT set_config('statement_timeout', '0', false)`,
  'demo/POST/reset.sql': 'RESET statement_timeout',
  'demo/POST/reset-all.sql': 'RESET ALL',
  'demo/POST/discard.sql': 'DISCARD ALL',
  'demo/POST/authorization.sql': 'SET SESSION AUTHORIZATION DEFAULT',
  'demo/POST/fails.sql': 'SET statement_timeout = 0; SELECT 1 / 0 AS r',
}

function messageOf(reply: TestReply): string {
  const { error, message } = JSON.parse(reply.text) as { error: string; message: string }
  deepStrictEqual([reply.status, error], [400, 'BadSqlGrammarException'])
  return message
}

describe('statement_timeout_seconds: 1', () => {
  let database: TestDatabase
  let service: TestService
  before(async () => {
    database = await createDatabase('postgres')
    await database.execute('CREATE TABLE note (id int)')
    const datasource = { url: database.url, max_connections: 1, statement_timeout_seconds: 1 }
    service = await startTestService({ kind: 'postgres', files, datasource })
  })
  after(async () => {
    await service.close()
    await database.remove()
  })

  const expired: readonly (readonly [path: string, body: unknown, line: number])[] = [
    ['/demo/sleep', {}, 2],
    ['/demo/second', {}, 2],
    ['/demo/marked', {}, 3],
    ['/demo/sometimes/batch', { queries: [{ s: 0 }, { s: 600 }, { s: 0 }] }, 1],
  ]

  for (const [path, body, line] of expired) {
    test(`POST ${path} is ended after a second and says so [S11]`, async () => {
      const pid = (await service.post('/demo/pid')).text
      const message = messageOf(await service.post(path, body))
      const element = path.endsWith('/batch') ? ' in queries[1]' : ''
      strictEqual(message, `statement timeout after 1 s (SQLSTATE 57014, statement at line ${line})${element}`)
      strictEqual((await service.post('/demo/pid')).text, pid)
    })
  }

  test('a batch whose sets are known by now is ended as well, and nothing of it stays [S11]', async () => {
    const queries = [...Array.from({ length: 20 }, () => ({ s: 0 })), { s: 600 }]
    strictEqual((await service.post('/demo/sometimes/batch', { queries: queries.slice(0, 20) })).status, 200)
    const before = (await service.post('/demo/notes')).text
    match(messageOf(await service.post('/demo/sometimes/batch', { queries })), /^statement timeout after 1 s \(/)
    strictEqual((await service.post('/demo/notes')).text, before)
  })

  test('short statements together may take longer than one of them may [S11]', async () => {
    const queries = Array.from({ length: 6 }, () => ({ s: 0.25 }))
    strictEqual((await service.post('/demo/sometimes/batch', { queries })).status, 200)
  })

  for (const name of Object.keys(files).filter((path) => /lift|reset|discard|authorization|fails/.test(path))) {
    const path = name.replace('POST/', '').replace('.sql', '')
    test(`${path} changes nothing for the requests behind it [S11]`, async () => {
      await service.post(`/${path}`)
      strictEqual((await service.post('/demo/timeout')).text, '[{"timeout":"1s"}]')
    })
  }

  test('where every connection is reset after use the limit stays [S11]', async () => {
    await service.post('/demo/timeout')
    await database.execute(`CREATE FUNCTION chameleon(text) RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE $1; END'`)
    // A definition of the service's own makes it look.
    const other = { 'demo/POST/define.sql': 'CREATE TABLE IF NOT EXISTS other (id int)', ...files }
    const datasource = { url: database.url, max_connections: 1, statement_timeout_seconds: 1 }
    const second = await startTestService({ kind: 'postgres', files: other, datasource })
    for (const path of ['/demo/timeout', '/demo/define', '/demo/timeout', '/demo/notes', '/demo/timeout']) {
      const { text } = await second.post(path)
      if (path === '/demo/timeout') strictEqual(text, '[{"timeout":"1s"}]')
    }
    await second.close()
  })
})

test('a statement that somebody else cancels is not said to have timed out [S11]', async () => {
  const datasource = { max_connections: 1, statement_timeout_seconds: 3600 }
  const database = await createDatabase('postgres')
  const observer = new pg.Client({ connectionString: database.url })
  await observer.connect()
  const service = await startTestService({
    kind: 'postgres',
    files,
    datasource: { ...datasource, url: database.url },
  })
  const reply = service.post('/demo/sleep')
  // Asleep, and not only active: between two messages of the protocol PostgreSQL drops a cancel.
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'PgSleep' AND query LIKE '%pg_sleep(600)'`
  for (let rows = 0; rows === 0;) rows = (await observer.query(cancel)).rows.length
  strictEqual(messageOf(await reply), 'The statement was cancelled (SQLSTATE 57014, statement at line 2)')
  await observer.end()
  await service.close()
  await database.remove()
})

test('without the field the limit is the one that the server has [S11]', async () => {
  const database = await createDatabase('postgres')
  const url = `${database.url}?options=${encodeURIComponent('-c statement_timeout=7min')}`
  const service = await startTestService({ kind: 'postgres', files, datasource: { url, max_connections: 1 } })
  for (const path of ['/demo/timeout', '/demo/lift', '/demo/timeout', '/demo/discard', '/demo/timeout']) {
    const { text } = await service.post(path)
    strictEqual(text, path === '/demo/timeout' ? '[{"timeout":"7min"}]' : '[]')
  }
  await service.close()
  await database.remove()
})
