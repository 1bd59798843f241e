/** The manual against the code, in both directions: what a table says is so, and what is so stands in the table. */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { EventRow } from '@services/observe'
import { declaredFields } from '@services/observe/testing'
import { gzipSync } from 'node:zlib'
import {
  defaultLimits,
  drainMs,
  keepAliveMs,
  maxHeadBytes,
  ListenProblem,
  smallUploadBytes,
  stallBytes,
} from '@services/http-shell'
import { yamlLimits } from '@services/config-file'
import { docsPaths } from '@services/docs-page'
import { column, inBackquotes, namesIn, newFolder, tableAfter, testLinks } from '@services/testing'
import { loadConfig, search } from '../../src/boot/config/config.ts'
import { dslSchema } from '../../src/boot/dsl/dsl-schema.ts'
import { readDsl } from '../../src/boot/dsl/dsl.ts'
import { loadEndpoints } from '../../src/boot/dsl/endpoints.ts'
import { readFlags } from '../../src/boot/flags.ts'
import { createClientContext } from '../../src/boot/tls/keystore.ts'
import type { Endpoint, TemplateValues } from '../../src/model.ts'
import { describeEndpoints } from '../support/description.ts'
import { configSchema } from '../../src/boot/config/schema.ts'
import { Failure, failures, reloadFailures, startupFailures, toReply } from '../../src/errors.ts'
import { eventTable, openEvents } from '../../src/events.ts'
import { hopByHop } from '../../src/header-names.ts'
import { fillIn, parsePathTemplate, textsAround } from '../../src/path-template.ts'
import { describe as describeCause } from '../../src/upstream/causes.ts'
import { foreignAnswer } from '../../src/upstream/upstream-call.ts'
import { toInbound, toOutbound, toOutboundRules } from '../../src/upstream/headers.ts'
import { toQuery } from '../../src/serve/lanes/query.ts'
import { refuse } from '../../src/serve/refuse.ts'
import { type EndpointMatch, route, toRoutes } from '../../src/serve/route.ts'
import { refuseCall } from '../../src/serve/lanes/security-server.ts'
import { readResponse } from '../../src/soap/message/response.ts'
import { toFailure } from '../../src/soap/message/fault.ts'
import { readParams } from '../../src/soap/request/params.ts'
import { parseTemplate } from '../../src/soap/request/template.ts'
import { sourceOf, toClientElement, toClientHeader } from '../../src/xroad.ts'
import { type Lanes, startLanes } from '../support/lanes.ts'
import { causesOf, refusals } from '../support/manual.ts'
import { restFile, soapFile } from '../support/soap-service.ts'

const service = resolve(import.meta.dirname, '../..')
const root = resolve(service, '../..')
const example = join(root, 'examples/xroad-proxy')

const source = (path: string): string => readFileSync(join(service, 'src', path), 'utf8')
const page = (name: string): string => readFileSync(join(service, 'docs', name), 'utf8')
const rowsOf = (name: string, table: string): (readonly string[])[] => tableAfter(page(name), `<!-- table: ${table};`)

/** Code blocks of a page, by the word behind their fences. */
function blocksOf(text: string, language: string): string[] {
  return Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')),
    ([, body = '']) => body,
  )
}

/** A named number of a source file. */
function constantOf(path: string, name: string): number {
  const [, value = ''] = new RegExp(`\\b${name}(?: =|:) ([\\d_* ]+)`).exec(source(path)) ?? []
  ok(value !== '', `${name} in ${path}`)
  return value.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1)
}

/** `1 048 576 bytes` -> 1048576 */
function numberIn(text: string): number {
  return Number((/\d[\d ]*/.exec(text)?.[0] ?? '').replaceAll(' ', ''))
}

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  /** Of what stands below names of one's own choice. */
  readonly additionalProperties?: boolean | JsonSchema
}

interface Field {
  readonly path: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema, prefix = ''): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    { path: prefix + name, schema, isRequired: required.includes(name) },
    ...fieldsOf(schema, `${prefix}${name}.`),
    ...(typeof schema.additionalProperties === 'object'
      ? fieldsOf(schema.additionalProperties, `${prefix}${name}.<name>.`)
      : []),
  ])
}

/** Field, type and default, as the tables have them. What may stand without quotes is a text all the same. */
function toRow({ path, schema, isRequired }: Field): string[] {
  const type = typeof schema.type === 'string' ? schema.type : String(schema.type?.[0])
  const value = schema.default === undefined ? 'absent' : JSON.stringify(schema.default)
  return [path, type, isRequired ? 'required' : value]
}

describe('configuration.md', () => {
  const fields = fieldsOf(configSchema())

  test('lists every field with its type, default and bounds', () => {
    const rows = rowsOf('configuration.md', 'fields')
    deepStrictEqual(
      rows.map((row) => row.slice(0, 3)),
      fields.map(toRow),
    )
    for (const [index, { path, schema }] of fields.entries()) {
      const bounds = rows[index]?.[3] ?? ''
      if (schema.type === 'integer') strictEqual(bounds, `${schema.minimum} to ${schema.maximum}`, path)
      const texts = schema.enum?.filter((each) => typeof each === 'string')
      if (texts !== undefined) deepStrictEqual(namesIn(bounds), texts, path)
    }
  })

  test('has the search order, the variables and the flags', () => {
    const text = page('configuration.md')
    deepStrictEqual(inBackquotes(text.slice(text.indexOf('The first of these'), text.indexOf('4. Nothing'))), [
      ...search.paths,
    ])

    const used = Array.from(source('main.ts').matchAll(/env\['(\w+)'\]/g), ([, name]) => name)
    const password = fields.find(({ path }) => path.endsWith('keystore_password_env'))?.schema.default
    const listed = column(tableAfter(text, '## Environment variables'), 0)
    deepStrictEqual(new Set(listed), new Set([search.variable, ...used, password]))

    const help = readFlags(['--help'])
    const usage = 'text' in help ? help.text : ''
    const own = usage.replace(/^mock,[\s\S]*?\n\n/m, '')
    const flags = Array.from(own.matchAll(/^ +(-\w), (--\w+)(?: (\w+))?/gm), ([, short, long, value]) =>
      [long, short].map((flag) => [flag, value].filter(Boolean).join(' ')),
    )
    const shown = column(tableAfter(text, '## Command line'), 0).map((cell) => inBackquotes(cell).join(', '))
    deepStrictEqual(new Set(shown), new Set(flags.map((names) => names.join(', '))))
  })

  test('lists every log event with its level, text and fields', () => {
    const rows = rowsOf('configuration.md', 'events')
    deepStrictEqual(
      Object.fromEntries(rows.map(([name, , , , cell = '']) => [name, namesIn(cell.split(';')[0] ?? '')])),
      declaredFields(source('events.ts')),
    )
    const told = new Set(['warning', 'notice', 'startupFailure', 'processWarning'])
    deepStrictEqual(
      Object.fromEntries(rows.map(([event = '', level, text]) => [event, [level, text]])),
      Object.fromEntries(
        Object.entries<EventRow<object>>(eventTable).flatMap(([event, { level, message, unlogged }]) => {
          return unlogged === true ? [] : [[event, [level, told.has(event) ? 'the message' : message]]]
        }),
      ),
    )
  })

  test('shows log lines as they are written', () => {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const failed = {
      method: 'GET',
      path: '/population',
      status: 404,
      ms: 0.4,
      bytes: 73,
      error: 'template_not_found',
      source: 'proxy',
      request_id: 'crm-4711',
    }
    const id = '1affc150-2e60-44b1-953c-c9b6567f407f'
    const call = {
      method: 'POST',
      endpoint: 'population/person',
      status: 200,
      ms: 36.2,
      upstream_ms: 22.5,
      waited_ms: 0.1,
      bytes: 412,
      id,
      request_id: '0b9d7a52-6c1e-4f0e-9a35-2f8d2f6c7f11',
    }
    const text = openEvents({ level: 'info', format: 'text' }, destination)
    text.emit('started', { version: '0.4.0-rc', config: './proxy.yaml', soap: 3, rest: 2 })
    text.emit('listening', { address: '0.0.0.0:8080' })
    text.emit('request', call)
    text.emit('request', failed)
    openEvents({ level: 'info', format: 'json' }, destination).emit('request', failed)
    const shown = [...blocksOf(page('configuration.md'), 'text'), ...blocksOf(page('configuration.md'), 'json')].join(
      '',
    )
    const withoutTime = (all: string): string => all.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'now')
    strictEqual(withoutTime(lines.join('')), withoutTime(shown))
  })

  test('shows the message of every refusal to start', () => {
    const rows = rowsOf('configuration.md', 'refusals')
    deepStrictEqual(new Set(column(rows, 1)), new Set(Object.keys(startupFailures)))
    const shown = Object.entries({ ...refusals.config, ...refusals.dsl }).map(([reason, start]) => {
      const [code, ...message] = start().split(': ')
      return [reason, code, message.join(': ')]
    })
    deepStrictEqual(
      rows.slice(0, -3).map(([reason = '', ...rest]) => [reason, ...rest]),
      shown.map(([reason = '', ...rest]) => [/^`[^`]*`$/.test(reason) ? reason.slice(1, -1) : reason, ...rest]),
    )
    const [listening = ''] = column(rows.slice(-1), 2)
    strictEqual(listening, `port 8080 of host 0.0.0.0 ${new ListenProblem('EADDRINUSE').message}`)
  })
})

for (const [title, table, prefix, cases] of [
  ['the keystore', 'keystore', 'keystore_load_failed: security_server.keystore_path key.p12: ', refusals.keystore],
  ['the trusted certificates', 'trust', 'trust_ca_load_failed: security_server.trust_ca_path ca.pem: ', refusals.trust],
] as const) {
  test(`security-server.md shows every message about ${title}`, () => {
    const shown = Object.entries(cases).map(([reason, start]) => [reason, start()])
    deepStrictEqual(
      rowsOf('security-server.md', table).map(([reason, message = '']) => [reason, prefix + message]),
      shown,
    )
  })
}

test(
  'security-server.md makes a keystore that the service takes',
  { skip: !hasOpenssl() && 'openssl is not installed' },
  () => {
    const [commands = ''] = blocksOf(page('security-server.md'), 'sh')
    const cwd = newFolder()
    const env = { PATH: process.env['PATH'], PROXY_KEYSTORE_PASSWORD: 'a word' }
    for (const line of commands.trim().split('\n')) {
      const [program = '', ...args] = line.split(' ')
      execFileSync(program, args, { cwd, env, stdio: 'pipe' })
    }
    deepStrictEqual(readdirSync(cwd).toSorted(), ['certificate.pem', 'keystore.p12'])
    const settings = { keystorePath: join(cwd, 'keystore.p12'), keystorePasswordEnv: 'PROXY_KEYSTORE_PASSWORD' }
    ok(createClientContext({ ...settings, trustCaPath: join(cwd, 'certificate.pem') }, env))
  },
)

/** The commands are those of a Unix shell. */
function hasOpenssl(): boolean {
  if (process.platform === 'win32') return false
  try {
    return execFileSync('openssl', ['version'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
}

test('security-server.md names codes that are read as it says', () => {
  const answers = column(rowsOf('security-server.md', 'symptoms'), 0).map((cell) => namesIn(cell))
  const known = causesOf(source('upstream/causes.ts'), describeCause)
  for (const [error = '', code = ''] of answers) {
    ok(Object.hasOwn(failures, error), error)
    if (error === 'internal_error') ok(known.has(code), code)
    if (error === 'upstream_soap_fault') ok(sourceOf(code) !== 'provider', code)
  }
})

interface OpenApi {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: object }>>
    readonly responses: Readonly<Record<string, unknown>>
  }
}

describe('errors.md', () => {
  test('lists every error with its status, lane and further fields', () => {
    // Some errors only endpoints that refuse requests have, or some configurations.
    const facts = { refusing: new Set([{} as Endpoint]), possible: ['audit_unavailable'] as const }
    const { components } = JSON.parse(describeEndpoints([], '', undefined, facts)) as OpenApi
    const lanesOf = (code: string): string => {
      const has = (kind: string): boolean => {
        const response = components.responses[`${kind}_${failures[code as 'internal_error']}`]
        return JSON.stringify(response ?? '').includes(`/${code}"`)
      }
      const lanes = [...(has('soap') || has('refusing') ? ['soap'] : []), ...(has('rest') ? ['rest'] : [])]
      return lanes.length === 2 ? 'both' : String(lanes)
    }
    const { extras } = toFailure({ code: '', string: '', detail: '1' }, { expose: true, source: 'provider' })
    const rows = rowsOf('errors.md', 'failures')
    deepStrictEqual(
      rows.map(([code, status, lane]) => [code, Number(status), lane]),
      Object.entries(failures).map(([code, status]) => [code, status, lanesOf(code)]),
    )
    for (const [code = '', , , , cell = ''] of rows) {
      const own = code === 'upstream_soap_fault' ? [...Object.keys(extras), 'detail'] : undefined
      const described = Object.keys(components.schemas[code]?.properties ?? {}).slice(2)
      deepStrictEqual(namesIn(cell), own ?? described, code)
      ok(described.every((name) => namesIn(cell).includes(name)))
    }
  })

  test('lists every error of the start with what it concerns', () => {
    deepStrictEqual(Object.fromEntries(rowsOf('errors.md', 'startupFailures')), startupFailures)
    deepStrictEqual(Object.fromEntries(rowsOf('errors.md', 'reloadFailures')), reloadFailures)
  })

  test('shows what is answered to what is no HTTP', () => {
    const silent = openEvents({ level: 'off', format: 'text' }, { write: () => undefined })
    const reasons = [
      'malformed',
      'TLS',
      'not a target',
      'no host',
      'repeated host',
      'not a host',
      'timeout',
      'head too large',
      'transfer coding',
    ] as const
    const shown = reasons.map((reason) => {
      const { status, body } = refuse(
        { routes: toRoutes([]), errorMessageId: false, events: silent },
        {
          reason,
          line: undefined,
          isBody: false,
          requestId: 'a-request',
          maxHeadBytes: 65_536,
        },
      )
      const { error, message } = JSON.parse(body) as { error: string; message: string }
      strictEqual(error, 'malformed_request')
      return [String(status), message]
    })
    deepStrictEqual(
      rowsOf('errors.md', 'malformed').map((row) => row.slice(0, 2)),
      shown,
    )
  })

  test('shows an error and a fault as they are answered', () => {
    const [timeout, followed, fault] = blocksOf(page('errors.md'), 'json')
    const made = new Failure('upstream_timeout', 'no whole answer within 30 s')
    strictEqual(`${toReply(made).body}\n`, timeout)
    strictEqual(`${toReply(made, '5b081e85-129e-4078-be9d-37885fd1f4ea').body}\n`, followed)
    const code = 'Server.ServerProxy.AccessDenied'
    const given = { code, string: 'Request is not allowed', detail: '{"faultDetail":"x"}' }
    strictEqual(`${toReply(toFailure(given, { expose: false, source: sourceOf(code) })).body}\n`, fault)
  })

  test('tells the source of an error by its code', () => {
    const rows = rowsOf('errors.md', 'sources')
    const [, listed = ''] = /export type FailureSource = (.*)/.exec(source('model.ts')) ?? []
    deepStrictEqual(
      column(rows, 0),
      Array.from(listed.matchAll(/'(\w+)'/g), ([, name]) => name),
    )
    for (const [name, , cell = ''] of rows) {
      const codes = inBackquotes(cell).filter((code) => code !== 'X-Road-Error')
      for (const code of codes) strictEqual(sourceOf(code), name, code)
    }
  })

  test('lists every cause of a failed connection', () => {
    const rows = rowsOf('errors.md', 'causes')
    const listed = rows.flatMap(([message = '', cell = '']) =>
      namesIn(cell).map((code): [string, string] => [code, message]),
    )
    deepStrictEqual(new Map(listed), causesOf(source('upstream/causes.ts'), describeCause))
    match(page('errors.md'), /`the connection to the upstream failed \(CODE\)`/)
    strictEqual(describeCause({ code: 'CODE' }).message, 'the connection to the upstream failed (CODE)')
    strictEqual(describeCause({ code: 'ERR_SSL_X' }).message, 'the TLS handshake with the upstream failed (ERR_SSL_X)')
  })

  test('lists the other messages of internal_error', () => {
    const [missing, nameless, calls, foreign, unexpected] = column(rowsOf('errors.md', 'internal'), 0)
    throws(() => refuseCall('no_security_server'), { code: 'internal_error', message: missing })
    throws(() => refuseCall('no_client'), { code: 'internal_error', message: nameless })
    strictEqual(calls, `more than ${constantOf('upstream/upstream.ts', 'maxCalls')} calls are under way`)
    strictEqual(foreignAnswer('a', 'b').message, foreign)
    deepStrictEqual(JSON.parse(toReply(new Error('x')).body), { error: 'internal_error', message: unexpected })
  })
})

test('http.md lists the paths of the service itself', () => {
  const [, body = ''] = /const ownPaths: .*\(\[\n([\s\S]*?)\n\]\)/.exec(source('serve/route.ts')) ?? []
  const listed = column(rowsOf('http.md', 'routes'), 1).flatMap((cell) => namesIn(cell))
  const own = Array.from(body.matchAll(/^ {2}\['([^']+)'/gm), ([, path = '']) => path)
  const ofPage = docsPaths.filter((path) => !path.startsWith('/docs-'))
  ok(listed.includes('/docs-<name>.js'))
  deepStrictEqual(listed.filter((path) => !path.includes('<')).toSorted(), [...own, ...ofPage].toSorted())
})

describe('limits', () => {
  const seconds = (ms: number): number => ms / 1000

  test('http.md lists them as the code has them', () => {
    const fields = new Map(fieldsOf(configSchema()).map(({ path, schema }) => [path, schema.default as number]))
    const { headersTimeout, requestTimeout } = createServer()
    const upstream = (name: string): number => constantOf('upstream/upstream.ts', name)
    const rows = rowsOf('http.md', 'limits')
    deepStrictEqual(
      rows.map(([what, limit = '']) => [what, numberIn(limit)]),
      [
        ['body of a request', fields.get('limits.max_request_bytes')],
        ['answer of an upstream', fields.get('limits.max_response_bytes')],
        ['all calls together', fields.get('limits.max_inflight_bytes')],
        ['time of a call', fields.get('limits.request_timeout_secs')],
        ['request line and headers', maxHeadBytes],
        ['request line and headers, time', seconds(headersTimeout)],
        ['whole request, time', seconds(requestTimeout)],
        ['connections of callers', fields.get('limits.max_connections')],
        ['requests of one connection that run at the same time', defaultLimits.maxPipelinedRequests],
        ['answers that a caller has not read, of one connection', defaultLimits.maxUnsentBytes],
        ['what a caller takes of an answer in 10 seconds', stallBytes],
        ['head of an answer', constantOf('upstream/client.ts', 'maxHeadBytes')],
        ['XML levels', constantOf('soap/json/translate.ts', 'maxDepth')],
        ['XML parse events', constantOf('soap/json/translate.ts', 'maxEvents')],
        [
          'JSON values of a SOAP request (max_request_values), inner ones included',
          constantOf('soap/check/amount.ts', 'maxRequestValues'),
        ],
        ["iterations of a template's loops", constantOf('soap/request/rendering.ts', 'maxRounds')],
        ['envelope', constantOf('soap/request/rendering.ts', 'maxEnvelopeCharacters')],
        ['parts of a form', constantOf('soap/mime/parts.ts', 'maxParts')],
        ['headers of a part of a form', constantOf('soap/mime/parts.ts', 'maxPartHeaderBytes')],
        ['levels inside a param', constantOf('soap/request/params.ts', 'maxDepth')],
        ['connections to one upstream', upstream('maxConnections')],
        ['calls in flight or waiting, on each of the two ways', upstream('maxCalls')],
      ],
    )
    for (const [what = '', , beyond = ''] of rows) {
      for (const code of inBackquotes(beyond)) ok(Object.hasOwn(failures, code), `${what}: ${code}`)
      const [status] = /^\d{3}/.exec(beyond) ?? []
      const [code] = inBackquotes(beyond)
      if (code !== undefined) strictEqual(Number(status), failures[code as 'internal_error'], what)
      else if (status !== undefined) strictEqual(Number(status), what.endsWith('time') ? 408 : 431, what)
    }
  })

  /** Page -> a text on it, with the number that the code has. */
  const mentions: readonly (readonly [string, string, number])[] = [
    ['http.md', 'idle connections of callers for # seconds', seconds(keepAliveMs)],
    ['http.md', 'those to upstreams for #,', seconds(constantOf('upstream/client.ts', 'idleMs'))],
    ['http.md', 'at most # to each', constantOf('upstream/upstream.ts', 'maxConnections')],
    ['http.md', 'an upload declares more than # KiB', smallUploadBytes / 1024],
    ['http.md', 'to # seconds, and closes the connection', seconds(drainMs)],
    ['rest.md', 'a body of declared length up to # KiB', constantOf('serve/lanes/rest.ts', 'collectBytes') / 1024],
    ['errors.md', 'request line and headers have more than # KiB', maxHeadBytes / 1024],
    ['errors.md', 'the head took # seconds', seconds(createServer().headersTimeout)],
    ['errors.md', 'or the whole request #', seconds(createServer().requestTimeout)],
    ['errors.md', '`string` is cut after # characters', constantOf('soap/message/fault.ts', 'maxCharacters')],
    ['errors.md', '(second signal, # seconds', constantOf('main.ts', 'shutdownSeconds')],
    ['configuration.md', 'a second signal came, or # seconds have passed', constantOf('main.ts', 'shutdownSeconds')],
    ['configuration.md', 'may have # characters,', yamlLimits.characters],
    ['configuration.md', 'characters, # levels', yamlLimits.depth],
    ['configuration.md', 'levels of nesting and # uses of aliases', yamlLimits.aliases],
    ['operations.md', 'After # seconds, or at a second signal', constantOf('main.ts', 'shutdownSeconds')],
    ['operations.md', 'is more than #, this can cut off a call', constantOf('main.ts', 'shutdownSeconds')],
    ['operations.md', 'at most [#]', constantOf('upstream/upstream.ts', 'maxCalls')],
    ['operations.md', 'one of the # connections', constantOf('upstream/upstream.ts', 'maxConnections')],
    ['operations.md', 'closes them after # idle seconds', seconds(constantOf('upstream/client.ts', 'idleMs'))],
    [
      'operations.md',
      'up to # characters wait for it',
      constantOf('../../../packages/observe/src/stdout.ts', 'maxWaitingLength'),
    ],
    ['operations.md', 'It cuts a field after # characters', constantOf('events.ts', 'maxFieldLength')],
    ['xml.md', 'An answer may have # levels', constantOf('soap/json/translate.ts', 'maxDepth')],
    ['xml.md', 'the first, and # parse events', constantOf('soap/json/translate.ts', 'maxEvents')],
    ['soap.md', 'may run # iterations', constantOf('soap/request/rendering.ts', 'maxRounds')],
    ['soap.md', 'an envelope may have # characters', constantOf('soap/request/rendering.ts', 'maxEnvelopeCharacters')],
  ]

  for (const [name, text, number] of mentions) {
    test(`${name}: ${text.replace('#', String(number))}`, () => {
      const words = page(name).replaceAll(/\s+/g, ' ')
      const shown = String(number).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
      ok(words.includes(text.replace('#', shown)), text.replace('#', shown))
    })
  }
})

describe('DSL files', () => {
  const [soap = {}, rest = {}] = (dslSchema() as { oneOf: JsonSchema[] }).oneOf
  const generated = {
    uuid: 'some-id',
    instance: 'EE',
    client: '<c/>',
    protocol_version: '4.0',
    user_id: 'EE1',
    issue: '7',
  }

  function render(template: string, json: string): string {
    const values = readParams(Buffer.from(json), Object.keys(JSON.parse(json) as object))
    return parseTemplate(template).template.render(values, generated)
  }

  for (const [name, schema] of [
    ['soap.md', soap],
    ['rest.md', rest],
  ] as const) {
    test(`${name} lists every field with its type and default`, () => {
      deepStrictEqual(
        rowsOf(name, 'fields').map((row) => row.slice(0, 3)),
        fieldsOf(schema).map(toRow),
      )
    })
  }

  test('soap.md lists the fields of a choice [P2.1]', () => {
    const { choices } = (soap as { properties: Record<string, { items: JsonSchema }> }).properties
    deepStrictEqual(
      rowsOf('soap.md', 'choices').map((row) => row.slice(0, 3)),
      fieldsOf(choices?.items ?? {}).map(toRow),
    )
  })

  test('soap.md shows templates as they are rendered', () => {
    for (const [template = '', json = '', gives] of rowsOf('soap.md', 'syntax')) {
      deepStrictEqual(parseTemplate(template).warnings, [], template)
      strictEqual(render(template, json), gives, template)
    }
  })

  test('soap.md shows why rendering fails', () => {
    for (const [template = '', json = '', message] of rowsOf('soap.md', 'rendering')) {
      throws(() => render(template, json), { code: 'template_expansion_failed', message }, template)
    }
  })

  test('soap.md lists every helper', () => {
    const [, body = ''] =
      /const helpers: .* = new Map\(\[([\s\S]*?)\n\]\)/.exec(source('soap/request/template-helpers.ts')) ?? []
    deepStrictEqual(
      rowsOf('soap.md', 'helpers').map(([name, values]) => [name, Number(values)]),
      Array.from(body.matchAll(/\['(\w+)', (\d)\]/g), ([, name, values]) => [name, Number(values)]),
    )
  })

  test('soap.md lists what the service fills in', () => {
    const values: TemplateValues = {}
    const placeholders = column(rowsOf('soap.md', 'generate'), 0)
    deepStrictEqual(
      placeholders.map((placeholder) => parseTemplate(placeholder).template.render(values, generated)),
      Object.values(generated),
    )
  })

  test('rest.md shows how identifiers become segments', () => {
    const identity = { instance: 'EE', memberClass: 'GOV', memberCode: '1' }
    for (const [given = '', segment] of rowsOf('rest.md', 'segments')) {
      strictEqual(toClientHeader({ ...identity, subsystemCode: given }), `EE/GOV/1/${segment}`)
    }
  })

  test('rest.md shows what becomes of parameters in paths [P3.1]', () => {
    for (const [path = '', caller = '', sent] of rowsOf('rest.md', 'parameters')) {
      const text = restFile('GET', 'c').replace('"service_code"', `"path":${JSON.stringify(path)},"service_code"`)
      const { endpoint } = readDsl(text, { file: 's.yml', group: 'g', service: 's' })
      ok(endpoint.kind === 'rest')
      let found: string
      try {
        const { values = [] } = route(toRoutes([endpoint]), 'GET', `/g/s${caller}`) as EndpointMatch
        found = fillIn(textsAround(parsePathTemplate(endpoint.target.path)), values)
      } catch (error) {
        found = String(failures[(error as Failure).code])
      }
      strictEqual(found, sent, `${path} ${caller}`)
    }
  })

  test('rest.md shows which pieces of a query string go out', () => {
    for (const [allowed = '', given = '', goesOut] of rowsOf('rest.md', 'query')) {
      const [, names = ''] = /^\[(.*)\]$/.exec(allowed) ?? []
      const keys = allowed === 'absent' ? undefined : new Set(names === '' ? [] : names.split(', '))
      strictEqual(toQuery(`/a/b${given}`, keys) || 'nothing', goesOut, `${allowed} ${given}`)
    }
  })

  test('rest.md says of every header what becomes of it', () => {
    const rows = rowsOf('rest.md', 'headers').map(([cell = '', ...fates]) => ({ name: namesIn(cell)[0] ?? '', fates }))
    const [, ours = ''] = /const ours: .* = new Set\(\[(.*)\]\)/.exec(source('header-names.ts')) ?? []
    const special = [...hopByHop, ...Array.from(ours.matchAll(/'([\w-]+)'/g), ([, name = '']) => name)]
    const listed = new Set(rows.map(({ name }) => name.toLowerCase()))
    deepStrictEqual(
      special.filter((name) => !listed.has(name)),
      [],
    )
    for (const { name, fates } of rows) {
      const passes = [toOutbound([name, '7'], toOutboundRules('c'), () => 'fresh'), toInbound([name, '7'])].map(
        ({ headers }) => headers.some((each, index) => each === name && headers[index + 1] === '7'),
      )
      deepStrictEqual(
        passes,
        fates.map((fate) => fate.startsWith('passed')),
        name,
      )
      const isPassed = !special.includes(name.toLowerCase()) && !name.startsWith('Proxy-')
      strictEqual(passes[0], isPassed, name)
    }
  })
})

describe('xml.md', () => {
  for (const [table, toAnswer] of [
    ['elements', (xml: string) => `<e:Envelope><e:Body>${xml}</e:Body></e:Envelope>`],
    ['texts', (xml: string) => `<e:Envelope><e:Body>${xml}</e:Body></e:Envelope>`],
  ] as const) {
    test(`shows what becomes of ${table}`, () => {
      for (const [xml = '', json] of rowsOf('xml.md', table)) {
        strictEqual(readResponse(Buffer.from(toAnswer(xml)), undefined).body, json, xml)
      }
    })
  }

  test('shows what becomes of envelopes', () => {
    for (const [xml = '', body, headers] of rowsOf('xml.md', 'envelopes')) {
      deepStrictEqual({ ...readResponse(Buffer.from(xml), undefined) }, { body, headers, fault: undefined }, xml)
    }
  })

  test('shows why answers are refused', () => {
    const odd: Readonly<Record<string, string | Buffer>> = { nothing: '', gzip: gzipSync('<a/>') }
    for (const [shown = '', message] of rowsOf('xml.md', 'refused')) {
      throws(() => readResponse(Buffer.from(odd[shown] ?? shown), undefined), { name: 'XmlError', message }, shown)
    }
  })

  test('lists every name of a charset', () => {
    const [, body = ''] = /const charsets: .*\(\[\n([\s\S]*?)\n\]\)/.exec(source('soap/message/charset.ts')) ?? []
    const known = Array.from(body.matchAll(/\['([\w-]+)',/g), ([, name = '']) => name)
    const listed = rowsOf('xml.md', 'charsets').flatMap(([, names = '']) => namesIn(names))
    deepStrictEqual(new Set(listed), new Set(known))
  })
})

describe('the examples', () => {
  const soapText = page('soap.md')
  const restText = page('rest.md')
  const [, direct = ''] = blocksOf(soapText, 'yaml')
  const dslFiles = {
    'population/person.yml': blocksOf(soapText, 'yaml')[0] ?? '',
    'business/companies.yml': (blocksOf(restText, 'yaml')[0] ?? '').replace(
      'service_code: companies',
      'service_code: mock.request',
    ),
    'direct/vat.yml': direct,
  }
  let lanes: Lanes
  before(async () => {
    lanes = await startLanes({ dsl: { ...dslFiles, 'any/soap.yml': soapFile(), 'any/rest.yml': restFile('GET', 'x') } })
  })
  after(() => lanes.close())

  test('are those of the repository', () => {
    const ofRepository = (path: string): string => readFileSync(join(example, 'DSL', path), 'utf8')
    const plain = (text: string): string => text.replaceAll(/^(?:#.*|kind: soap)\n/gm, '')
    strictEqual(plain(ofRepository('population/person.yml')), blocksOf(soapText, 'yaml')[0])
    strictEqual(plain(ofRepository('business/companies.yml')), blocksOf(restText, 'yaml')[0])
  })

  test('soap.md: the envelope is the one that is sent', () => {
    const endpoint = loadEndpoints(join(lanes.folder, 'DSL')).endpoints.find((each) => each.service === 'person')
    ok(endpoint?.kind === 'soap')
    const [request = ''] = blocksOf(soapText, 'json')
    const [envelope = ''] = blocksOf(soapText, 'xml')
    const [, uuid = ''] = /<xroad:id>(.*)<\/xroad:id>/.exec(envelope) ?? []
    const identity = { instance: 'ee-test', memberClass: 'GOV', memberCode: '70000000', subsystemCode: 'demo' }
    const generated = { uuid, instance: 'ee-test', client: toClientElement(identity), protocol_version: '4.0' }
    strictEqual(endpoint.envelope.render(readParams(Buffer.from(request), endpoint.params), generated), envelope)
  })

  test('soap.md: the answer has these members', async () => {
    const { text } = await lanes.call('/population/person', { body: blocksOf(soapText, 'json')[0] })
    const { body, headers } = JSON.parse(text) as Record<'body' | 'headers', object>
    const shown = (blocksOf(soapText, 'text')[0] ?? '')
      .replaceAll('..', '"x":1')
      .replaceAll(/("1affc150-).*?"(?=,)/g, '$1"')
    const expected = JSON.parse(shown) as Record<'body' | 'headers', object>
    deepStrictEqual(
      [Object.keys(body), Object.keys(headers)],
      [Object.keys(expected.body), Object.keys(expected.headers)],
    )
  })

  test('rest.md: the request becomes the one that is shown', async () => {
    const [sent = '', arrives = ''] = blocksOf(restText, 'http').map((block) => block.trim())
    const [line = '', ...lines] = sent.split('\n')
    const [, path = ''] = line.split(' ')
    const headers = Object.fromEntries(lines.map((each) => each.split(': '))) as Record<string, string>
    const { text } = await lanes.call(path, { headers })
    const echo = JSON.parse(text) as { method: string; path: string; query: string; headers: [string, string][] }
    const values = (all: string): string =>
      all.replace('/mock.request/', '/companies/').replaceAll(/^(host|X-Road-Id): .*$/gm, '$1: x')
    const query = echo.query === '' ? '' : `?${echo.query.replace(/^\?/, '')}`
    const got = [`${echo.method} ${echo.path}${query} HTTP/1.1`, ...echo.headers.map((pair) => pair.join(': '))]
    strictEqual(values(got.join('\n')), values(arrives))
  })

  test('README.md: the file of the quick start from the package reaches the mock', async () => {
    const [first = ''] = blocksOf(readFileSync(join(service, 'README.md'), 'utf8'), 'sh')
    const files = Array.from(first.matchAll(/^cat > (\S+) <<END\n([\s\S]*?)^END$/gm), ([, path = '', text = '']) => [
      path,
      text,
    ])
    deepStrictEqual(column(files, 0), ['DSL/registry/companies.yml', 'proxy.yaml'])
    const cwd = newFolder(Object.fromEntries(files) as Record<string, string>)
    const loaded = loadConfig({ flag: undefined, env: { PROXY_KEYSTORE_PASSWORD: 'mock' }, cwd })
    deepStrictEqual([loaded.source, ...loaded.warnings], ['./proxy.yaml'])
    const { endpoints, warnings } = loadEndpoints(join(cwd, 'DSL'))
    deepStrictEqual(
      [endpoints.map(({ group, service: name }) => `${group}/${name}`), warnings],
      [['registry/companies'], []],
    )
  })
})

test('README.md: the requests of the quick start have the answers that stand there', async () => {
  const readAll = (folder: string): Record<string, string> => {
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.\w+$/.test(path))
    return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
  }
  const lanes = await startLanes({ dsl: readAll(join(example, 'DSL')), answers: readAll(join(example, 'answers')) })
  try {
    const blocks = blocksOf(readFileSync(join(service, 'README.md'), 'utf8'), 'curl').map((block) => block.trimEnd())
    ok(blocks.length >= 5)
    for (const block of blocks) {
      const [command = '', ...answer] = block.split('\n')
      const [, path = '', , type, , body] =
        /^curl 'http:\/\/127\.0\.0\.1:8090([^']*)'( -H 'Content-Type: ([^']*)')?( -d '([^']*)')?$/.exec(command) ?? []
      ok(path !== '', command)
      const headers = type === undefined ? {} : { 'content-type': type }
      const { text } = await lanes.call(path, body === undefined ? { headers } : { headers, body })
      const shown = answer.join('\n')
      // Two full stops at the end stand for the rest.
      if (shown.endsWith('..')) strictEqual(text.slice(0, shown.length - 2), shown.slice(0, -2), command)
      else strictEqual(text.trimEnd(), shown, command)
    }
  } finally {
    await lanes.close()
  }
})

test('README.md lists every page of the manual', () => {
  const text = readFileSync(join(service, 'README.md'), 'utf8')
  const listed = Array.from(text.matchAll(/^\| \[([\w-]+\.md)\]/gm), ([, name = '']) => name)
  const pages = readdirSync(join(service, 'docs')).filter((name) => name.endsWith('.md'))
  deepStrictEqual(listed.toSorted(), pages.toSorted())
})

testLinks(root, ['.', 'services/xroad-proxy', 'services/xroad-proxy/docs', 'services/xroad-proxy/bench'])
