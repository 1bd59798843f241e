/**
 * Requests that are checked before they leave: who asks for it, what the caller is told, and that nothing is sent. Over
 * real sockets, in front of an upstream that counts what reaches it.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { newFolder, type Reply } from '@services/testing'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { startProxy } from '../../support/process.ts'
import { startUpstream, toAnswer, toEnvelope, type Upstream } from '../../support/upstreams/upstream.ts'
import { wsdlAround } from '../../support/wsdl/wsdl.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const envelope = '<e><a>{{a}}</a><b>{{b}}</b></e>'

interface Refusal {
  readonly error: string
  readonly message: string
  readonly message_id?: string
  readonly problems: readonly { readonly param: string; readonly problem: string }[]
}

function refusalOf(reply: Reply): Refusal {
  strictEqual(reply.status, 400, reply.text)
  const refusal = JSON.parse(reply.text) as Refusal
  strictEqual(refusal.error, 'invalid_request')
  return refusal
}

function paramsOf(reply: Reply): Readonly<Record<string, string>> {
  return Object.fromEntries(refusalOf(reply).problems.map(({ param, problem }) => [param, problem]))
}

let upstream: Upstream
let lanes: Lanes

before(async () => {
  upstream = await startUpstream((socket) => socket.write(toAnswer(toEnvelope('<ok>1</ok>'))))
  const file = (fields: object): string =>
    JSON.stringify({ method: 'POST', service: upstream.url, envelope, ...fields })
  lanes = await startLanes({
    config: { validate_requests: 'refuse', error_message_id: true, limits: { max_request_bytes: 4000 } },
    dsl: {
      't/listed.yml': file({ params: ['a', 'b'] }),
      't/none.yml': file({ params: [], envelope: '<e/>' }),
      't/off.yml': file({ params: ['a', 'b'], validate_requests: 'off' }),
      't/warn.yml': file({ params: { a: { type: 'integer', required: true }, b: {} }, validate_requests: 'warn' }),
      't/typed.yml': file({
        params: {
          a: { type: 'string', required: true, pattern: '[0-9]{3}|x' },
          b: { type: 'integer' },
          n: { type: 'number' },
          f: { type: 'boolean' },
          d: { type: 'date' },
          l: { type: 'array' },
          o: { type: 'object' },
          e: { type: 'integer', enum: [1, '02', 12345678901234567890n.toString()] },
          any: null,
        },
      }),
      't/choice.yml': file({
        params: ['code', 'name', 'born', 'list'],
        choices: [
          { branches: [{ params: ['code'] }, { params: ['name', 'born'] }] },
          { within: ['list'], around: ['on'], branches: [{ params: ['x'] }, { params: ['y', 'z'], required: ['y'] }] },
        ],
      }),
      't/file.yml': file({
        params: { a: { required: true }, b: { type: 'integer' }, list: { type: 'array' } },
        envelope: '<e><a>{{xop_include a}}</a><b>{{b}}</b>{{#each list}}<l>{{this}}</l>{{/each}}</e>',
      }),
      't/server.yml': JSON.stringify({ method: 'POST', params: ['a'], envelope }),
      't/rest.yml': JSON.stringify({
        kind: 'rest',
        method: 'POST',
        target: { member_class: 'GOV', member_code: '1', subsystem_code: 's', service_code: 'c' },
      }),
    },
  })
})

after(async () => {
  await lanes.close()
  await upstream.close()
})

describe('with refuse a request that does not fit is 400 and nothing is sent [P4.1]', () => {
  const bodies: readonly (readonly [title: string, body: string | Buffer, problem: RegExp])[] = [
    [
      'no JSON',
      '{"a": x}',
      /^found no JSON.*expected a JSON object; its names and texts have double quotes, and no comma follows the last$/,
    ],
    ['cut JSON', '{"a": "secret', /^found no JSON/],
    ['a list', '[1]', /^found a list, expected a JSON object$/],
    ['null', 'null', /^found null/],
    ['a text', '"secret"', /^found a string/],
    ['a number', '7', /^found a number/],
    ['bytes that are no UTF-8', Buffer.from('7b2261223a22ff227d', 'hex'), /no UTF-8/],
    ['two objects', '{} {}', /^found no JSON/],
  ]
  for (const [title, body, problem] of bodies) {
    test(title, async () => {
      const sent = upstream.requests.length
      const refusal = refusalOf(await lanes.call('/t/listed', { body }))
      deepStrictEqual(
        refusal.problems.map(({ param }) => param),
        [''],
      )
      match(refusal.problems[0]?.problem ?? '', problem)
      ok(!JSON.stringify(refusal).includes('secret'))
      strictEqual(upstream.requests.length, sent)
    })
  }

  test('a compressed body, which the header tells', async () => {
    const sent = upstream.requests.length
    const headers = { 'content-encoding': 'gzip' }
    const refusal = refusalOf(await lanes.call('/t/listed', { body: gzipSync('{"a":1}'), headers }))
    deepStrictEqual(refusal.problems, [
      { param: '', problem: 'found Content-Encoding: gzip, expected a body that is not compressed' },
    ])
    strictEqual(upstream.requests.length, sent)
    strictEqual((await lanes.call('/t/listed', { body: '{"a":1}', headers })).status, 200)
  })

  test('unknown keys, also those that objects of JavaScript have', async () => {
    const sent = upstream.requests.length
    const body = '{"a": 1, "A": 2, "c": "secret", "__proto__": 3, "constructor": 4, "generate": 5, "x\\u0000\\n": 6}'
    const problems = paramsOf(await lanes.call('/t/listed', { body }))
    deepStrictEqual(Object.keys(problems).toSorted(), [
      'A',
      '__proto__',
      'c',
      'constructor',
      'generate',
      'x\ufffd\ufffd',
    ])
    strictEqual(problems['A'], 'unknown; did you mean a?')
    strictEqual(problems['c'], 'unknown; leave it out')
    strictEqual(upstream.requests.length, sent)
    deepStrictEqual(Object.keys(paramsOf(await lanes.call('/t/none', { body: { a: 1 } }))), ['a'])
  })

  test('an empty body is an empty object', async () => {
    for (const body of ['', '  \n', '{}']) {
      const reply = await lanes.call('/t/listed', { body })
      strictEqual(reply.status, 200, reply.text)
    }
    deepStrictEqual(paramsOf(await lanes.call('/t/typed', { body: '' })), { a: 'missing, expected text' })
  })

  test('the id of the message is told as with other errors', async () => {
    const reply = await lanes.call('/t/listed', { body: '[]', headers: { 'x-road-id': 'id-1' } })
    strictEqual(reply.headers['x-road-id'], 'id-1')
    const { message, message_id } = refusalOf(reply)
    strictEqual(message_id, 'id-1')
    strictEqual(message, 'the request does not fit and was not sent: the body: found a list, expected a JSON object')
  })

  test('the order is 404, 405, 413, 400', async () => {
    const large = `{"a": "${'x'.repeat(5000)}", "c": 1}`
    strictEqual((await lanes.call('/t/absent', { body: '[]' })).status, 404)
    strictEqual((await lanes.call('/t/listed', { method: 'PUT', body: large })).status, 405)
    strictEqual((await lanes.call('/t/listed', { body: large })).status, 413)
    strictEqual((await lanes.call('/t/listed', { body: '{"c": 1}' })).status, 400)
  })

  test('it is told before a Security Server that nobody has configured', async () => {
    const bare = await startLanes({
      config: { validate_requests: 'refuse', security_server: null },
      dsl: { 't/a.yml': JSON.stringify({ method: 'POST', params: ['a'], envelope }) },
    })
    try {
      deepStrictEqual(paramsOf(await bare.call('/t/a', { body: { b: 1 } })), { b: 'unknown; leave it out' })
      strictEqual((await bare.call('/t/a', { body: { a: 1 } })).status, 500)
    } finally {
      await bare.close()
    }
  })

  test('at most 100 problems are told', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 1]))
    const { problems, message } = refusalOf(await lanes.call('/t/listed', { body: many }))
    strictEqual(problems.length, 100)
    match(message, /the first of 100 or more problems/)
  })

  test('the log says no more than that the request was refused', async () => {
    await lanes.call('/t/listed', { body: { c: 'secret' }, headers: { 'x-road-id': 'id-2' } })
    const lines = lanes.log.filter(({ id }) => id === 'id-2')
    deepStrictEqual(
      lines.map(({ event, status, error, endpoint }) => ({ event, status, error, endpoint })),
      [{ event: 'request', status: 400, error: 'invalid_request', endpoint: 't/listed' }],
    )
  })
})

describe('types that a file declares [P4.2]', () => {
  const wrong: readonly (readonly [body: object, problems: Readonly<Record<string, string>>])[] = [
    [{}, { a: 'missing, expected text' }],
    [{ a: null }, { a: 'found null, expected text' }],
    [{ a: true }, { a: 'found true or false, expected text' }],
    [{ a: '1234' }, { a: 'expected text that matches [0-9]{3}|x as a whole' }],
    [{ a: 'xx' }, { a: 'expected text that matches [0-9]{3}|x as a whole' }],
    [{ a: 'x\n' }, { a: 'expected text that matches [0-9]{3}|x as a whole' }],
    [{ a: 'x', b: '5x' }, { b: 'expected a whole number' }],
    [{ a: 'x', b: 5.5 }, { b: 'expected a whole number' }],
    [{ a: 'x', b: true }, { b: 'found true or false, expected a whole number' }],
    [{ a: 'x', b: [5] }, { b: 'found a list, expected a whole number' }],
    [{ a: 'x', n: 'INF' }, { n: 'expected a number' }],
    [{ a: 'x', f: 'yes' }, { f: 'expected true or false' }],
    [{ a: 'x', f: 2 }, { f: 'expected true or false' }],
    [{ a: 'x', d: '2026-02-30' }, { d: 'expected a date of the calendar such as 2026-01-31' }],
    [{ a: 'x', d: '31.01.2026' }, { d: 'expected a date of the calendar such as 2026-01-31' }],
    [{ a: 'x', d: '2026-01-31Z' }, { d: 'expected a date of the calendar such as 2026-01-31' }],
    [{ a: 'x', l: { 0: 1 } }, { l: 'found an object, expected a list' }],
    [{ a: 'x', o: [] }, { o: 'found a list, expected an object' }],
    [{ a: 'x', e: 3 }, { e: 'expected one of "1", "02", "12345678901234567890"' }],
    [{ a: '\ud800' }, { a: 'found a character that XML forbids, expected text without control characters' }],
    [
      { b: 'no', c: 1 },
      { a: 'missing, expected text', b: 'expected a whole number', c: 'unknown; leave it out' },
    ],
  ]
  for (const [body, problems] of wrong) {
    test(`refused: ${JSON.stringify(body)}`, async () => {
      const sent = upstream.requests.length
      deepStrictEqual(paramsOf(await lanes.call('/t/typed', { body })), problems)
      strictEqual(upstream.requests.length, sent)
    })
  }

  const right: readonly string[] = [
    '{"a": 123}',
    '{"a": "x", "b": "5", "n": "1.5", "f": "false", "d": "2024-02-29", "l": [], "o": {}, "e": "2"}',
    '{"a": "x", "b": -123456789012345678901234567890, "n": 1e400, "f": 1, "e": 12345678901234567890}',
    '{"a": "x", "b": null, "l": null, "o": null, "any": [{"x": null}]}',
    '{"a": "x", "any": null}',
  ]
  for (const body of right) {
    test(`taken: ${body}`, async () => {
      const reply = await lanes.call('/t/typed', { body })
      strictEqual(reply.status, 200, reply.text)
    })
  }

  test('all digits reach the envelope', async () => {
    await lanes.call('/t/typed', { body: '{"a": "x", "b": 12345678901234567890123}' })
    match(upstream.requests.at(-1)?.body ?? '', /<b>12345678901234567890123<\/b>/)
  })
})

describe('choices that a file declares [P2.1 P4.2]', () => {
  const missing = 'missing, expected it or name'
  const cases: readonly (readonly [body: object, problems: Readonly<Record<string, string>>])[] = [
    [{}, { code: missing }],
    [{ code: null, name: [] }, { code: missing }],
    [{ code: 1, born: 2 }, { born: 'cannot stand beside code; give only one of the two' }],
    [{ name: 1 }, { born: 'missing, as name is there' }],
    [
      { code: 1, list: [{ on: 1 }, { x: 1, z: 1 }, { z: 1 }, {}, 7] },
      {
        'list[0].x': 'missing, expected it or y',
        'list[1].z': 'cannot stand beside x; give only one of the two',
        'list[2].y': 'missing, as z is there',
      },
    ],
    [{ code: 1, list: { on: 1 } }, { 'list.x': 'missing, expected it or y' }],
  ]
  for (const [body, problems] of cases) {
    test(JSON.stringify(body), async () => {
      deepStrictEqual(paramsOf(await lanes.call('/t/choice', { body })), problems)
    })
  }

  test('one branch as a whole is taken', async () => {
    for (const body of [{ code: 1 }, { name: 1, born: 2 }, { code: 1, list: [{ y: 1, z: 1 }, {}] }]) {
      const reply = await lanes.call('/t/choice', { body })
      strictEqual(reply.status, 200, reply.text)
    }
  })
})

describe('forms are held against the same [P2.2 P4.2]', () => {
  const send = (...parts: readonly string[]) => {
    const body = [...parts.map((part) => `--x\r\nContent-Disposition: form-data; ${part}\r\n`), '--x--\r\n'].join('')
    return lanes.call('/t/file', { body, headers: { 'content-type': 'multipart/form-data; boundary=x' } })
  }

  test('a form that does not fit is refused', async () => {
    const sent = upstream.requests.length
    const reply = await send('name=b\r\n\r\nfive', 'name=c\r\n\r\nsecret')
    deepStrictEqual(paramsOf(reply), {
      a: 'missing, expected a value',
      b: 'expected a whole number',
      c: 'unknown; leave it out',
    })
    strictEqual(upstream.requests.length, sent)
  })

  test('a form that fits goes out with its file', async () => {
    const reply = await send('name=b\r\n\r\n5', 'name=a; filename=a.txt\r\nContent-Type: text/plain\r\n\r\nhello')
    strictEqual(reply.status, 200, reply.text)
    const { body = '', head = '' } = upstream.requests.at(-1) ?? {}
    match(head, /multipart\/related/i)
    match(body, /<b>5<\/b>/)
    match(body, /hello/)
  })

  test('a param that is declared as a list is one with a single part too', async () => {
    const reply = await send('name=list\r\n\r\n1', 'name=a; filename=a.txt\r\n\r\nhello')
    strictEqual(reply.status, 200, reply.text)
    match(upstream.requests.at(-1)?.body ?? '', /<l>1<\/l>/)
    strictEqual((await send('name=list\r\n\r\n1', 'name=list\r\n\r\n2', 'name=a; filename=a\r\n\r\nx')).status, 200)
    match(upstream.requests.at(-1)?.body ?? '', /<l>1<\/l><l>2<\/l>/)
  })
})

test('a form says true and false of elements that hold nothing, and JSON what text cannot [P2.1 P2.2 P4.2]', async (t) => {
  const empty = '<x:complexType/>'
  const folder = newFolder({
    'g/api.wsdl': wsdlAround(
      `<x:element name="op"><x:complexType><x:sequence>
        <x:element name="urgent" minOccurs="0">${empty}</x:element>
        <x:choice><x:element name="all">${empty}</x:element><x:element name="code" type="x:string"/></x:choice>
        <x:element name="tag" type="x:int" minOccurs="0" maxOccurs="unbounded"/>
        <x:element name="note" type="x:string" nillable="true"/>
        <x:element name="file" type="x:base64Binary" m:expectedContentTypes="*/*"/>
      </x:sequence></x:complexType></x:element>`,
      'xmlns:m="http://www.w3.org/2005/05/xmlmime"',
    ),
  })
  const generated = await startLanes({ dsl: {}, config: { wsdl_watch_dir: folder, validate_requests: 'refuse' } })
  t.after(() => generated.close())
  const send = async (...fields: readonly string[]): Promise<Reply> => {
    const parts = fields.map((each) =>
      each.replace('=', '\r\n\r\n').replace(' json', '\r\nContent-Type: application/json'),
    )
    const all = [...parts, 'file; filename=f\r\n\r\nx'].map(
      (part) => `--x\r\nContent-Disposition: form-data; name=${part}\r\n`,
    )
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    return generated.call('/g/op', { body: [...all, '--x--\r\n'].join(''), headers })
  }
  const given = async (...fields: readonly string[]): Promise<string[]> => {
    const reply = await send(...fields)
    strictEqual(reply.status, 200, reply.text)
    const { body } = JSON.parse(reply.text) as { body: Record<string, Record<string, unknown>> }
    return Object.keys(Object.values(body)[0] ?? {}).filter((name) => !name.startsWith('@') && name !== 'file')
  }
  deepStrictEqual(await given('urgent=true', 'all=true', 'tag=1', 'note=a'), ['urgent', 'all', 'tag', 'note'])
  deepStrictEqual(await given('urgent=false', 'code=7', 'note json=null'), ['code', 'note'])
  deepStrictEqual(await given('all=true', 'tag json=[1, 2]', 'note='), ['all', 'tag', 'note'])
  deepStrictEqual(paramsOf(await send('urgent=yes', 'all=false', 'tag=x')), {
    urgent: 'found text, expected true or false',
    all: 'expected true, or nothing at all',
    tag: 'expected a whole number from -2147483648 to 2147483647',
    note: 'missing, expected text',
  })
  const json = await generated.call('/g/op', { body: { urgent: 'true', code: 'x', note: '', file: 'AA==' } })
  deepStrictEqual(paramsOf(json), { urgent: 'found text, expected true or false' })
})

describe('files and sidecars decide for themselves [P4.1]', () => {
  test('off takes whatever comes', async () => {
    for (const body of ['[]', '{', '{"c": 1}']) strictEqual((await lanes.call('/t/off', { body })).status, 200)
  })

  test('warn sends the request and tells the log, without a value', async () => {
    const sent = upstream.requests.length
    const body = {
      a: 'secret',
      c: 'secret',
      ...Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, 1])),
    }
    strictEqual((await lanes.call('/t/warn', { body, headers: { 'x-road-id': 'id-3' } })).status, 200)
    strictEqual(upstream.requests.length, sent + 1)
    const [line, ...others] = lanes.log.filter(({ event, id }) => event === 'requestInvalid' && id === 'id-3')
    ok(line !== undefined && others.length === 0)
    const { level, endpoint, count, problems } = line
    deepStrictEqual([level, endpoint, count], ['warn', 't/warn', '52'])
    match(String(problems), /^a: expected a whole number; c: unknown; leave it out; k0: /)
    strictEqual(String(problems).split('; k').length, 9)
    ok(!JSON.stringify(line).includes('secret'))
    await lanes.call('/t/warn', { body: '[]', headers: { 'x-road-id': 'id-4' } })
    ok(
      lanes.log.some(
        ({ event, id, problems }) =>
          event === 'requestInvalid' && id === 'id-4' && problems === 'the body: found a list, expected a JSON object',
      ),
    )
    await lanes.call('/t/warn', { body: { a: '7' }, headers: { 'x-road-id': 'id-5' } })
    ok(!lanes.log.some(({ event, id }) => event === 'requestInvalid' && id === 'id-5'))
  })

  test('a REST endpoint passes bodies on as they are', async () => {
    const reply = await lanes.call('/t/rest', { body: '[}' })
    ok(reply.status !== 400, reply.text)
  })
})

const typed = wsdlAround(`<x:element name="op"><x:complexType><x:sequence>
  <x:element name="code" type="x:int"/><x:element name="born" type="x:date" minOccurs="0"/>
  <x:element name="item" minOccurs="0" maxOccurs="2"><x:complexType><x:sequence><x:element name="code">
    <x:simpleType><x:restriction base="x:string"><x:pattern value="[A-Z]{2}"/></x:restriction></x:simpleType></x:element></x:sequence>
    <x:attribute name="unit" type="x:string" use="required"/></x:complexType></x:element>
</x:sequence></x:complexType></x:element><x:element name="opResponse"/>`)

describe('generated endpoints are held against their WSDL [P4.2]', () => {
  test('at the first start and at a later one, which does not read the WSDL again', async () => {
    const folder = newFolder({ 'wsdl/crm/api.wsdl': typed, 'wsdl/crm/api.meta.yaml': 'member_class: GOV\n' })
    const dsl = newFolder()
    const config = { wsdl_watch_dir: join(folder, 'wsdl'), validate_requests: 'refuse', dsl_path: dsl }
    let kept: unknown
    for (const start of ['first', 'second']) {
      const service = await startLanes({ dsl: {}, config })
      try {
        const body = { born: '2026-02-29', item: [{ code: 'AB', unit: '' }, { code: 'ABC' }], coed: 1 }
        deepStrictEqual(paramsOf(await service.call('/crm/op', { body })), {
          code: 'missing, expected a whole number from -2147483648 to 2147483647',
          born: 'expected a date of the calendar such as 2026-01-31',
          'item[1].code': 'expected text that matches [A-Z]{2} as a whole',
          'item[1].unit': 'missing, expected text',
          coed: 'unknown; did you mean code?',
        })
        const good = await service.call('/crm/op', { body: { code: '7', item: { code: 'AB', unit: 'x' } } })
        strictEqual(good.status, 200, good.text)
      } finally {
        await service.close()
      }
      const memory = join(dsl, '.xroad-proxy')
      const contracts = readdirSync(memory).filter((name) => name.endsWith('.contracts'))
      const found = contracts.map((name) => [name, statSync(join(memory, name)).mtimeMs])
      strictEqual(found.length, 1, start)
      if (kept === undefined) kept = found
      else deepStrictEqual(found, kept)
    }
  })

  test('where only a sidecar asks for it', async () => {
    const folder = newFolder({
      'a/api.wsdl': wsdlOf(['find']),
      'a/api.meta.yaml': 'validate_requests: refuse\n',
      'b/api.wsdl': wsdlOf(['find']),
      'b/api.meta.yaml': 'member_class: GOV\n',
    })
    const service = await startLanes({ dsl: {}, config: { wsdl_watch_dir: folder } })
    try {
      deepStrictEqual(paramsOf(await service.call('/a/find', { body: {} })), { a: 'missing, expected text' })
      strictEqual((await service.call('/b/find', { body: {} })).status, 200)
    } finally {
      await service.close()
    }
  })

  test('without the WSDL no more than the names are checked, and the log says so', async () => {
    const folder = newFolder({ 'a/api.wsdl': wsdlOf(['find']), 'a/api.meta.yaml': 'member_class: GOV\n' })
    const dsl_path = newFolder()
    const first = await startLanes({ dsl: {}, config: { wsdl_watch_dir: folder, dsl_path } })
    await first.close()
    const service = await startLanes({ dsl: {}, config: { dsl_path, validate_requests: 'refuse' } })
    try {
      deepStrictEqual(paramsOf(await service.call('/a/find', { body: { x: 1 } })), { x: 'unknown; leave it out' })
      strictEqual((await service.call('/a/find', { body: {} })).status, 200)
      const told = service.log.filter(({ message }) => String(message).startsWith('validate_requests checks no more'))
      strictEqual(told.length, 1)
      match(String(told[0]?.['message']), /a\/find\.yml: the WSDL that they were generated from was not read/)
    } finally {
      await service.close()
    }
  })
})

interface Schema {
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly additionalProperties?: boolean
}

interface Operation {
  readonly requestBody: {
    readonly description: string
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}

async function describedBy(service: Lanes): Promise<{
  readonly operation: (path: string) => Operation
  readonly schemaOf: (path: string) => Schema
  readonly components: Readonly<Record<'schemas' | 'responses', Readonly<Record<string, unknown>>>>
}> {
  const { text } = await service.call('/api', { method: 'GET' })
  const { paths, components } = JSON.parse(text) as {
    paths: Readonly<Record<string, { readonly post: Operation }>>
    components: Readonly<Record<'schemas' | 'responses', Readonly<Record<string, unknown>>>>
  }
  const operation = (path: string): Operation => (paths[path] as { post: Operation }).post
  const schemaOf = (path: string): Schema => operation(path).requestBody.content['application/json']?.schema ?? {}
  return { operation, schemaOf, components }
}

describe('/api says what is checked [P4.3]', () => {
  test('declared params are described', async () => {
    const { schemaOf, operation, components } = await describedBy(lanes)
    deepStrictEqual(schemaOf('/t/typed'), {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string', pattern: '^(?:[0-9]{3}|x)$' },
        b: { type: 'integer' },
        n: { type: 'number' },
        f: { type: 'boolean' },
        d: { type: 'string', format: 'date' },
        l: { type: 'array' },
        o: { type: 'object' },
        e: { type: 'integer', enum: [1, 2, '12345678901234567890'] },
        any: {},
      },
      additionalProperties: false,
    })
    strictEqual(operation('/t/typed').requestBody.required, true)
    match(operation('/t/typed').requestBody.description, /refused with invalid_request/)
    deepStrictEqual(operation('/t/typed').responses['400'], { $ref: '#/components/responses/refusing_400' })
    deepStrictEqual(schemaOf('/t/listed'), {
      type: 'object',
      properties: { a: {}, b: {} },
      additionalProperties: false,
    })
    ok('invalid_request' in components.schemas && 'refusing_400' in components.responses)
    for (const path of ['/t/off', '/t/warn']) {
      strictEqual(schemaOf(path).additionalProperties, undefined)
      deepStrictEqual(operation(path).responses['400'], { $ref: '#/components/responses/soap_400' })
    }
    deepStrictEqual(schemaOf('/t/warn').required, ['a'])
  })

  test('of the types of a WSDL, at every depth, and at a later start', async () => {
    const folder = newFolder({ 'crm/api.wsdl': typed, 'crm/api.meta.yaml': 'member_class: GOV\n' })
    const dsl_path = newFolder()
    for (const mode of ['refuse', 'off', 'refuse']) {
      const service = await startLanes({
        dsl: {},
        config: { wsdl_watch_dir: folder, dsl_path, validate_requests: mode },
      })
      try {
        const { schemaOf, components } = await describedBy(service)
        const schema = schemaOf('/crm/op')
        const expected = mode === 'refuse' ? false : undefined
        strictEqual(schema.additionalProperties, expected)
        strictEqual(schema.properties?.['item']?.items?.additionalProperties, expected)
        deepStrictEqual(schema.required, ['code'])
        strictEqual('invalid_request' in components.schemas, mode === 'refuse')
      } finally {
        await service.close()
      }
    }
  })
})

describe('what checks requests is loaded where a file or the configuration asks for it', () => {
  const watching = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        const module = next(url, context)
        // A file of its own, or a part of the bundle under its name.
        const names = [url, ...String(module.source).matchAll(/^[/][/] (\\S+)$/gm).map(([, source]) => source)]
        if (names.some((name) => /soap.check.(?:check|text-check)\\.ts$/.test(name))) console.error('checks are loaded')
        return module
      },
    })`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(watching)}`
  const file = (params: object): string =>
    JSON.stringify({ method: 'POST', service: 'http://127.0.0.1:1/', envelope: '<e>{{a}}</e>', params })

  const asks: readonly (readonly [what: string, params: object, config: object, isLoaded: boolean])[] = [
    ['names of params', ['a'], {}, false],
    ['a type of a param', { a: { type: 'integer' } }, {}, false],
    ['an expression', { a: { pattern: '[0-9]+' } }, {}, true],
    ['values', { a: { enum: ['x'] } }, {}, true],
    ['validate_requests', ['a'], { validate_requests: 'warn' }, true],
  ]
  for (const [what, params, config, isLoaded] of asks) {
    test(`${what}: ${isLoaded ? 'loaded' : 'not loaded'}`, async () => {
      const service = await startProxy({
        files: { 'g/a.yml': file(params) },
        config: { ...config },
        env: { NODE_OPTIONS },
      })
      strictEqual((await service.stop()).stderr.includes('checks are loaded'), isLoaded)
    })
  }
})
