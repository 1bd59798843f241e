import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Literal, type Mapping } from '@services/config-file'
import fc from 'fast-check'
import { dslSchema, fieldNames } from '../../../src/boot/dsl/dsl-schema.ts'
import { configSchema, parseConfig } from '../../../src/boot/config/schema.ts'

interface JsonSchema {
  readonly description?: string
  readonly type?: string | string[]
  readonly enum?: unknown[]
  readonly properties?: Record<string, JsonSchema>
  readonly additionalProperties?: boolean
  readonly default?: unknown
  readonly required?: string[]
  readonly oneOf?: JsonSchema[]
}

const schema = configSchema() as JsonSchema
const kinds = (dslSchema() as JsonSchema).oneOf ?? []

for (const [file, made] of [
  ['proxy.schema.json', schema],
  ['dsl.schema.json', dslSchema()],
] as const) {
  test(`the committed ${file} is what the code says (node tools/write-schema.ts) [D1.2]`, () => {
    deepStrictEqual(made, JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')))
  })
}

test('these fields, these defaults, and nothing else [S-config.search]', () => {
  deepStrictEqual(Object.fromEntries(walk(schema, '').map(([path, field]) => [path, field.default])), {
    dsl_path: './DSL',
    host: '0.0.0.0',
    port: 8080,
    server: {},
    'server.fast_reader': true,
    admin: undefined,
    'admin.bind': undefined,
    'admin.ready_timeout_seconds': 2,
    shutdown: {},
    'shutdown.delay_seconds': 0,
    reload: 'off',
    xroad_instance: 'ee-test',
    xroad_protocol_version: '4.0',
    client_data: {},
    'client_data.member_class': '',
    'client_data.member_code': '',
    'client_data.subsystem_code': '',
    clients: {},
    wsdl_watch_dir: undefined,
    wsdl: {},
    'wsdl.allow_http_upstream': false,
    'wsdl.upstream_host_allowlist': [],
    soap_response: 'plain',
    validate_requests: 'off',
    error_message_id: false,
    expose_soap_fault_detail: false,
    docs: {},
    'docs.show_upstream': false,
    security_server: undefined,
    'security_server.url': undefined,
    'security_server.keystore_path': undefined,
    'security_server.keystore_password_env': 'PROXY_KEYSTORE_PASSWORD',
    'security_server.keystore_password_file': undefined,
    'security_server.trust_ca_path': undefined,
    'security_server.optional': false,
    limits: {},
    'limits.max_request_bytes': 1_048_576,
    'limits.max_response_bytes': 16_777_216,
    'limits.max_inflight_bytes': 268_435_456,
    'limits.max_connections': 10_000,
    'limits.request_timeout_secs': 30,
    trace: {},
    'trace.enabled': false,
    logging: {},
    'logging.requests': 'all',
    'logging.slow_ms': 1000,
    audit: undefined,
    'audit.file': undefined,
    'audit.required': false,
    'audit.hash_key_env': undefined,
    'audit.caller_header': undefined,
  })
})

test('every field is described, every group closed, and what is required is required', () => {
  for (const top of [schema, ...kinds]) {
    strictEqual(top.additionalProperties, false)
    for (const [path, field] of walk(top, '')) {
      strictEqual(typeof field.description, 'string', path)
      if (field.properties) strictEqual(field.additionalProperties, false, path)
    }
  }
  strictEqual(schema.required, undefined)
  deepStrictEqual(schema.properties?.['security_server']?.required, ['url', 'keystore_path'])
  deepStrictEqual(
    kinds.map(({ required }) => required),
    [
      ['method', 'envelope'],
      ['kind', 'target'],
    ],
  )
  const target = kinds[1]?.properties?.['target']
  deepStrictEqual(target?.required, ['member_class', 'member_code', 'subsystem_code', 'service_code'])
})

test('an editor is told that a text may stand without quotes [D1.2]', () => {
  deepStrictEqual(schema.properties?.['xroad_protocol_version']?.enum, ['4.0', 4, '4.1', 4.1])
  deepStrictEqual(schema.properties?.['xroad_instance']?.type, ['string', 'number', 'boolean'])
  deepStrictEqual(schema.properties?.['port']?.type, 'integer')
})

test('the fields of both kinds [S-soap.kind S-rest.kind]', () => {
  deepStrictEqual(fieldNames, {
    soap: [
      'kind',
      'title',
      'description',
      'params',
      'choices',
      'service',
      'method',
      'envelope',
      'soap_action',
      'soap_version',
      'client',
      'response',
      'attachments',
      'timeout_secs',
      'max_response_bytes',
      'validate_requests',
    ],
    rest: [
      'kind',
      'title',
      'description',
      'method',
      'methods',
      'openapi',
      'target',
      'client',
      'allowed_query_params',
      'forward_body',
      'headers',
      'timeout_secs',
      'max_response_bytes',
    ],
  })
})

function walk(group: JsonSchema, prefix: string): [string, JsonSchema][] {
  return Object.entries(group.properties ?? {}).flatMap(([name, field]) => [
    [`${prefix}${name}`, field],
    ...walk(field, `${prefix}${name}.`),
  ])
}

const names = walk(schema, '').map(([path]) => path.split('.').at(-1) ?? '')
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, '', 'x', 'https://x', '4.0', new Literal('4.0', 4), new Literal('true', true)),
    fc.string(),
    fc.integer().map((value) => new Literal(String(value), value)),
    fc.array(tie('data'), { maxLength: 3 }),
    tie('mapping'),
  ),
  mapping: fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('data'), { noNullPrototype: true }),
}))

test('whatever the data, the answer is a configuration or problems with paths and words [D1.2]', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names, 'x'), data, { noNullPrototype: true }), (given) => {
      const { value, problems, unknown } = parseConfig(given as Mapping)
      strictEqual(value === undefined, problems.length > 0)
      for (const { path, message } of [...problems, ...unknown])
        ok(path.length > 0 && !/undefined|Invalid/.test(message), message)
    }),
    { numRuns: 2000 },
  )
})
