/**
 * Three hundred broken configurations, made from the two examples of all fields and from a small file for each command:
 * what the services say of them, and how they end.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom } from '@services/testing'
import type { Part } from '../part.ts'
import { runCommand, type Service, shown } from '../programs.ts'
import { repository } from '../sides.ts'
import { mutate } from '../inputs/mutations.ts'

interface Original {
  readonly name: string
  readonly service: Service
  readonly text: string
  readonly count: number
  /** A start would bind an address of the example: only those with the small file start. */
  readonly args: (text: string, index: number) => readonly string[]
}

const seed = 36
const formats = ['text', 'json', 'github']

const smallSqlapi = `sql_dir: sql
server:
  bind: 127.0.0.1:0
  max_body_bytes: 2048
datasources:
  - name: demo
    url: sqlite:demo.db
    max_connections: 3
    statement_timeout_seconds: 30
project_datasource_map:
  other: demo
openapi: true
logging:
  level: info
  format: text
`

const smallProxy = `dsl_path: DSL
host: 127.0.0.1
port: 0
xroad_instance: ee-test
client_data:
  member_class: GOV
  member_code: "70000000"
  subsystem_code: demo
limits:
  max_request_bytes: 1048576
  request_timeout_secs: 30
logging:
  requests: errors
  slow_ms: 1000
soap_response: schema
validate_requests: warn
`

const originals: readonly Original[] = [
  {
    name: 'all fields',
    service: 'sqlapi',
    text: withFields('services/sqlapi/sqlapi.example.yaml'),
    count: 100,
    args: (_, index) => ['check', '--offline', '--format', formats[index % 3] ?? ''],
  },
  {
    name: 'small',
    service: 'sqlapi',
    text: smallSqlapi,
    count: 60,
    args: (text) => (bindsLoopback(text, /^server:\n {2}bind: 127\.0\.0\.1:0$/m) ? ['run'] : ['check']),
  },
  {
    name: 'all fields',
    service: 'xroad-proxy',
    text: withFields('services/xroad-proxy/proxy.example.yaml'),
    count: 80,
    args: (_, index) => ['doctor', '--format', formats[index % 3] ?? ''],
  },
  {
    name: 'small',
    service: 'xroad-proxy',
    text: smallProxy,
    count: 60,
    args: (text) => (bindsLoopback(text, /^host: 127\.0\.0\.1\nport: 0$/m) ? ['serve'] : ['doctor']),
  },
]

export const broken: Part = {
  name: 'broken configurations',
  async run(side, recording) {
    for (const { name, service, text, count, args } of originals) {
      const cwd = join(side.folder, `broken-${service}-${name.replace(' ', '-')}`)
      mkdirSync(join(cwd, 'sql/demo/GET'), { recursive: true })
      mkdirSync(join(cwd, 'DSL'))
      writeFileSync(join(cwd, 'sql/demo/GET/one.sql'), 'SELECT 1 AS one')
      writeFileSync(join(cwd, 'demo.db'), '')
      const random = randomFrom(seed)
      for (const [index, mutation] of mutate(text, count, random).entries()) {
        writeFileSync(join(cwd, 'config.yaml'), mutation.text)
        const given = [...args(mutation.text, index), '--config', 'config.yaml']
        const ended = await runCommand(side, service, given, { cwd, env: { CRM_PASSWORD: 'secret' } })
        const asked = `${service} ${given.join(' ')}\n${mutation.text}`
        recording.addText('command', `${service}, ${name}, ${mutation.title}`, asked, shown(ended))
      }
    }
  },
}

function bindsLoopback(text: string, lines: RegExp): boolean {
  return lines.test(text)
}

/** The example without comments; fields that are commented out are set to what they show. */
function withFields(file: string): string {
  return readFileSync(join(repository, file), 'utf8')
    .split('\n')
    .map((line) => line.replace(/^(\s*)# ([a-z_]+: ?\S*)$/, '$1$2'))
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
}
