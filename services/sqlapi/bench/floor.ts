/**
 * The floor: the endpoints of the PostgreSQL scenarios, written by hand the way one does without sqlapi. `node:http`, the
 * `pg` pool with named statements, rows to JSON by `JSON.stringify`. BENCH_URL names the database.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

type Input = Readonly<Record<string, unknown>>

const one = {
  name: 'one',
  text: 'SELECT id, title, is_active AS "isActive", created_at AS "createdAt" FROM item WHERE id = $1',
  values: (input: Input) => [input['id']],
}
const hundred = {
  name: 'hundred',
  text: `SELECT id, owner_id AS "ownerId", title, is_active AS "isActive", created_at AS "createdAt",
    unit_price AS "unitPrice", score, details FROM item WHERE id > $1 ORDER BY id LIMIT 100`,
  values: (input: Input) => [input['after']],
}
const insert = {
  name: 'insert',
  text: `INSERT INTO note (author_id, content) VALUES ($1, $2) RETURNING author_id AS "authorId", content`,
  values: (input: Input) => [input['author_id'], input['content']],
}
const statements = new Map([
  ['GET /bench/one', one],
  ['POST /bench/one', one],
  ['GET /bench/hundred', hundred],
  ['POST /bench/insert', insert],
])
const pool = new pg.Pool({ connectionString: process.env['BENCH_URL'], max: 10 })
// An idle connection that breaks is replaced; unheard, its error would end the process.
pool.on('error', () => undefined)

async function answer(request: IncomingMessage): Promise<unknown> {
  const [path = '', query = ''] = (request.url as string).split('?')
  const isPost = request.method === 'POST'
  const input = isPost ? (JSON.parse(await readBody(request)) as Input) : Object.fromEntries(new URLSearchParams(query))
  if (path === '/bench/insert/batch') return insertAll(input['queries'] as readonly Input[])
  const { name, text, values } = statements.get(`${request.method} ${path}`)!
  return (await pool.query({ name, text, values: values(input) })).rows
}

async function insertAll(inputs: readonly Input[]): Promise<unknown> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const answers: unknown[] = []
    const { name, text, values } = insert
    for (const input of inputs) answers.push((await client.query({ name, text, values: values(input) })).rows)
    await client.query('COMMIT')
    return answers
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

function readBody(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => resolve(Buffer.concat(chunks).toString()))
  request.on('error', reject)
  return promise
}

const server = createServer((request, response) => {
  const send = (status: number, value: unknown): void => {
    const body = JSON.stringify(value)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, headers).end(body)
  }
  answer(request).then(
    (rows) => send(200, rows),
    (error: unknown) => send(500, { error: String(error) }),
  )
})
server.listen(0, '127.0.0.1', () =>
  console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`),
)
