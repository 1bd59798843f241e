/**
 * MCP Toolbox for Databases, which publishes prepared statements as tools and has an HTTP interface to call them by
 * name. It gets the statements of the floor, a pool of 10 connections on PostgreSQL, and logs nothing. Its answers are
 * JSON texts inside of JSON. It has no batches, and on SQLite a single connection.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command } from '@services/bench'
import { freePort } from '@services/testing'
import type { Arena } from '../arena.ts'
import { type Statement, statements } from '../scenarios/statements.ts'
import { contenderTitles } from '../scenarios/scenario.ts'
import { type HttpContender, isRightInMeaning } from './contender.ts'

export const toolbox: HttpContender = {
  title: contenderTitles.toolbox,
  command: toolboxCommand,
  ask: ({ path, input }) => ({
    method: 'POST',
    target: `/api/tool/${path.slice(1).replaceAll('/', '_')}/invoke`,
    body: JSON.stringify(input),
  }),
  isRight({ status, body }, request) {
    const isFailure = status !== 200
    return isRightInMeaning({ status, body: isFailure ? body : unwrap(body) }, request)
  },
}

/** The answer of a tool without its envelope. */
export function unwrap(body: string): string {
  const { result } = JSON.parse(body) as { result: string }
  return result
}

async function toolboxCommand({ installed, postgresUrl, sqliteFile, folder }: Arena): Promise<Command> {
  const port = await freePort()
  const config = join(folder, 'toolbox.yaml')
  writeFileSync(config, [...sources(postgresUrl, sqliteFile), ...Array.from(statements.values(), toTool)].join('---\n'))
  const quiet = ['--disable-reload', '--disable-version-check', '--log-level', 'ERROR']
  const address = ['--address', '127.0.0.1', '--port', String(port)]
  return { file: installed.toolbox ?? '', args: ['--config', config, '--enable-api', ...quiet, ...address], port }
}

function sources(postgresUrl: string, sqliteFile: string): string[] {
  const { hostname, port, username, password, pathname } = new URL(postgresUrl)
  const postgres = {
    host: hostname,
    port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    queryParams: { pool_max_conns: '10' },
  }
  return [
    toYaml({ kind: 'source', name: 'bench', type: 'postgres', ...postgres }),
    toYaml({ kind: 'source', name: 'lite', type: 'sqlite', database: sqliteFile }),
  ]
}

function toTool({ project, name, text, parameters }: Statement): string {
  return toYaml({
    kind: 'tool',
    name: `${project}_${name}`,
    type: project === 'lite' ? 'sqlite-sql' : 'postgres-sql',
    source: project,
    description: name,
    statement: text,
    parameters: Object.entries(parameters).map(([name, type]) => ({ name, type, description: name })),
  })
}

/** A value in JSON is a value in YAML. */
function toYaml(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('')
}
