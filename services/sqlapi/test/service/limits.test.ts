/** Limits, versions and how requests share connections, as the manual promises them. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { isFull } from '@services/testing'
import { dialectNames } from '../../src/dialects.ts'
import { version } from '../../src/version.ts'
import { startTestService } from '../support/service.ts'

const schema = 'CREATE TABLE t (id integer PRIMARY KEY, name text)'
const insert = 'INSERT INTO t (id, name) VALUES (:id, :name) RETURNING id'

for (const kind of dialectNames) {
  test(`a batch of 10 000 sets is answered in order (${kind}) [S-limits.batch] [S-batch.5]`, async () => {
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

/** More than the usual cap on bodies lets through. */
const manySets = isFull ? 100_000 : 12_000
const padding = isFull ? '' : ' of a certain length'.repeat(4)

for (const kind of dialectNames) {
  test(`with a raised cap many sets run, or none of them (${kind}) [S-limits.batch] [S-batch.2] [S-batch.3]`, async () => {
    const files = { 'demo/POST/add.sql': insert, 'demo/POST/count.sql': 'SELECT count(*) AS n FROM t' }
    const config = { server: { max_body_bytes: 16 * 1024 * 1024 } }
    const service = await startTestService({ kind, files, schema, config })
    try {
      const queries = Array.from({ length: manySets }, (_, id) => ({
        id,
        name: id % 1000 === 0 ? null : `name ${id}${padding}`,
      }))
      const [replaced] = queries.splice(manySets / 5, 1, { id: 5, name: 'a key twice' })
      const failed = await service.post('/demo/add/batch', { queries })
      strictEqual(failed.status, 400)
      match(failed.text, /BadSqlGrammarException.*(unique|UNIQUE)/)
      strictEqual((await service.post('/demo/count')).text, '[{"n":0}]')
      queries[manySets / 5] = replaced as (typeof queries)[number]
      const { status, text } = await service.post('/demo/add/batch', { queries })
      strictEqual(status, 200)
      deepStrictEqual(
        (JSON.parse(text) as { id: number }[][]).flatMap((set) => set.map(({ id }) => id)),
        queries.map(({ id }) => id),
      )
      strictEqual((await service.post('/demo/count')).text, `[{"n":${manySets}}]`)
    } finally {
      await service.close()
    }
  })
}

test('the first set that fails is the one reported, whatever fails behind it in the same flight [S-batch.3]', async () => {
  const files = { 'demo/POST/half.sql': 'SELECT 10 / :n::int AS half, :big::int8 AS big' }
  const service = await startTestService({ kind: 'postgres', files })
  try {
    const good = { n: 2, big: 1 }
    const queries = Array.from({ length: 3000 }, () => good as { n: number; big: unknown })
    strictEqual((await service.post('/demo/half/batch', { queries })).status, 200)
    queries[1500] = { n: 0, big: 1 }
    queries[1501] = { n: 1, big: 'no number' }
    queries[2900] = { n: 0, big: 1 }
    match(
      (await service.post('/demo/half/batch', { queries })).text,
      /division by zero \(SQLSTATE 22012, statement at line 1\)/,
    )
    // What no type can take is refused before anything is sent.
    const tooBig = JSON.stringify({ queries }).replace('"no number"', '[1, 99999999999999999999]')
    match((await service.post('/demo/half/batch', tooBig)).text, /outside the range/)
    match(
      (await service.post('/demo/half/batch', tooBig.replace('[1, 99999999999999999999]', '99999999999999999999')))
        .text,
      /outside the range/,
    )
    strictEqual((await service.post('/demo/half/batch', { queries: [good] })).text, '[[{"half":5,"big":1}]]')
  } finally {
    await service.close()
  }
})

test('a batch whose answers are too long together says so, alone and in a flight [S-limits.batch]', async () => {
  const service = await startTestService({
    kind: 'postgres',
    files: { 'demo/POST/big.sql': 'SELECT repeat(:x, :n) AS b' },
  })
  try {
    const big = { x: 'a', n: 34_000_000 }
    for (const queries of [[big, big], [{ x: 'a', n: 1 }], [big, big], [{ x: 'a', n: 68_000_000 }]]) {
      const { status, text } = await service.post('/demo/big/batch', { queries })
      if (queries.length === 1 && queries[0]?.n === 1) strictEqual(text, '[[{"b":"a"}]]')
      else strictEqual(text, '{"error":"BadSqlGrammarException","message":"The result is too large"}', `${status}`)
    }
  } finally {
    await service.close()
  }
})

test('a file that drops a statement of its own leaves ours alone [D3.6]', async () => {
  const files = { 'demo/POST/own.sql': 'PREPARE p AS SELECT 1 AS one; EXECUTE p; DEALLOCATE p' }
  const service = await startTestService({ kind: 'postgres', files })
  try {
    for (let i = 0; i < 3; i++) {
      strictEqual((await service.post('/demo/own/batch', { queries: [{}, {}] })).text, '[[{"one":1}],[{"one":1}]]')
    }
  } finally {
    await service.close()
  }
})

test('sets of several statements answer with their last result set each, in one flight too [S-batch.2] [D3.4]', async () => {
  const files = {
    'demo/POST/move.sql':
      'INSERT INTO t (id, name) VALUES (:id, :name); SELECT name FROM t WHERE id = :id; UPDATE t SET name = upper(name) WHERE id = :id',
    'demo/POST/silent.sql': 'UPDATE t SET name = :name WHERE id = :id; DELETE FROM t WHERE id = :id',
  }
  const service = await startTestService({ kind: 'postgres', files, schema })
  try {
    const queries = Array.from({ length: 1500 }, (_, id) => ({ id, name: id % 7 === 0 ? null : `n${id}` }))
    const moved = await service.post('/demo/move/batch', { queries })
    strictEqual(moved.text, JSON.stringify(queries.map(({ name }) => [{ name }])))
    const silent = await service.post('/demo/silent/batch', { queries })
    strictEqual(silent.text, JSON.stringify(queries.map(() => [])))
  } finally {
    await service.close()
  }
})

test('ends no request [S-limits.request_timeout_seconds] [S-config.server.request_timeout_seconds]', async () => {
  const files = { 'demo/POST/slow.sql': 'SELECT 1 AS one FROM pg_sleep(1.5)' }
  const config = { server: { request_timeout_seconds: 1 } }
  const service = await startTestService({ kind: 'postgres', files, config })
  try {
    strictEqual((await service.post('/demo/slow')).text, '[{"one":1}]')
  } finally {
    await service.close()
  }
})

test('the version is semantic, stands in /health and in no path [S-version.1] [S-version.2]', async () => {
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

test('a write that waits for a row lock delays no read, though both have proved short [D6.5] [D4.5]', async () => {
  const files = {
    'demo/POST/touch.sql': 'UPDATE t SET name = :name WHERE id = 1',
    'demo/POST/read.sql': 'SELECT name FROM t WHERE id = 1',
    'demo/POST/hold.sql': '-- @transactional\nUPDATE t SET id = id; SELECT 1 AS one FROM pg_sleep(3)',
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
    let isHeld = true
    const holder = service.post('/demo/hold').finally(() => (isHeld = false))
    await setTimeout(200)
    const writes = Array.from({ length: 5 }, () => service.post('/demo/touch', { name: 'c' }))
    const reads = await Promise.all(Array.from({ length: 20 }, () => service.post('/demo/read')))
    deepStrictEqual(new Set(reads.map(({ text }) => text)), new Set(['[{"name":"b"}]']))
    strictEqual(isHeld, true, 'the reads came first')
    strictEqual((await holder).status, 200)
    for (const { status } of await Promise.all(writes)) strictEqual(status, 200)
  } finally {
    await service.close()
  }
})
