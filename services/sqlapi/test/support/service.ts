/**
 * The whole service for a test: a folder of SQL files and a configuration file are written, read as at any start, and the
 * service listens on a port of its own. Requests are real HTTP, sent as they are spelled (`fetch` would tidy URLs up).
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../src/boot/config.ts'
import { openLog } from '../../src/log.ts'
import type { Dialect } from '../../src/model.ts'
import { type RunningService, startService } from '../../src/service.ts'
import { createDatabase, type TestDatabase } from './databases.ts'

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
  close(): Promise<void>
}

export async function startTestService(options: TestServiceOptions): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-test-'))
  const databases: TestDatabase[] = []
  const tidyUp = async (): Promise<void> => {
    await Promise.all(databases.map((database) => database.remove()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    writeFiles(join(folder, 'sql'), options)
    const config = writeConfig(folder, options, await openDatasources(options, databases))
    const lines: string[] = []
    const loaded = loadConfig({ flag: config, env: {}, cwd: folder })
    const log = openLog({ ...loaded.config.logging, destination: { write: (line) => void lines.push(line) } })
    return toTestService(await startService(loaded, log), lines, tidyUp)
  } catch (error) {
    await tidyUp()
    throw error
  }
}

function toTestService(service: RunningService, log: readonly string[], tidyUp: () => Promise<void>): TestService {
  const agent = new Agent({ keepAlive: true })
  const send = (options: SendOptions): Promise<TestReply> => exchange(agent, service.port, options)
  return {
    url: `http://127.0.0.1:${service.port}`,
    log,
    send,
    get: (path, headers) => send({ method: 'GET', path, headers }),
    post: (path, body, headers) => {
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      return send({ method: 'POST', path, headers, body: text })
    },
    async close() {
      agent.destroy()
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

async function openDatasources(options: TestServiceOptions, opened: TestDatabase[]): Promise<object[]> {
  const { kind, schema, datasources = { demo: '' }, datasource = {} } = options
  const entries: object[] = []
  for (const [name, own] of Object.entries(datasources)) {
    const entry: Record<string, unknown> = { name, ...datasource }
    if (datasource['url'] === undefined) {
      const database = await createDatabase(kind)
      opened.push(database)
      entry['url'] = database.url
      const setUp = [schema, own].filter(Boolean).join(';\n')
      if (setUp !== '') await database.execute(setUp)
    }
    entries.push(entry)
  }
  return entries
}

/** JSON is YAML. */
function writeConfig(folder: string, { config = {} }: TestServiceOptions, datasources: object[]): string {
  const { server, ...fields } = config as { server?: object }
  const all = {
    sql_dir: join(folder, 'sql'),
    server: { bind: '127.0.0.1:0', ...server },
    datasources,
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
  const outgoing = request(
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
