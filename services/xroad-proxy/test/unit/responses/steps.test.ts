/**
 * No answer and no form holds the event loop: whatever its bytes are, each step of its reading is short. Counted is the
 * time that this thread computes, and the shortest of three runs, because others use this machine as well; the steps
 * are some milliseconds long.
 */
import { ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { isFull } from '@services/testing'
import { Failure } from '../../../src/errors.ts'
import type { AttachmentMode } from '../../../src/model.ts'
import { anyShape, type Member, toBody } from '../../../src/soap/json/shape.ts'
import { readResponseInSteps } from '../../../src/soap/message/response.ts'
import type { Steps } from '../../../src/steps.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'
import { readFormInSteps } from '../../../src/soap/request/form.ts'

/** A step that grows with its input shows at a quarter of the size too; by night the size is that of the limits. */
const share = isFull ? 1 : 1 / 4
const size = 15 * 1024 * 1024 * share
const limitMs = isFull ? 50 : 25

const fill = (piece: string): string => piece.repeat(Math.floor(size / piece.length))
const number = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join('')
const nest = (inside: string): string => '<a>'.repeat(127) + inside + '</a>'.repeat(127)

/** What a document does, and how it is written. */
const documents: Readonly<Record<string, () => string>> = {
  'attributes without number': () => `<a${number(1_200_000, (index) => ` a${index}=""`)}/>`,
  'as many attributes as may be': () =>
    `<a${number(99_000, (index) => ` name${index}="${'x'.repeat(120 * share)}"`)}/>`,
  'one text': () => `<a>${fill('x')}</a>`,
  'one text of quotes': () => `<a>${fill('"')}</a>`,
  'one text of lines': () => `<a>${fill('x\n')}</a>`,
  'one text of carriage returns': () => `<a>${fill('\r')}</a>`,
  'one text of references': () => `<a>${fill('&amp;')}</a>`,
  'one text beyond ASCII': () => `<a>${fill('\u0416').slice(0, size / 2)}</a>`,
  'white space inside a text': () => `<a>x${fill(' ')}x</a>`,
  'white space behind the root': () => `<a/>${fill(' ')}`,
  'one attribute': () => `<a b='${fill('"')}'/>`,
  'one attribute of tabs': () => `<a b="${fill('\t')}"/>`,
  'one comment': () => `<a><!--${fill(' -')} --></a>`,
  'one CDATA section': () => `<a><![CDATA[${fill(']]x]')}]]></a>`,
  'one processing instruction': () => `<a><?p ${fill('?')}?></a>`,
  'one entity': () => `<a>&${fill('a')};</a>`,
  'one name': () => `<${fill('a')}/>`,
  'a fault of quotes': () => `<Fault><faultcode>a</faultcode><faultstring>${fill('"')}</faultstring></Fault>`,
  'a fault of tags': () =>
    `<Fault><faultstring>${'<b/>x'.repeat(33_000)}${'"'.repeat(size - 200_000)}</faultstring></Fault>`,
  'a DOCTYPE': () => `<!DOCTYPE a [${fill('<!ENTITY a "b">')}]><a/>`,
  'wide and long': () => `<a>${number(30_000, (index) => `<n${index}>${'x'.repeat(480 * share)}</n${index}>`)}</a>`,
  'many of one name': () => `<a>${number(30_000, () => `<row>${'"'.repeat(480 * share)}</row>`)}</a>`,
  'deep and long': () => nest(number(30_000, () => `x<row>${'y'.repeat(480 * share)}</row>`)),
}

const encoded = (encoding: string, content: string): string =>
  `Content-Transfer-Encoding: ${encoding}\n\n${content}\n--b--`

const include = '<Include xmlns="http://www.w3.org/2004/08/xop/include" href="cid:1"/>'

/** The boundary is `b`, unless it stands in front. */
const parts: Readonly<Record<string, () => string>> = {
  'boundaries inside lines': () => fill('x --b'),
  'boundaries that go on': () => fill('--b x\n'),
  'boundaries behind the root': () => `--b\n\n<a/>\n--b\n\n${fill('x --b')}\n--b--`,
  'white space behind boundaries': () => fill(`--b${' '.repeat(50)}x\n`),
  'quoted-printable': () => `--b\n${encoded('quoted-printable', fill('=41'))}`,
  base64: () => `--b\n${encoded('base64', fill('QUJD'))}`,
  'an attachment in base64': () => `--b\n\n<a/>\n--b\n${encoded('base64', fill('QUJD'))}`,
  'an attachment of bytes': () => `--b\n\n<a/>\n--b\n${encoded('binary', fill('QUJD'))}`,
  'an attachment that is included': () =>
    `--b\n\n<a>${include}</a>\n--b\nContent-ID: <1>\n${encoded('binary', fill('QUJD'))}`,
  'inclusions, as many as may be': () =>
    `--b\n\n<a>${number(30_000, () => `<b>${include}</b>`)}</a>\n--b\nContent-ID: <1>\n${encoded('binary', '')}`,
}

/** The longest step in milliseconds of work. */
function longest(body: Buffer, contentType: string, attachments: AttachmentMode, expected?: Member): number {
  return longestOf(readResponseInSteps(body, contentType, { attachments, expected }), XmlError)
}

function longestOf(steps: Steps<unknown>, expectedError: typeof XmlError | typeof Failure): number {
  let most = 0
  for (let isDone = false; !isDone;) {
    const since = process.threadCpuUsage()
    try {
      isDone = steps.next().done === true
    } catch (error) {
      ok(error instanceof expectedError, String(error))
      isDone = true
    }
    const { user, system } = process.threadCpuUsage(since)
    most = Math.max(most, (user + system) / 1000)
  }
  return most
}

function check(text: string, contentType: string, expected?: Member): void {
  const body = Buffer.from(text)
  // Compiling and collecting garbage are no work of the step that they fall into.
  let most = Infinity
  for (let run = 0; run < 15 && most > limitMs; run += 1)
    most = Math.min(most, longest(body, contentType, 'base64', expected))
  ok(most <= limitMs, `${most} ms`)
}

for (const [name, write] of Object.entries(documents)) {
  test(`no step is long, whatever the document is: ${name} [X7]`, () => check(write(), 'text/xml'))
}

/** Instances of a type, read by it. */
const typed: Readonly<Record<string, () => string>> = {
  'as many attributes as may be': () =>
    `<a${number(99_000, (index) => ` name${index}="${'x'.repeat(120 * share)}"`)}/>`,
  'as many declarations as may be': () => `<a${number(99_000, (index) => ` xmlns:p${index}="${instanceNamespace}"`)}/>`,
  'declarations in each of many elements': () =>
    `<a${number(30_000, (index) => ` xmlns:p${index}="${instanceNamespace}"`)}>${number(30_000, (index) => `<b xmlns:q${index}="${instanceNamespace}"/>`)}</a>`,
  'one attribute': () => `<a b='${fill('"')}'/>`,
}

const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'
const anyObject = toBody({ name: 'a', isList: false, shape: { ...anyShape, kind: 'object' } })

for (const [name, write] of Object.entries(typed)) {
  test(`no step is long, whatever an answer with types is: ${name} [X7]`, () => check(write(), 'text/xml', anyObject))
}

for (const [name, write] of Object.entries(parts)) {
  test(`no step is long, whatever the parts are: ${name} [X7]`, () => check(write(), 'multipart/related; boundary=b'))
}

/** The boundary is `b`. */
const forms: Readonly<Record<string, () => string>> = {
  'boundaries inside lines': () => fill('x --b'),
  'boundaries that go on': () => fill('--b x\r\n'),
  'one file': () => `--b\r\n${ofFile}\r\n\r\n${fill('x')}\r\n--b--`,
  'one file in base64': () => `--b\r\n${ofFile}\r\nContent-Transfer-Encoding: base64\r\n\r\n${fill('QUJD')}\r\n--b--`,
  'as many fields as may be, of one name': () =>
    `${number(1000, () => `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(16_000 * share)}\r\n`)}--b--`,
  'a long head': () => `--b\r\nX: ${fill('x')}\r\n\r\n--b--`,
  'quotes in a disposition': () => `--b\r\nContent-Disposition: form-data; ${';\\"'.repeat(5000)}\r\n\r\n\r\n--b--`,
}

const ofFile = 'Content-Disposition: form-data; name="f"; filename="x"'

for (const [name, write] of Object.entries(forms)) {
  test(`no step is long, whatever a form is: ${name} [X7 P2.2]`, () => {
    const body = Buffer.from(write())
    let most = Infinity
    for (let run = 0; run < 15 && most > limitMs; run += 1) {
      const steps = readFormInSteps(body, 'multipart/form-data; boundary=b', { params: ['a', 'f'], attached: ['f'] })
      most = Math.min(most, longestOf(steps, Failure))
    }
    ok(most <= limitMs, `${most} ms`)
  })
}

test('attributes are parse events, and more than there may be are refused before the tag ends [X7]', () => {
  const run = (count: number): number => {
    let steps = 1
    for (const _ of readResponseInSteps(Buffer.from(`<a${number(count, (index) => ` a${index}=""`)}/>`), undefined))
      steps += 1
    return steps
  }
  run(99_999)
  try {
    run(100_000)
    ok(false, 'accepted')
  } catch (error) {
    ok(error instanceof XmlError, String(error))
    strictEqual(error.message.replace(/^\d+:\d+: /, ''), 'more than 100000 parse events')
  }
})
