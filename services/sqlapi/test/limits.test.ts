/** Limits and versions as the manual promises them, on both engines. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '../src/model.ts'
import { version } from '../src/version.ts'
import { startTestService } from './support/service.ts'

const schema = 'CREATE TABLE t (id integer PRIMARY KEY, name text)'
const insert = 'INSERT INTO t (id, name) VALUES (:id, :name) RETURNING id'

for (const kind of ['postgres', 'sqlite'] as const satisfies readonly Dialect[]) {
  test(`[S-limits.batch] [S-batch.5] a batch of 10 000 sets is answered in order (${kind})`, async () => {
    const files = { 'demo/POST/add.sql': insert, 'demo/POST/count.sql': 'SELECT count(*) AS n FROM t' }
    const service = await startTestService({ kind, files, schema })
    try {
      const queries = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `name ${id}` }))
      const { status, text } = await service.post('/demo/add/batch', { queries })
      strictEqual(status, 200)
      deepStrictEqual(
        JSON.parse(text),
        queries.map(({ id }) => [{ id }]),
      )
      strictEqual((await service.post('/demo/count')).text, '[{"n":10000}]')
    } finally {
      await service.close()
    }
  })
}

test('[S-limits.request_timeout_seconds] [S-config.server.request_timeout_seconds] ends no request', async () => {
  const files = { 'demo/POST/slow.sql': 'SELECT 1 AS one FROM pg_sleep(1.5)' }
  const config = { server: { request_timeout_seconds: 1 } }
  const service = await startTestService({ kind: 'postgres', files, config })
  try {
    strictEqual((await service.post('/demo/slow')).text, '[{"one":1}]')
  } finally {
    await service.close()
  }
})

test('[S-version.1] [S-version.2] the version is semantic, stands in /health and in no path', async () => {
  match(version, /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/)
  const files = { 'demo/GET/one.sql': 'SELECT 1 AS one' }
  const service = await startTestService({ kind: 'sqlite', files })
  try {
    const health = JSON.parse((await service.get('/health')).text) as { version: string }
    strictEqual(health.version, version)
    strictEqual((await service.get('/demo/one')).status, 200)
    strictEqual((await service.get('/v1/demo/one')).status, 400)
  } finally {
    await service.close()
  }
})
