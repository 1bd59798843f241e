/**
 * What is sent where `pooler: transaction` is configured, seen between the service and PostgreSQL: no names, nothing
 * for a session, and no flight before the one ahead of it has ended. A pooler that sees the end of a flight while a
 * part of the next has come gives the connection away in the middle.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { until } from '@services/testing'
import { createDatabase, sharedPostgres, type TestDatabase } from '../../support/databases.ts'
import { startTestService, type TestService } from '../../support/service.ts'

/** What has been seen on all connections. */
interface Seen {
  /** Texts of Parse and Query messages. */
  readonly texts: string[]
  readonly names: string[]
  /** Flights that were sent while another one was under way, outside of a transaction. */
  early: number
  flights: number
  /** Most calls of one flight. */
  mostCalls: number
}

interface Tap {
  readonly port: number
  readonly seen: Seen
  close(): Promise<void>
}

async function startTap(port: number): Promise<Tap> {
  const seen: Seen = { texts: [], names: [], early: 0, flights: 0, mostCalls: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    watch(client, upstream, seen)
    client.pipe(upstream)
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: (server.address() as { port: number }).port,
    seen,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Counts from the first ReadyForQuery on, because the messages before have no letters. */
function watch(client: Socket, upstream: Socket, seen: Seen): void {
  let isReady = false
  let status = 'I'
  let open = 0
  let isInside = false
  let calls = 0
  const fromServer = reader((letter, body) => {
    if (letter !== 'Z') return
    if (isReady) open--
    isReady = true
    status = body.toString('latin1')
  })
  upstream.on('data', fromServer)
  const fromClient = reader((letter, body) => {
    const isFirst = !isInside && letter !== 'X'
    if (isFirst) {
      seen.flights++
      calls = 0
      if (open > 0 && status === 'I') seen.early++
    }
    isInside = letter !== 'S' && letter !== 'Q' && letter !== 'X'
    if (letter === 'S' || letter === 'Q') open++
    if (letter === 'E') seen.mostCalls = Math.max(seen.mostCalls, ++calls)
    const [name = '', text = ''] = body.toString('utf8').split('\0')
    if (letter === 'Q') seen.texts.push(name)
    if (letter === 'P') seen.texts.push(text)
    if (letter === 'P' && name !== '') seen.names.push(name)
  })
  client.on('data', (chunk: Buffer) => {
    if (isReady) fromClient(chunk)
  })
}

function reader(frame: (letter: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = rest.readUInt32BE(1) + 1
      frame(String.fromCharCode(rest[0] as number), rest.subarray(5, end))
      rest = rest.subarray(end)
    }
  }
}

const files = {
  'demo/GET/one.sql': '-- @param id integer\nSELECT id, body FROM note WHERE id = :id',
  'demo/GET/other.sql': '-- @param id integer\nSELECT :id AS id',
  'demo/GET/divide.sql': '-- @param by integer\nSELECT 100 / :by AS q',
  'demo/GET/hidden.sql': '-- @param id integer\nSELECT hidden(:id) AS id',
  'demo/POST/add.sql': 'INSERT INTO note VALUES (:id, :body) RETURNING id',
  'demo/POST/two.sql': 'INSERT INTO note VALUES (:id, :body); SELECT count(*) AS n FROM note WHERE id = :id',
  'demo/POST/marked.sql':
    '-- @transactional\nINSERT INTO note VALUES (:id, :body); SELECT count(*) AS n FROM note WHERE id = :id',
  'demo/GET/slowly.sql': '-- @timeout 30s\nSELECT 1 AS one',
  'demo/GET/many.sql': '-- @param n integer\nSELECT g FROM generate_series(1, :n) AS g',
}
const schema = `CREATE TABLE note (id int PRIMARY KEY, body text); INSERT INTO note SELECT g, 'note ' || g FROM generate_series(1, 100) AS g;
CREATE TABLE written (id int);
CREATE FUNCTION hidden(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO written VALUES (x); RETURN x; END $$`

describe('pooler: transaction, on the wire', () => {
  let database: TestDatabase
  let tap: Tap
  let service: TestService
  before(async () => {
    database = await createDatabase('postgres')
    await database.execute(schema)
    tap = await startTap((await sharedPostgres()).port)
    const url = database.url.replace(/:\d+(?=\/[^/]*$)/, `:${tap.port}`)
    service = await startTestService({
      kind: 'postgres',
      files,
      datasource: {
        url,
        pooler: 'transaction',
        max_connections: 2,
        statement_timeout_seconds: 60,
        acquire_timeout_seconds: 60,
      },
      config: { openapi: true },
    })
  })
  after(async () => {
    await service.close()
    await tap.close()
    await database.remove()
  })

  const together = async (count: number, path: (n: number) => string): Promise<string[]> => {
    const replies = await Promise.all(Array.from({ length: count }, (_, n) => service.get(path(n))))
    return replies.map(({ text }) => text)
  }
  /** Until they are known to be short, which a busy machine puts off, and then some more at once. */
  const alike = async (check: () => Promise<void>): Promise<void> => {
    for (let round = 0; round < 8 || tap.seen.mostCalls <= 2; round++) await check()
  }

  test('calls that wait for each other leave in one flight, each with its own answer [O4.3]', async () => {
    await alike(async () => {
      const texts = await together(60, (n) => (n % 3 === 0 ? `/demo/other?id=${n}` : `/demo/one?id=${n}`))
      for (const [n, text] of texts.entries()) {
        const rows = n % 3 === 0 ? [{ id: n }] : [{ id: n, body: `note ${n}` }].filter(({ id }) => id > 0)
        deepStrictEqual(JSON.parse(text), rows)
      }
    })
    ok(tap.seen.mostCalls > 2, `${tap.seen.mostCalls} calls in a flight`)
  })

  test('one that fails takes nothing from those before and behind it [O4.3]', async () => {
    await alike(async () => {
      const texts = await together(60, (n) => `/demo/divide?by=${n % 5}`)
      for (const [n, text] of texts.entries()) {
        if (n % 5 === 0) match(text, /division by zero/)
        else strictEqual(text, `[{"q":${Math.trunc(100 / (n % 5))}}]`)
      }
    })
  })

  test('a SELECT that writes is written once, whoever shares its flight [O4.3]', async () => {
    let sent = 0
    await alike(async () => {
      const texts = await together(40, (n) => (n % 2 === 0 ? `/demo/hidden?id=${sent + n}` : `/demo/one?id=${n}`))
      for (const [n, text] of texts.entries()) {
        if (n % 2 === 0) strictEqual(text, `[{"id":${sent + n}}]`)
      }
      sent += 40
    })
    const [row] = await (await sharedPostgres()).query('SELECT 1 AS one')
    deepStrictEqual(row, { one: 1 })
    const counted = await service.get('/demo/other?id=1')
    strictEqual(counted.status, 200)
    await database.execute(`DO $$ BEGIN
      IF (SELECT count(*) <> ${sent / 2} OR count(DISTINCT id) <> count(*) FROM written) THEN RAISE 'written otherwise'; END IF;
    END $$`)
  })

  test('long answers beside short ones are whole [O4.3]', async () => {
    await alike(async () => {
      const texts = await together(12, (n) => (n % 4 === 0 ? '/demo/many?n=40000' : `/demo/one?id=${n}`))
      for (const [n, text] of texts.entries()) {
        if (n % 4 === 0) strictEqual((JSON.parse(text) as unknown[]).length, 40_000)
        else deepStrictEqual(JSON.parse(text), [{ id: n, body: `note ${n}` }])
      }
    })
  })

  test('a table that gets another column gives it from then on [O4.3]', async () => {
    await alike(async () => void (await together(20, (n) => `/demo/one?id=${n}`)))
    await database.execute(`ALTER TABLE note ALTER COLUMN body TYPE jsonb USING to_jsonb(body)`)
    for (const text of await together(20, () => '/demo/one?id=3')) strictEqual(text, '[{"id":3,"body":"note 3"}]')
    await database.execute(`ALTER TABLE note ALTER COLUMN body TYPE text USING body #>> '{}'`)
    await database.execute(`ALTER TABLE note ALTER COLUMN id TYPE text`)
    await database.execute(`ALTER TABLE note ALTER COLUMN id TYPE int USING id::int`)
    for (const text of await together(20, () => '/demo/one?id=3')) strictEqual(text, '[{"id":3,"body":"note 3"}]')
  })

  test('nothing is named, nothing is set for a session, and no flight leaves early [O4.3]', async () => {
    for (let id = 1000; id < 1006; id++) {
      strictEqual((await service.post('/demo/add', { id, body: 'x' })).text, `[{"id":${id}}]`)
      strictEqual((await service.post('/demo/two', { id: id + 100, body: 'x' })).text, '[{"n":1}]')
      strictEqual((await service.post('/demo/marked', { id: id + 200, body: 'x' })).text, '[{"n":1}]')
      const queries = Array.from({ length: 40 }, (_, n) => ({ id: id * 100 + n, body: null }))
      strictEqual((JSON.parse((await service.post('/demo/marked/batch', { queries })).text) as unknown[]).length, 40)
      strictEqual(
        (await service.post('/demo/add/batch', { queries: queries.map(({ id: n }) => ({ id: -n, body: 'y' })) }))
          .status,
        200,
      )
      strictEqual((await service.get('/demo/slowly')).text, '[{"one":1}]')
    }
    await until(
      async () => (await service.get('/openapi.json')).text.includes('"body":{"type":["string","null"]'),
      'types',
    )
    const { names, texts, early, flights } = tap.seen
    deepStrictEqual(names, [])
    strictEqual(early, 0, `${early} of ${flights} flights`)
    ok(flights > 100)
    const lasting = texts.filter((text) =>
      /^\s*(?:SET(?! LOCAL)|RESET|DISCARD|DEALLOCATE|PREPARE)\b|set_config\([^)]*, false\)/i.test(text),
    )
    deepStrictEqual([...new Set(lasting)], [])
    ok(texts.some((text) => text.includes(`set_config(E'statement_timeout', E'60s', true)`)))
    ok(texts.some((text) => text.includes(`set_config(E'statement_timeout', E'30s', true)`)))
  })
})
