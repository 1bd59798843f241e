/**
 * The whole service for a test: a folder of SQL files and a configuration file are written, read as at any start, and
 * the service listens on a port of its own. Requests are real HTTP, sent as they are spelled (`fetch` would tidy URLs
 * up).
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Agent, IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { boot } from '../../src/boot/boot.ts'
import { loadConfig } from '../../src/boot/config/config.ts'
import { openEvents } from '../../src/events.ts'
import type { Dialect } from '../../src/model.ts'
import { startService } from '../../src/service.ts'
import { createDatabase, type TestDatabase } from './databases.ts'
import type { Pair, Served } from './cluster/pair.ts'

const http = process.getBuiltinModule('node:http')

export interface TestServiceOptions {
  readonly kind: Dialect
  /** Path below `sql_dir` -> text: `{'demo/POST/hello.sql': 'SELECT 1 AS one'}`. */
  readonly files: Readonly<Record<string, string | Uint8Array>>
  /** Path below `sql_dir` -> what the symbolic link there says. */
  readonly links?: Readonly<Record<string, string>> | undefined
  /** Run on every datasource before the service starts. */
  readonly schema?: string | undefined
  /** Name of each datasource -> SQL that only its database gets. One datasource called `demo` unless told otherwise. */
  readonly datasources?: Readonly<Record<string, string>> | undefined
  /** Fields of every datasource entry: `{max_connections: 1}`. A `url` replaces the database that would be made. */
  readonly datasource?: Readonly<Record<string, unknown>> | undefined
  /** Changes the URL of each database that is made: `(url) => pooler.through(url)`. */
  readonly through?: ((url: string) => string) | undefined
  /** Fields of the configuration file: `{server: {max_body_bytes: 100}}`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
}

export interface TestReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface SendOptions {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | Uint8Array | undefined
}

export interface TestService {
  readonly url: string
  /** Every log line so far. */
  readonly log: readonly string[]
  send(options: SendOptions): Promise<TestReply>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<TestReply>
  /** A string is sent as it is, anything else as JSON. */
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestReply>
  /** Empties the databases that were made for it, while it serves, and runs this on each. */
  remake(schema: string | undefined): Promise<void>
  close(): Promise<void>
}

/** With a `pair` two processes serve, and requests reach them in turn. */
export async function startTestService(options: TestServiceOptions, pair?: Pair): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-test-'))
  const databases: TestDatabase[] = []
  const tidyUp = async (): Promise<void> => {
    await Promise.all(databases.map((database) => database.remove()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    writeFiles(join(folder, 'sql'), options)
    const config = writeConfig(folder, options, await openDatasources(options, databases), pair === undefined ? 1 : 2)
    const lines: string[] = []
    const loaded = loadConfig({ flag: config, env: {}, cwd: folder })
    const write = (line: string): void => void lines.push(line)
    const events = openEvents(loaded.config.logging, { write })
    const booted = await boot(loaded, events)
    const service = await (pair === undefined ? startService(booted, events) : pair.serve(booted, write))
    return toTestService(service, lines, { databases, tidyUp }, pair === undefined ? 1 : 2)
  } catch (error) {
    await tidyUp()
    throw error
  }
}

function toTestService(
  service: Served,
  log: readonly string[],
  { databases, tidyUp }: { databases: readonly TestDatabase[]; tidyUp: () => Promise<void> },
  processes: number,
): TestService {
  // A connection stays with its process, and the next one goes to the next process.
  const agents = Array.from({ length: processes }, () => new http.Agent({ keepAlive: true }))
  const closeConnections = (): void => {
    for (const agent of agents) agent.destroy()
  }
  let sent = 0
  const send = async (options: SendOptions): Promise<TestReply> => {
    const reply = await exchange(agents[sent++ % processes] as Agent, service.port, options)
    // Both are opened anew, or they might be with one process.
    if (processes > 1 && reply.headers.connection === 'close') closeConnections()
    return reply
  }
  return {
    url: `http://127.0.0.1:${service.port}`,
    log,
    send,
    get: (path, headers) => send({ method: 'GET', path, headers }),
    post: (path, body, headers) => {
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      return send({ method: 'POST', path, headers, body: text })
    },
    async remake(schema) {
      for (const database of databases) {
        await database.empty()
        if (schema !== undefined) await database.execute(schema)
      }
    },
    async close() {
      closeConnections()
      await service.close()
      await tidyUp()
    },
  }
}

function writeFiles(sqlDir: string, { files, links = {} }: TestServiceOptions): void {
  mkdirSync(sqlDir)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(sqlDir, path)), { recursive: true })
    writeFileSync(join(sqlDir, path), text)
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(sqlDir, path)), { recursive: true })
    symlinkSync(target, join(sqlDir, path))
  }
}

async function openDatasources(
  options: TestServiceOptions,
  opened: TestDatabase[],
): Promise<Record<string, unknown>[]> {
  const { kind, schema, datasources = { demo: '' }, datasource = {}, through = (url) => url } = options
  const entries: Record<string, unknown>[] = []
  for (const [name, own] of Object.entries(datasources)) {
    const entry: Record<string, unknown> = { name, ...datasource }
    if (datasource['url'] === undefined) {
      const database = await createDatabase(kind)
      opened.push(database)
      entry['url'] = through(database.url)
      const setUp = [schema, own].filter(Boolean).join(';\n')
      if (setUp !== '') await database.execute(setUp)
    }
    entries.push(entry)
  }
  return entries
}

/** JSON is YAML. A ceiling is meant for each of the `workers`. */
function writeConfig(
  folder: string,
  { config = {} }: TestServiceOptions,
  datasources: readonly Record<string, unknown>[],
  workers: number,
): string {
  const { server, ...fields } = config as { server?: object }
  const all = {
    sql_dir: join(folder, 'sql'),
    server: { bind: '127.0.0.1:0', workers, ...server },
    datasources: datasources.map((entry) => {
      const { max_connections: ceiling } = entry
      // Cases keep their numbers as they are spelled.
      return ceiling === undefined ? entry : { ...entry, max_connections: Number(JSON.stringify(ceiling)) * workers }
    }),
    ...fields,
  }
  const file = join(folder, 'sqlapi.yaml')
  writeFileSync(file, JSON.stringify(all, null, 2))
  return file
}

async function exchange(agent: Agent, port: number, options: SendOptions): Promise<TestReply> {
  const { method, path, headers = {}, body } = options
  const { promise, resolve, reject } = Promise.withResolvers<TestReply>()
  const isChunked = headers['transfer-encoding'] !== undefined
  const length = body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const outgoing = http.request(
    { agent, host: '127.0.0.1', port, method, path, headers: { ...length, ...headers } },
    (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const { statusCode, headers } = incoming
        resolve({ status: statusCode as number, headers, text: Buffer.concat(chunks).toString() })
      })
    },
  )
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}
