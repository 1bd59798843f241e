import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { configSchema } from '../../../src/boot/config/schema.ts'

interface JsonSchema {
  readonly description?: string
  readonly type?: string
  readonly properties?: Record<string, JsonSchema>
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
  readonly default?: unknown
  readonly required?: string[]
}

const schema = configSchema() as JsonSchema

test('the committed sqlapi.schema.json is what the code says (node tools/write-schema.ts) [S-config.unknown]', () => {
  deepStrictEqual(schema, JSON.parse(readFileSync(new URL('../../../sqlapi.schema.json', import.meta.url), 'utf8')))
})

/** Every field with its default, as in the tables of the manual. */
const fields: Record<string, unknown> = {
  sql_dir: undefined,
  server: {},
  'server.bind': '0.0.0.0:8080',
  'server.max_body_bytes': 1_048_576,
  'server.max_pipelined_requests': 64,
  'server.fast_reader': true,
  'server.request_timeout_seconds': 30,
  'server.compression': false,
  'server.workers': 1,
  admin: undefined,
  'admin.bind': undefined,
  'admin.ready_timeout_seconds': 2,
  shutdown: {},
  'shutdown.delay_seconds': 0,
  reload: 'off',
  datasources: [],
  'datasources.name': undefined,
  'datasources.url': undefined,
  'datasources.username': '',
  'datasources.password_env': '',
  'datasources.password_file': '',
  'datasources.max_connections': 10,
  'datasources.acquire_timeout_seconds': 5,
  'datasources.connect_timeout_seconds': undefined,
  'datasources.keepalive_seconds': 20,
  'datasources.silence_timeout_seconds': 10,
  'datasources.statement_timeout_seconds': 0,
  'datasources.time_zone': 'UTC',
  'datasources.results': {},
  'datasources.results.numeric': 'string',
  'datasources.results.json': 'value',
  'datasources.replicas': [],
  'datasources.max_replica_lag_bytes': 16_777_216,
  'datasources.pooler': 'none',
  'datasources.optional': false,
  project_datasource_map: {},
  default_datasource: '',
  allow_datasource_header: true,
  openapi: false,
  errors: 'short',
  cors: {},
  'cors.allowed_origins': '*',
  logging: {},
  'logging.level': 'info,sqlapi=debug',
  'logging.format': 'text',
  'logging.requests': 'errors',
  'logging.slow_ms': 1000,
  trace: {},
  'trace.enabled': false,
  'trace.sql_comment': false,
  checks: 'warn',
  check: {},
  'check.rules': {},
  test: {},
  'test.datasource': '',
  'test.schema': '',
}

test(`the schema has these fields, defaults and nothing else: ${Object.keys(fields)
  .map((field) => `[S-config.${field}]`)
  .join(' ')}`, () => {
  deepStrictEqual(Object.fromEntries(walk(schema, '').map(([path, field]) => [path, field.default])), fields)
})

test('every field is described and every group is closed', () => {
  for (const [path, field] of walk(schema, '')) {
    strictEqual(typeof field.description, 'string', path)
    const group = field.items ?? field
    if (group.properties) strictEqual(group.additionalProperties, false, path)
  }
  deepStrictEqual(
    [schema.required, schema.properties?.['datasources']?.items?.required],
    [['sql_dir'], ['name', 'url']],
  )
})

function walk(group: JsonSchema, prefix: string): [string, JsonSchema][] {
  return Object.entries(group.properties ?? {}).flatMap(([name, field]) => [
    [`${prefix}${name}`, field],
    ...walk(field.items ?? field, `${prefix}${name}.`),
  ])
}
