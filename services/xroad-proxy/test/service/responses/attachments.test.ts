/**
 * What comes beside the envelope in a multipart/related answer: listed, with its content where the DSL file asks for
 * it.
 */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { AttachmentMode } from '../../../src/model.ts'
import { readResponse } from '../../../src/soap/message/response.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'
import { startTypedService, type TypedService } from '../../support/wsdl/typed-service.ts'

const related = 'multipart/related; type="text/xml"; start="<root>"; boundary=b'
const root = ['Content-Type: text/xml; charset=utf-8', 'Content-ID: <root>', '', '<a>1</a>']

function parts(...all: readonly (readonly string[])[]): Buffer {
  return Buffer.from(`${all.map((lines) => `--b\r\n${lines.join('\r\n')}\r\n`).join('')}--b--\r\n`, 'latin1')
}

function listed(body: Buffer, attachments: AttachmentMode = 'list'): unknown {
  const answer = readResponse(body, related, { attachments })
  strictEqual(answer.body, '{"a":1}')
  return answer.attachments === undefined ? undefined : (JSON.parse(answer.attachments) as unknown)
}

const pdf = [
  'Content-Type: Application/PDF; name="x.pdf"',
  'Content-ID: <pdf@x>',
  'Content-Transfer-Encoding: binary',
  '',
  '%PDF \xe4',
]
const plainText = ['Content-Type: text/plain', 'content-transfer-encoding: BASE64', '', 'aGVs', 'bG8=']

test('id, media type and size in bytes, in the order of the parts [S-typed.attachments]', () => {
  deepStrictEqual(listed(parts(root, pdf, plainText)), [
    { id: 'pdf@x', type: 'application/pdf', size: 6 },
    { id: null, type: 'text/plain', size: 5 },
  ])
  deepStrictEqual(listed(parts(pdf, root)), [{ id: 'pdf@x', type: 'application/pdf', size: 6 }])
})

test('the content in base64 on request, its own encoding undone [S-typed.attachments]', () => {
  deepStrictEqual(listed(parts(root, pdf, plainText, ['', '']), 'base64'), [
    { id: 'pdf@x', type: 'application/pdf', size: 6, content: Buffer.from('%PDF \xe4', 'latin1').toString('base64') },
    { id: null, type: 'text/plain', size: 5, content: 'aGVsbG8=' },
    { id: null, type: null, size: 0, content: '' },
  ])
})

test('unless they are asked for, nothing is said of them and nothing read [D3.8 S-typed.attachments]', () => {
  const headless = ['no headers and no end']
  deepStrictEqual(
    { ...readResponse(parts(root, plainText), related) },
    { ...readResponse(Buffer.from('<a>1</a>'), 'text/xml') },
  )
  strictEqual(listed(parts(root, ...Array.from({ length: 1001 }, () => headless)), 'none'), undefined)
})

test('nothing is said where there are none [S-typed.attachments]', () => {
  deepStrictEqual(
    Object.keys(readResponse(parts(root), related)),
    Object.keys(readResponse(Buffer.from('<a/>'), 'text/xml')),
  )
  strictEqual(listed(parts(root), 'base64'), undefined)
})

test('an attachment that is broken or cut is an error, with its content or without [X10]', () => {
  const encoded = (encoding: string, content: string): string[] => [
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    content,
  ]
  for (const mode of ['list', 'base64'] as const) {
    for (const broken of ['QUJDR', '***', 'QUI', 'QQ==QQ=='])
      throws(() => listed(parts(root, encoded('base64', broken)), mode), /an attachment is not valid base64/)
    for (const broken of ['=4', 'a=ZZ'])
      throws(
        () => listed(parts(root, encoded('Quoted-Printable', broken)), mode),
        /attachment is not valid quoted-printable/,
      )
    const whole = parts(root, encoded('base64', 'QUJD'))
    throws(() => listed(whole.subarray(0, -4), mode), /no closing boundary/)
  }
  // Nobody asks for it.
  strictEqual(listed(parts(root, encoded('base64', 'QUJDR')), 'none'), undefined)
})

test('a part whose encoding nobody knows, or without headers, counts as it stands [S-typed.attachments]', () => {
  const unknown = ['Content-Type: x', 'Content-Transfer-Encoding: x-own', '', 'abc']
  const headless = ['no headers and no end']
  deepStrictEqual(listed(parts(root, unknown, headless)), [
    { id: null, type: 'x', size: 3 },
    { id: null, type: null, size: 21 },
  ])
})

test('a thousand parts pass, one more is refused; a second root is an attachment [S-typed.attachments]', () => {
  const many = (count: number): Buffer => parts(root, ...Array.from({ length: count }, () => ['', 'x']))
  strictEqual((listed(many(1000)) as unknown[]).length, 1000)
  throws(() => listed(many(1001)), XmlError)
  deepStrictEqual(listed(parts(root, root)), [{ id: 'root', type: 'text/xml', size: 8 }])
})

test('sixteen megabytes of boundaries that are none, and of attachment, take a moment [S-typed.attachments]', () => {
  const since = process.threadCpuUsage()
  const filler = ['', '--b-'.repeat(4_000_000)]
  const [{ size } = { size: 0 }] = listed(parts(root, filler), 'base64') as { size: number }[]
  strictEqual(size, 16_000_000)
  // Microseconds of work, not of waiting for others; what grows with the square takes minutes.
  ok(process.threadCpuUsage(since).user < 5_000_000)
})

describe('end to end', () => {
  let service: TypedService
  before(async () => {
    const file = 'method: POST\nenvelope: <q/>\n'
    service = await startTypedService({
      dsl: {
        'own/usual.yml': file,
        'own/list.yml': `attachments: list\n${file}`,
        'own/base64.yml': `attachments: base64\n${file}`,
      },
    })
  })
  after(async () => {
    await service.close()
  })

  test('beside body and headers, as /api describes it [S-typed.attachments]', async () => {
    const answers = await Promise.all(
      ['/own/usual', '/own/list', '/own/base64'].map(async (path) => {
        const { text } = await service.call(parts(root, plainText), { type: related, path })
        return JSON.parse(text) as object
      }),
    )
    const one = { id: null, type: 'text/plain', size: 5 }
    deepStrictEqual(answers, [
      { body: { a: 1 }, headers: null },
      { body: { a: 1 }, headers: null, attachments: [one] },
      { body: { a: 1 }, headers: null, attachments: [{ ...one, content: 'aGVsbG8=' }] },
    ])
    const { components, paths } = await service.api()
    const schemaOf = (path: string): object =>
      paths[path]!['post']!.responses['200']!.content['application/json'].schema
    const ajv = new Ajv2020({ strict: false })
    deepStrictEqual(schemaOf('/own/usual'), { $ref: '#/components/schemas/translation' })
    for (const [index, path] of ['/own/usual', '/own/list', '/own/base64'].entries()) {
      const validate = ajv.compile({ ...schemaOf(path), components })
      ok(validate(answers[index]), JSON.stringify(validate.errors))
      strictEqual(validate({ body: null, headers: null, attachments: [{}] }), index === 0)
    }
  })

  test('a fault with something attached is the error that it always is [S-typed.attachments]', async () => {
    const fault = [...root.slice(0, 3), '<e:Fault xmlns:e="e"><faultcode>Server.X</faultcode></e:Fault>']
    const { status, text } = await service.call(parts(fault, plainText), { type: related, path: '/own/base64' })
    strictEqual(status, 502)
    match(text, /upstream_soap_fault/)
    ok(!text.includes('attachments'))
  })
})
