/** `@timeout`: a file's own limit for its statements, on both databases, and that nobody else gets it. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestService, type TestReply, type TestService, type TestServiceOptions } from '../../support/service.ts'

/** Longer than any test waits. */
const sleep = 'SELECT 1 AS slept FROM pg_sleep(600)'
const show = `SELECT current_setting('statement_timeout') AS timeout`
const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS i FROM n WHERE i < 0'

function messageOf(reply: TestReply): string {
  const { error, message } = JSON.parse(reply.text) as { error: string; message: string }
  deepStrictEqual([reply.status, error], [400, 'BadSqlGrammarException'], reply.text)
  return message
}

async function withService(options: TestServiceOptions, run: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startTestService(options)
  try {
    await run(service)
  } finally {
    await service.close()
  }
}

const files = {
  'demo/POST/sleep.sql': `-- @timeout 1s\n${sleep}`,
  'demo/GET/sleep.sql': `-- @timeout 1s\n${sleep}`,
  'demo/POST/second.sql': `-- @timeout 1s\nSELECT 1;\n${sleep}`,
  'demo/POST/marked.sql': `-- @timeout 1s\n-- @transactional\nSELECT 1;\n${sleep}`,
  'demo/POST/sometimes.sql': '-- @timeout 1s\nSELECT 1 AS one FROM pg_sleep(:s)',
  'demo/POST/long.sql': '-- @timeout 20m\nSELECT 1 AS one FROM pg_sleep(:s)',
  'demo/POST/own.sql': `-- @timeout 20m\n${show}`,
  'demo/POST/own-marked.sql': `-- @timeout 20m\n-- @transactional\n${show}`,
  'demo/POST/own-reset.sql': `-- @timeout 20m\nRESET ALL; SELECT set_config('x.y', 'z', false); ${show}`,
  'demo/POST/own-fails.sql': '-- @timeout 20m\nSELECT 1 / 0 AS r',
  'demo/POST/own-lifts.sql': '-- @timeout 20m\nSET statement_timeout = 0; BEGIN; SELECT 1 / 0 AS r',
  'demo/POST/own-defines.sql': '-- @timeout 20m\nCREATE TABLE IF NOT EXISTS made (id int)',
  'demo/POST/none.sql': `-- @summary No limit of its own\n${show}`,
  'demo/POST/plain.sql': show,
}

describe('postgres: a limit of the file', { concurrency: 2 }, () => {
  for (const limit of [0, 3600]) {
    test(`ends its statements, where the datasource has ${limit} s [N3.4] [S11]`, () =>
      withService(
        { kind: 'postgres', files, datasource: { max_connections: 1, statement_timeout_seconds: limit } },
        async (service) => {
          const said = (line: number): string =>
            `statement timeout after 1 s (SQLSTATE 57014, statement at line ${line})`
          strictEqual(messageOf(await service.post('/demo/sleep')), said(2))
          strictEqual(messageOf(await service.get('/demo/sleep')), said(2))
          strictEqual(messageOf(await service.post('/demo/second')), said(3))
          strictEqual(messageOf(await service.post('/demo/marked')), said(4))
          const queries = [{ s: 0 }, { s: 600 }]
          strictEqual(messageOf(await service.post('/demo/sometimes/batch', { queries })), `${said(2)} in queries[1]`)
          strictEqual((await service.post('/demo/sometimes', { s: 0 })).status, 200)
          strictEqual((await service.post('/demo/plain')).text, `[{"timeout":"${limit === 0 ? '0' : '1h'}"}]`)
        },
      ))
  }

  test('may be longer than that of the datasource [N3.4]', () =>
    withService(
      { kind: 'postgres', files, datasource: { max_connections: 1, statement_timeout_seconds: 1 } },
      async (service) => {
        strictEqual((await service.post('/demo/long', { s: 1.5 })).text, '[{"one":1}]')
        const queries = [{ s: 0 }, { s: 1.5 }]
        strictEqual((await service.post('/demo/long/batch', { queries })).text, '[[{"one":1}],[{"one":1}]]')
      },
    ))

  const bases: readonly (readonly [title: string, options: Partial<TestServiceOptions>, shown: string])[] = [
    ['of the datasource', { datasource: { max_connections: 1, statement_timeout_seconds: 60 } }, '1min'],
    ['of the server', { datasource: { max_connections: 1 } }, '0'],
  ]
  for (const [title, options, shown] of bases) {
    test(`is gone with the file, and the one ${title} is back [N3.4]`, () =>
      withService({ kind: 'postgres', files, ...options }, async (service) => {
        for (const path of ['own', 'own-marked', 'own-reset', 'own-fails', 'own-lifts', 'own-defines', 'own', 'own']) {
          const { text, status } = await service.post(`/demo/${path}`)
          if (status === 200 && path !== 'own-defines') strictEqual(text, '[{"timeout":"20min"}]', path)
          for (const plain of ['plain', 'none']) {
            strictEqual(
              (await service.post(`/demo/${plain}`)).text,
              `[{"timeout":"${shown}"}]`,
              `${plain} behind ${path}`,
            )
          }
        }
      }))
  }

  test('never meets others on a connection, however many come at once [N3.4]', () =>
    withService(
      { kind: 'postgres', files, datasource: { max_connections: 3, statement_timeout_seconds: 60 } },
      async (service) => {
        for (let round = 0; round < 6; round++) {
          const paths = Array.from({ length: 120 }, (_, index) => (index % 4 === round % 4 ? 'own' : 'plain'))
          const texts = await Promise.all(paths.map(async (path) => (await service.post(`/demo/${path}`)).text))
          const expected = paths.map((path) => `[{"timeout":"${path === 'own' ? '20min' : '1min'}"}]`)
          deepStrictEqual(texts, expected)
        }
      },
    ))
})

describe('sqlite: a limit of the file', { concurrency: 2 }, () => {
  const sqliteFiles = {
    'demo/GET/endless.sql': `-- @timeout 1s\n${endless}`,
    'demo/POST/endless.sql': `-- @timeout 1s\nCREATE TABLE IF NOT EXISTS n (i);\nINSERT INTO n ${endless}`,
    'demo/GET/longer.sql': `-- @timeout 3s\n${endless}`,
    'demo/GET/base.sql': endless,
    'demo/GET/one.sql': 'SELECT 1 AS one',
  }
  test('ends its statements [N3.4] [S11]', () =>
    withService({ kind: 'sqlite', files: sqliteFiles, datasource: { max_connections: 4 } }, async (service) => {
      strictEqual(messageOf(await service.get('/demo/endless')), 'statement timeout after 1 s (statement at line 2)')
      strictEqual(messageOf(await service.post('/demo/endless')), 'statement timeout after 1 s (statement at line 3)')
      strictEqual((await service.get('/demo/one')).text, '[{"one":1}]')
    }))

  test('stands in the place of that of the datasource, which others keep [N3.4]', () =>
    withService(
      {
        kind: 'sqlite',
        files: sqliteFiles,
        // The last thread may take its time to start beside two that have no end.
        datasource: { max_connections: 4, statement_timeout_seconds: 2, acquire_timeout_seconds: 60 },
      },
      async (service) => {
        const [longer, shorter, base] = await Promise.all(
          ['longer', 'endless', 'base'].map((path) => service.get(`/demo/${path}`)),
        )
        strictEqual(messageOf(longer as TestReply), 'statement timeout after 3 s (statement at line 2)')
        strictEqual(messageOf(shorter as TestReply), 'statement timeout after 1 s (statement at line 2)')
        strictEqual(messageOf(base as TestReply), 'statement timeout after 2 s (statement at line 1)')
      },
    ))
})
