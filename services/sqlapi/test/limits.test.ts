/** Limits, versions and how requests share connections, as the manual promises them. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
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

test('[D6.5] [D4.5] a write that waits for a row lock delays no read, though both have proved short', async () => {
  const files = {
    'demo/POST/touch.sql': 'UPDATE t SET name = :name WHERE id = 1',
    'demo/POST/read.sql': 'SELECT name FROM t WHERE id = 1',
    'demo/POST/hold.sql': '-- @transactional\nUPDATE t SET id = id; SELECT 1 AS one FROM pg_sleep(1)',
  }
  const service = await startTestService({
    kind: 'postgres',
    files,
    schema: `${schema}; INSERT INTO t VALUES (1, 'a')`,
  })
  try {
    for (let i = 0; i < 8; i++) {
      await service.post('/demo/touch', { name: 'b' })
      await service.post('/demo/read')
    }
    const holder = service.post('/demo/hold')
    await setTimeout(200)
    const since = performance.now()
    const writes = Array.from({ length: 5 }, () => service.post('/demo/touch', { name: 'c' }))
    const reads = await Promise.all(Array.from({ length: 20 }, () => service.post('/demo/read')))
    const readMs = performance.now() - since
    deepStrictEqual(new Set(reads.map(({ text }) => text)), new Set(['[{"name":"b"}]']))
    strictEqual((await holder).status, 200)
    for (const { status } of await Promise.all(writes)) strictEqual(status, 200)
    ok(readMs < performance.now() - since - 300, `the reads took ${readMs} ms`)
  } finally {
    await service.close()
  }
})
