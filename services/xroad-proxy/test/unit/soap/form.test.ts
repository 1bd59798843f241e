/** Forms against the reader of forms that Node.js has, and the message that goes out against the reader of the mock. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../../src/errors.ts'
import { openDirect } from '../../../src/mock/attachments.ts'
import type { TemplateFile, TemplateValue } from '../../../src/model.ts'
import { finish } from '../../../src/steps.ts'
import { AttachmentList } from '../../../src/soap/request/attachments.ts'
import { readFormInSteps } from '../../../src/soap/request/form.ts'
import { toMultipartMessage } from '../../../src/soap/request/multipart-message.ts'
import { field, file, type FormPart, formType, toForm } from '../../support/multipart.ts'

const options = { params: ['text', 'file'], attached: ['file'] }

/** Bytes that mean something in a multipart message. */
const content = fc
  .array(fc.constantFrom(13, 10, 45, 98, 120, 61, 0xc3, 0xb5, 0, 32), { maxLength: 60 })
  .map((bytes) => Buffer.from(bytes))
  .filter((bytes) => !`\r\n${bytes.toString('latin1')}\r\n`.includes('\r\n--b'))
const form = fc
  .tuple(
    fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 4 }),
    fc.array(content, { maxLength: 4 }),
  )
  .map(([texts, files]): FormPart[] => [
    ...texts.map((text) => field('text', text.replaceAll('-', '_'))),
    ...files.map((bytes) => file('file', bytes)),
  ])

function all(value: TemplateValue | undefined): readonly TemplateValue[] {
  if (value === undefined) return []
  return Array.isArray(value) ? (value as readonly TemplateValue[]) : [value]
}

/**
 * Node.js takes the boundary for one wherever it stands in a content; request-attachments.test.ts has such contents.
 */
const plainForm = form.map((parts) =>
  parts.map(([head, bytes]): FormPart => [
    head,
    Buffer.from(
      Buffer.from(bytes as string)
        .toString('latin1')
        .replaceAll('b', 'c'),
      'latin1',
    ),
  ]),
)

test('a form means what Node.js makes of it [P2.2]', async () => {
  await fc.assert(
    fc.asyncProperty(plainForm, async (parts) => {
      const body = toForm(...parts)
      const data = await new Response(new Uint8Array(body), { headers: { 'content-type': formType } }).formData()
      const values = finish(readFormInSteps(body, formType, options))
      deepStrictEqual(all(values['text']), data.getAll('text'))
      const expected = await Promise.all(
        data.getAll('file').map(async (part) => Buffer.from(await (part as File).arrayBuffer())),
      )
      deepStrictEqual(
        all(values['file']).map((file) => Buffer.from((file as TemplateFile).bytes)),
        expected,
      )
    }),
    { numRuns: 200 },
  )
})

test('whatever bytes come, a form is read or refused [P2.2]', () => {
  const broken = fc.tuple(
    form,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 10, 13, 34, 45, 58, 59, 61, 92, 98, 255)), { maxLength: 6 }),
    fc.nat(),
  )
  fc.assert(
    fc.property(broken, ([parts, changes, end]) => {
      const body = toForm(...parts)
      for (const [at, byte] of changes) body[at % body.length] = byte
      try {
        ok(finish(readFormInSteps(end % 3 === 0 ? body.subarray(0, end % body.length) : body, formType, options)))
      } catch (error) {
        ok(error instanceof Failure && error.code === 'malformed_request', String(error))
      }
    }),
    { numRuns: 1000 },
  )
})

test('what goes out is what another reader takes apart again [P2.2]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 50 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (files, isMtom) => {
        const list = new AttachmentList('some-id')
        const wish = { path: 'file', type: undefined, part: undefined }
        const references = files.map((bytes) =>
          list.attach(isMtom ? 'xop_include' : 'swa_ref', { bytes, type: undefined }, wish),
        )
        const envelope = Buffer.from(`<e>${references.join('')}</e>`)
        const { contentType, body } = toMultipartMessage(envelope, 'text/xml; charset=utf-8', list)
        const opened = openDirect(contentType, body, 'text/xml')
        deepStrictEqual(opened.envelope, envelope)
        deepStrictEqual(
          opened.attachments.map(({ bytes }) => new Uint8Array(bytes)),
          files,
        )
      },
    ),
    { numRuns: 200 },
  )
})

test('SOAP 1.2 says its type, and the action, where SOAP 1.1 says text/xml [P2.2 P2.3]', () => {
  const type = 'application/soap+xml; charset=utf-8; action="urn:a"'
  const rootOf = (helper: 'swa_ref' | 'xop_include'): readonly [string, string | undefined] => {
    const list = new AttachmentList('id')
    list.attach(helper, 'AAEC', { path: 'file', type: undefined, part: undefined })
    const { contentType, body } = toMultipartMessage(Buffer.from('<e/>'), type, list)
    return [contentType, /^Content-Type: (.*)\r$/m.exec(body.toString())?.[1]]
  }
  const rest = 'start="<root.id@xroad-proxy>"; boundary="xroad-proxy-id"'
  deepStrictEqual(rootOf('swa_ref'), [`multipart/related; type="application/soap+xml"; ${rest}`, type])
  const [related, root] = rootOf('xop_include')
  strictEqual(related, `multipart/related; type="application/xop+xml"; start-info="application/soap+xml"; ${rest}`)
  strictEqual(root, 'application/xop+xml; charset=utf-8; action="urn:a"; type="application/soap+xml"')
})
