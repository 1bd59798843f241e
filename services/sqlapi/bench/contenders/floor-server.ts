/**
 * The server of the floor, written the way one does without sqlapi. `node:http`, the `pg` pool with named statements,
 * `node:sqlite` in the same thread, rows to JSON by `JSON.stringify`. BENCH_POSTGRES and BENCH_SQLITE name the
 * databases.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import pg from 'pg'
import { type Statement, statements, valuesOf } from '../scenarios/statements.ts'

type Input = Readonly<Record<string, unknown>>
type Row = Record<string, unknown>

const batchEnding = '/batch'
const pool = new pg.Pool({ connectionString: process.env['BENCH_POSTGRES'], max: 10 })
// An idle connection that breaks is replaced; unheard, its error would end the process.
pool.on('error', () => undefined)
const lite = new DatabaseSync(process.env['BENCH_SQLITE'] ?? ':memory:')
const prepared = new Map<Statement, StatementSync>()

async function answer(request: IncomingMessage): Promise<unknown> {
  const [path = '', query = ''] = (request.url as string).split('?')
  const isPost = request.method === 'POST'
  const input = isPost ? (JSON.parse(await readBody(request)) as Input) : Object.fromEntries(new URLSearchParams(query))
  const isBatch = path.endsWith(batchEnding)
  const statement = statements.get(isBatch ? path.slice(0, -batchEnding.length) : path)
  if (statement === undefined) throw new Error(`${path} does not exist`)
  if (isBatch) return runAll(statement, input['queries'] as readonly Input[])
  return statement.project === 'lite' ? runLite(statement, input) : run(pool, statement, input)
}

async function run(client: pg.Pool | pg.PoolClient, statement: Statement, input: Input): Promise<unknown> {
  const { name, text } = statement
  return (await client.query({ name, text, values: valuesOf(statement, input) })).rows
}

async function runAll(statement: Statement, inputs: readonly Input[]): Promise<unknown> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const answers: unknown[] = []
    for (const input of inputs) answers.push(await run(client, statement, input))
    await client.query('COMMIT')
    return answers
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

function runLite(statement: Statement, input: Input): unknown {
  let known = prepared.get(statement)
  if (known === undefined) prepared.set(statement, (known = lite.prepare(statement.text)))
  const rows = known.all(...(valuesOf(statement, input) as string[])) as Row[]
  for (const column of statement.booleans ?? []) for (const row of rows) row[column] = row[column] === 1
  return rows
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
    (error: unknown) => send(400, { error: String(error) }),
  )
})
server.listen(0, '127.0.0.1', () =>
  console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`),
)
