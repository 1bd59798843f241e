/**
 * Requests that share a connection to PostgreSQL, where one of them is in somebody's way:
 * database/postgres/wire/wire.ts.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { until } from '@services/testing'
import { Sink } from '../../../../src/database/result.ts'
import type { Plan } from '../../../../src/database/postgres/plans/plan.ts'
import { json } from '../../../../src/formats/json.ts'
import { ByteWriter } from '../../../../src/database/postgres/rows/bytes.ts'
import { Execution, type ExecutionContext, type Prepared } from '../../../../src/database/postgres/wire/execution.ts'
import { compileRowWriter } from '../../../../src/database/postgres/rows/rows.ts'
import { Catalog } from '../../../../src/database/postgres/sessions/catalog.ts'
import { Session } from '../../../../src/database/postgres/sessions/session.ts'
import type { Wire } from '../../../../src/database/postgres/wire/wire.ts'
import type { Result } from '../../../../src/model.ts'
import { createDatabase } from '../../../support/databases.ts'
import { startTestService, type TestService } from '../../../support/service.ts'

const files = {
  'demo/GET/sleep.sql': 'SELECT 1 AS one FROM pg_sleep(:seconds::float8)',
  // Not known to be short, so it has a connection to itself.
  'demo/GET/wait.sql': 'SELECT 1 AS one FROM pg_sleep(:seconds::float8)',
  'demo/GET/rows.sql': `SELECT g AS id, repeat('x', 80) AS pad, 1 / (:bad::int - g) AS ratio FROM generate_series(1, :n::int) g`,
  'demo/GET/encoding.sql': `SET client_encoding = 'LATIN1'; SELECT chr(245) AS letter`,
  'demo/POST/busy.sql': `SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pad%generate_series%'
    AND datname = current_database() AND pid <> pg_backend_pid()`,
}

async function start(maxConnections: number): Promise<TestService> {
  const service = await startTestService({ kind: 'postgres', files, datasource: { max_connections: maxConnections } })
  // Known and short from here on, so that they share.
  for (let i = 0; i < 5; i++) {
    await service.get('/demo/sleep?seconds=0')
    await service.get('/demo/rows?n=1&bad=-1')
  }
  return service
}

async function open(service: TestService, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('a client that leaves in front of others has its own statement stopped and no other [D6.7] [S-errors.2]', async () => {
  const service = await start(1)
  try {
    for (let round = 0; round < 10; round++) {
      const leaving = request(`${service.url}/demo/sleep?seconds=0.04`, { agent: false })
      leaving.on('error', () => undefined).end()
      const staying = [0.06, 0].map((seconds) => service.get(`/demo/sleep?seconds=${seconds}`))
      await setTimeout(15)
      leaving.destroy()
      for (const { status, text } of await Promise.all(staying)) deepStrictEqual([status, text], [200, '[{"one":1}]'])
      // A run of 100 ms would have the statement run alone; these are shorter, and some more keep it short on average.
      for (let i = 0; i < 40; i++) await service.get('/demo/sleep?seconds=0')
    }
  } finally {
    await service.close()
  }
})

test('a long answer that nobody reads holds up none that stands behind it [S-large.3]', async () => {
  const database = await createDatabase('postgres')
  const options = { url: database.url, connectTimeoutSeconds: 5, statementTimeoutSeconds: 0 }
  const session = await Session.open(options, new Catalog(), () => undefined)
  try {
    const series = "SELECT g AS id, repeat('x', 80) AS pad FROM generate_series(1, 300000) g"
    const sink = new Sink((stream) => (reader = stream))
    let reader: Readable | undefined
    // Both are on the connection before its server has seen either.
    const long = session.execute(planOf(series), [], json, sink)
    const behind = session.execute(planOf('SELECT 1 AS one'), [], json)
    strictEqual(await behind, '[{"one":1}]')
    strictEqual(await session.execute(planOf('SELECT 2 AS two'), [], json), '[{"two":2}]')
    sink.end((await long) as Result)
    ok(reader !== undefined, 'it has become a stream')
    strictEqual((JSON.parse(await text(reader)) as unknown[]).length, 300_000)
  } finally {
    await session.close()
    await database.remove()
  }
})

function planOf(text: string): Plan {
  return { name: text, text, ends: [], parameters: [], narrow: [] }
}

test('pipelined requests: a client that goes ends them all, one that breaks off ends the connection [D6.7] [S-large.2]', async () => {
  const service = await start(3)
  try {
    const leaving = await open(service, get('/demo/wait?seconds=30') + get('/demo/rows?n=100000000&bad=-1'))
    await until(async () => (await service.post('/demo/busy')).text === '[{"n":1}]', 'the second one runs')
    leaving.destroy()
    await until(async () => (await service.post('/demo/busy')).text === '[{"n":0}]', 'the second one has ended')
    const broken = await open(service, get('/demo/wait?seconds=1') + get('/demo/rows?n=100000&bad=90000'))
    broken.resume()
    await new Promise((resolve) => broken.once('close', resolve))
    strictEqual((await service.get('/demo/sleep?seconds=0')).text, '[{"one":1}]')
  } finally {
    await service.close()
  }
})

test('a file that changes the encoding is answered in UTF-8 all the same, and nobody after it notices [D3.6] [D4.4]', async () => {
  const service = await start(1)
  try {
    ok((await service.get('/demo/encoding')).text.includes('\ufffd'))
    strictEqual((await service.get('/demo/rows?n=1&bad=-1')).status, 200)
  } finally {
    await service.close()
  }
})

test('rows whose types become known while they come are all kept', () => {
  const prepared: Prepared = {
    plan: { name: 's', text: '', ends: [], parameters: [], narrow: [] },
    name: 's',
    isSent: true,
    isDescribed: true,
    result: undefined,
  }
  const string = { kind: 'string', array: false, delimiter: ',' } as const
  let isKnown = false
  const compile: ExecutionContext['compile'] = (_, format) =>
    isKnown ? compileRowWriter({ names: ['a'], types: [string], isUtf8: true }, format) : undefined
  const context = { wire: undefined as unknown as Wire, out: new ByteWriter(), compile, toBinary: () => undefined }
  const execution = new Execution(context, prepared, [], json, undefined)
  const row = Buffer.from('\0\x01\0\0\0\x01a', 'latin1')
  execution.handleColumns([{ name: 'a', tableID: 0, columnNumber: 0, dataTypeID: 99_999, typeModifier: -1 }])
  execution.handleRow(row, 0, row.length)
  isKnown = true
  execution.handleRow(row, 0, row.length)
  execution.handleComplete()
  deepStrictEqual([execution.unwritten.length, execution.result], [2, undefined])
})

test('a writer that was large once is not large for ever', () => {
  const out = new ByteWriter()
  for (const take of [() => out.take(), () => out.takeText(), () => out.truncate(0)]) {
    out.text('x'.repeat(5_000_000))
    take()
    ok(out.bytes.length <= 1024 * 1024, `${out.bytes.length}`)
  }
})
