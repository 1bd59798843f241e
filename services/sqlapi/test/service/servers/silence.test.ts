/** Connections to PostgreSQL that fall silent without being closed, as behind a firewall that drops packets. */
import { match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { call, until } from '@services/testing'
import { runCheck } from '../../support/check.ts'
import { createDatabase, sharedPostgres } from '../../support/databases.ts'
import { type Forwarder, startForwarder } from '../../support/forwarder.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const files = {
  'demo/POST/echo.sql': 'SELECT cast(:x AS int) AS x',
  'demo/POST/set.sql': `SET application_name = 'x'; SELECT 1 AS one`,
  'demo/POST/define.sql': 'CREATE TABLE IF NOT EXISTS q (x int)',
  'demo/POST/marked.sql': '-- @transactional\nSELECT 1 AS one; SELECT cast(:x AS int) AS x',
}

interface Testbed {
  readonly forwarder: Forwarder
  readonly service: TestService
  readonly port: number
}

async function behindForwarder(fields: object, run: (testbed: Testbed) => Promise<void>): Promise<void> {
  const forwarder = await startForwarder((await sharedPostgres()).port)
  const database = await createDatabase('postgres')
  const url = database.url.replace(/:\d+(?=\/[^/]*$)/, `:${forwarder.port}`)
  const service = await startTestService({ kind: 'postgres', files, datasource: { url, ...fields } })
  try {
    await run({ forwarder, service, port: Number(new URL(service.url).port) })
  } finally {
    await service.close()
    await forwarder.close()
    await database.remove()
  }
}

/** Requests whose clients go once `sent`: a client that goes before its statement was sent would leave no trace. */
async function giveUp(port: number, path: string, bodies: readonly object[], sent: Promise<void>): Promise<void> {
  const controller = new AbortController()
  const asked = bodies.map((body) => call(port, path, { body, signal: controller.signal }).catch(() => undefined))
  await sent
  controller.abort()
  await Promise.all(asked)
}

/**
 * Goes after a while, as clients do: one that has just joined the silent connection, and waits, keeps it from being
 * cancelled, because the cancel could hit its own statement.
 */
async function isServed({ port }: Pick<Testbed, 'port'>): Promise<boolean> {
  const signal = AbortSignal.timeout(10_000)
  const answer = await call(port, '/demo/echo', { body: { x: 7 }, signal }).catch(() => undefined)
  return answer?.text === '[{"x":7}]'
}

describe('a silent connection', { concurrency: true }, () => {
  for (const path of ['/demo/echo', '/demo/marked', '/demo/set', '/demo/echo/batch']) {
    test(`is given up when its client has gone and a cancel brings nothing: ${path} [S10]`, async () => {
      await behindForwarder({ max_connections: 1, acquire_timeout_seconds: 2 }, async ({ forwarder, port }) => {
        await until(() => isServed({ port }), 'a connection')
        const body = path.endsWith('batch') ? { queries: [{ x: 1 }] } : { x: 1 }
        await giveUp(port, path, [body], forwarder.silence())
        await until(() => isServed({ port }), 'the pool to recover')
      })
    })
  }

  test('is given up with all the requests that share it [S10]', async () => {
    await behindForwarder({ max_connections: 1, acquire_timeout_seconds: 2 }, async ({ forwarder, port }) => {
      await until(() => isServed({ port }), 'a connection')
      // Until the statement is known to be short.
      for (let round = 0; round < 8; round++) strictEqual(await isServed({ port }), true)
      const bodies = Array.from({ length: 20 }, (_, x) => ({ x }))
      await giveUp(port, '/demo/echo', bodies, forwarder.silence())
      await until(() => isServed({ port }), 'the pool to recover')
    })
  })

  test('is given up when it does not answer the reset after a request [S10]', async () => {
    await behindForwarder({ max_connections: 1, acquire_timeout_seconds: 2 }, async ({ forwarder, service, port }) => {
      await until(() => isServed({ port }), 'a connection')
      const silenced = forwarder.silenceAt('DISCARD ALL')
      strictEqual((await service.post('/demo/set')).status, 200)
      await silenced
      forwarder.pass()
      strictEqual(await isServed({ port }), false)
      await until(() => isServed({ port }), 'the pool to recover')
    })
  })

  test('is given up when it does not answer the question for stored code after a request [S10] [S7]', async () => {
    await behindForwarder({ max_connections: 1, acquire_timeout_seconds: 2 }, async ({ forwarder, service, port }) => {
      await until(() => isServed({ port }), 'a connection')
      const silenced = forwarder.silenceAt('FROM pg_proc')
      strictEqual((await service.post('/demo/define')).text, '[]')
      await silenced
      forwarder.pass()
      await until(() => isServed({ port }), 'the pool to recover')
    })
  })

  test('costs an opening no more than acquire_timeout_seconds [S10]', async () => {
    await behindForwarder({ max_connections: 2, acquire_timeout_seconds: 1 }, async ({ forwarder, service, port }) => {
      await until(() => isServed({ port }), 'a connection')
      void forwarder.silence(true)
      // Nobody gives up here: the first request waits on the connection that was there, the others for a new one.
      const first = service.post('/demo/echo', { x: 1 })
      const second = await service.post('/demo/echo', { x: 2 })
      match(second.text, /(?:became free|could be opened) within 1 s|cannot be connected/)
      await forwarder.close()
      match((await first).text, /connection to the database was lost/)
    })
  })

  test('of a server that never answers is told with host, port and cure, not with max_connections [F11]', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const url = `postgres://u@127.0.0.1:${port}/db`
    const patient = { url, acquire_timeout_seconds: 1, connect_timeout_seconds: 2 }
    const service = await startTestService({ kind: 'postgres', files, datasource: patient })
    const reason = `no answer from 127.0.0.1:${port} within 2 s (timeout expired)`
    const cure =
      'correct host or port in the url if PostgreSQL does not listen there, or have the firewall let them pass'
    try {
      const { text } = await service.post('/demo/echo', { x: 1 })
      match(text, /No connection of datasource 'demo' could be opened within 1 s; .*, which the log explains"/)
      await until(() => service.log.some((line) => line.includes(reason) && line.includes(cure)), 'the WARN')
      const check = { files, config: { datasources: [{ name: 'demo', url: `${url}?connect_timeout=2` }] } }
      const { code, stderr } = await runCheck(check)
      strictEqual(code, 2)
      ok(stderr.includes(`${reason}; ${cure}`), stderr)
    } finally {
      await service.close()
      server.close()
    }
  })

  test('is given up after silence_timeout_seconds [O4.1] [S10]', async () => {
    const patient = { max_connections: 1, acquire_timeout_seconds: 2, silence_timeout_seconds: 3600 }
    await behindForwarder(patient, async (slow) => {
      await behindForwarder({ ...patient, silence_timeout_seconds: 1 }, async (quick) => {
        for (const { forwarder, port } of [slow, quick]) {
          await until(() => isServed({ port }), 'a connection')
          await giveUp(port, '/demo/marked', [{ x: 1 }], forwarder.silence())
        }
        await until(() => isServed(quick), 'the pool to recover')
        strictEqual(await isServed(slow), false)
      })
      // Ends its connections, which would take an hour otherwise.
      await slow.forwarder.close()
    })
  })
})
