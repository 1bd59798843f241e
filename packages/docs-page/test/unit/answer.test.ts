/** What comes back: XML laid out, bytes by their type, objects as tables of plain values. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { fileName, readContent } from '../../src/browser/answer/docs-content.js'
import { toSections } from '../../src/browser/answer/docs-object.js'
import { mistakeOf, mistakesIn } from '../../src/browser/answer/docs-problem.js'
import { layOutXml } from '../../src/browser/text/docs-xml.js'

const bytes = (text: string | number[]): Uint8Array =>
  typeof text === 'string' ? Buffer.from(text) : Uint8Array.from(text)
const laidOut = (text: string): string | undefined =>
  layOutXml(text)
    ?.map(([, part]) => part)
    .join('')

describe('XML on the page [P6.1]', () => {
  const cases: [xml: string, shown: string | undefined][] = [
    ['<a><b>1</b><c/></a>', '<a>\n  <b>1</b>\n  <c/>\n</a>'],
    ['<?xml version="1.0"?>\n<a  x=">">\n\n</a>\n', '<?xml version="1.0"?>\n<a  x=">"></a>'],
    ['<a>one <b>two</b> three</a>', '<a>one <b>two</b> three</a>'],
    ['<a><!-- <b> --><![CDATA[<]]></a>', '<a>\n  <!-- <b> --><![CDATA[<]]></a>'],
    ['<a>', undefined],
    ['<a></b></a>', undefined],
    ['{"a": "<b/>"}', undefined],
    ['<', undefined],
    ['', undefined],
    ['a < b', undefined],
  ]
  for (const [xml, shown] of cases) test(xml, () => strictEqual(laidOut(xml), shown))

  test('nothing of it is lost but white space between tags', () => {
    const name = fc.constantFrom('a', 'b:c', 'ü')
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('x', ' y ', '&lt;', '<!-- c -->', '<![CDATA[ d ]]>'),
        fc
          .tuple(name, fc.array(tie('tree'), { maxLength: 4 }))
          .map(([tag, parts]) => `<${tag}>${parts.join('')}</${tag}>`),
      ),
    }))
    const bare = (text: string): string => text.replaceAll(/\s+/g, '')
    fc.assert(
      fc.property(tree, (inner) => strictEqual(bare(laidOut(`<r>${inner}</r>`) ?? ''), bare(`<r>${inner}</r>`))),
    )
  })

  test('thousands of signs that open nothing take no time', () => {
    for (const sign of ['<', '<!--', '<a "', '<![CDATA[', '<?']) strictEqual(laidOut(sign.repeat(20_000)), undefined)
  })
})

describe('the content of an answer [P6.1]', () => {
  const cases: [content: string | number[], type: string, kind: string, text: string][] = [
    ['{}', 'application/json', 'json', '{}'],
    ['{}', 'application/problem+json; charset=utf-8', 'json', '{}'],
    ['<a/>', 'text/xml', 'xml', '<a/>'],
    ['<a/>', 'application/soap+xml', 'xml', '<a/>'],
    ['<p>', 'text/html', 'text', '<p>'],
    ['a,b', 'text/csv', 'text', 'a,b'],
    [[0xf5], 'text/plain; charset=windows-1257', 'text', 'õ'],
    [[0xf5], 'text/plain; charset="no such"', 'text', '\ufffd'],
    [[0x89, 0x50], 'image/png', 'picture', ''],
    ['<svg/>', 'image/svg+xml', 'picture', ''],
    ['%PDF-1.7\n', 'application/pdf', 'text', '%PDF-1.7\n'],
    [[0x25, 0x50, 0xff], 'application/pdf', 'file', ''],
    [[0, 65], 'application/octet-stream', 'file', ''],
    ['[1]', '', 'json', '[1]'],
    ['<a>1</a>', '', 'xml', '<a>1</a>'],
    ['hello', '', 'text', 'hello'],
  ]
  for (const [content, type, kind, text] of cases) {
    test(`${type || 'no type'}, ${JSON.stringify(content)}: ${kind}`, () => {
      const found = readContent(bytes(content), type)
      deepStrictEqual([found.kind, found.text], [kind, text])
    })
  }

  test('the name of a file that is saved', () => {
    strictEqual(fileName('http://h/g/s?x', 'application/json', null), 's.json')
    strictEqual(fileName('http://h/g/s', 'application/pdf', 'attachment; filename="../a.pdf"'), '.._a.pdf')
    strictEqual(fileName('http://h/g/s.v1', 'application/json', null), 's.v1')
    strictEqual(fileName('http://h/', '', null), 'answer')
  })
})

describe('an object as tables [P6.1]', () => {
  test('one for each object and list of objects, under its path', () => {
    const answer = {
      body: { reply: { code: '1', tags: ['a'], none: {}, kin: [{ n: 1 }, { n: 2 }], deep: { x: { y: null } } } },
      headers: {},
    }
    deepStrictEqual(toSections(answer), [
      { path: '', pairs: [['headers', {}]] },
      {
        path: 'body › reply',
        pairs: [
          ['code', '1'],
          ['tags', ['a']],
          ['none', {}],
        ],
      },
      { path: 'body › reply › kin', rows: [{ n: 1 }, { n: 2 }] },
      { path: 'body › reply › deep › x', pairs: [['y', null]] },
    ])
  })

  test('what is not an object has no tables', () => {
    for (const value of [undefined, null, 1, 'x', [], [1], {}]) strictEqual(toSections(value), undefined)
  })

  test('many tables end somewhere', () => {
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, { x: 1 }]))
    strictEqual(toSections(wide)?.length, 41)
  })
})

test('what an error says of single values is told beside them [P6.1]', () => {
  const problems = [{ param: 'a', problem: 'is missing' }, { param: 1, problem: 'x' }, null, 'x']
  deepStrictEqual([...mistakesIn({ error: 'invalid_request', message: 'm', problems })], [['a', 'is missing']])
  for (const value of [undefined, null, {}, { problems: {} }, 'x']) strictEqual(mistakesIn(value).size, 0)
  const mistakes = new Map([
    ['a', 'is missing'],
    ['ab', 'x'],
    ['list[3].code', 'y'],
    ['list[4].code', 'z'],
  ])
  strictEqual(mistakeOf('a', mistakes), 'is missing')
  strictEqual(mistakeOf('list', mistakes), 'list[3].code: y\nlist[4].code: z')
  strictEqual(mistakeOf('b', mistakes), '')
})
