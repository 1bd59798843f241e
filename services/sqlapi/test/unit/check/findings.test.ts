import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { codeNames, codes } from '../../../src/findings/codes.ts'
import { compareFindings, type Finding, type Report } from '../../../src/findings/finding.ts'
import { reports } from '../../../src/findings/reports.ts'

const finding: Finding = {
  severity: 'error',
  code: 'unknown-column',
  file: 'sql/crm/GET/orders.sql',
  line: 3,
  column: 8,
  message: 'column "plcaed_on" does not exist',
  text: 'SELECT plcaed_on',
  cure: 'did you mean placed_on?',
}

function report(findings: readonly Finding[], more: Partial<Report> = {}): Report {
  return { findings, files: 2, isPart: false, ms: 1234, colours: false, ...more }
}

test('text: a file, its findings with line and caret, and the count at the end [N1.2] [N1.3]', () => {
  strictEqual(
    reports.text(report([finding, { ...finding, severity: 'info', code: 'not-checked', line: 4, text: '' }])),
    `sql/crm/GET/orders.sql
  3:8  error  unknown-column: column "plcaed_on" does not exist
      SELECT plcaed_on
             ^
      = did you mean placed_on?
  4:8  info  not-checked: column "plcaed_on" does not exist
      = did you mean placed_on?

2 files checked in 1.2 s: 1 error, 1 info
`,
  )
})

test('text: findings of a file stand together, files apart [N1.3]', () => {
  const other = { ...finding, file: 'sql/crm/GET/a.sql', text: '' }
  const lines = reports.text(report([other, finding, { ...finding, line: 9 }])).split('\n')
  deepStrictEqual(
    lines.filter((line) => line.startsWith('sql')),
    ['sql/crm/GET/a.sql', 'sql/crm/GET/orders.sql'],
  )
})

test('text: nothing to report is said in one line [N1.3]', () => {
  strictEqual(reports.text(report([], { files: 1 })), '1 file checked in 1.2 s: nothing to report\n')
})

test('text: files that could not be checked in full are never nothing to report [F11]', () => {
  const end = '1 file checked in 1.2 s: not all could be checked\n'
  strictEqual(reports.text(report([], { files: 1, isPart: true })), end)
})

test('text: counts of one and of many [N1.3]', () => {
  const many = ['error', 'error', 'warning', 'info', 'info'].map((severity) => ({ ...finding, severity }) as Finding)
  match(reports.text(report(many)), /: 2 errors, 1 warning, 2 infos\n$/)
})

/** The line -> the column of the character that the caret is for, and the blanks before the caret. */
const carets: readonly [title: string, text: string, column: number, blanks: string][] = [
  ['the first column', 'abc', 1, ''],
  ['behind the end', 'abc', 4, '   '],
  ['tabs stay tabs', '\tab\tc', 5, '\t  \t'],
  ['a character beyond the first plane is one column', '\u{1D54F}x', 2, ' '],
  ['an ideograph is two cells wide', '日本 x', 4, '     '],
  ['so is an emoji', '😀x', 2, '  '],
  ['full width forms too', 'ＡＢx', 3, '    '],
  ['half width katakana are one cell wide', 'ｱｲx', 3, '  '],
  ['a combining mark takes no cell', 'e\u0301x', 3, ' '],
  ['accented letters take one', 'õäöüx', 5, '    '],
]

for (const [title, text, column, blanks] of carets) {
  test(`text: the caret stands under its character: ${title} [N1.2]`, () => {
    const lines = reports.text(report([{ ...finding, text, column }])).split('\n')
    deepStrictEqual(lines.slice(2, 4), [`      ${text}`, `      ${blanks}^`])
  })
}

test('text: of a long line the part around the caret is shown [N1.3]', () => {
  const text = `SELECT ${'a, '.repeat(500)}wrong ${', b'.repeat(500)}`
  const column = text.indexOf('wrong') + 1
  const [, , shown = '', caret = ''] = reports.text(report([{ ...finding, text, column }])).split('\n')
  ok(shown.length < 140, `${shown.length}`)
  strictEqual(shown.slice(caret.indexOf('^')).startsWith('wrong'), true)
  match(shown, /^ {6}….*…$/)
})

test('text: what a terminal would obey is replaced, wherever it stands [N1.3]', () => {
  const evil = '\u001B[31mred\u0007\u202E\r\nnext'
  const told = reports.text(report([{ ...finding, file: evil, message: evil, text: evil, cure: evil }]))
  for (const control of ['\u001B', '\u0007', '\u202E', '\r']) ok(!told.includes(control), JSON.stringify(told))
  strictEqual(told.split('\n').length, 8)
})

test('text: colours where the reader is a terminal, and none elsewhere [N1.3]', () => {
  ok(!reports.text(report([finding])).includes('\u001B'))
  const coloured = reports.text(report([finding], { colours: true }))
  ok(coloured.includes('\u001B[31merror\u001B[39m'))
  strictEqual(stripVTControlCharacters(coloured), reports.text(report([finding])))
})

test('json: an array of findings, each with the fields in their order [N1.2] [N1.3]', () => {
  deepStrictEqual(JSON.parse(reports.json(report([finding, finding]))), [finding, finding])
  deepStrictEqual(Object.keys((JSON.parse(reports.json(report([finding]))) as object[])[0] as object), [
    'severity',
    'code',
    'file',
    'line',
    'column',
    'message',
    'text',
    'cure',
  ])
  strictEqual(reports.json(report([])), '[]\n')
})

test('github: a workflow command a finding, escaped as the runner reads it [N1.3]', () => {
  strictEqual(
    reports.github(report([finding])),
    '::error file=sql/crm/GET/orders.sql,line=3,col=8::unknown-column: column "plcaed_on" does not exist (did you mean placed_on?)\n',
  )
  const severe = (severity: Finding['severity']) => reports.github(report([{ ...finding, severity }])).split(' ')[0]
  deepStrictEqual([severe('warning'), severe('info')], ['::warning', '::notice'])
  const odd = { ...finding, file: 'a,b:c%d.sql', message: '100 %\r\n::error::x' }
  strictEqual(
    reports.github(report([odd])),
    '::error file=a%2Cb%3Ac%25d.sql,line=3,col=8::unknown-column: 100 %25 ::error::x (did you mean placed_on?)\n',
  )
  strictEqual(reports.github(report([])), '')
})

test('findings come by file, line and column [N1.3]', () => {
  const at = (file: string, line: number, column: number): Finding => ({ ...finding, file, line, column })
  const given = [at('b', 1, 1), at('a', 10, 1), at('a', 9, 5), at('a', 9, 1)]
  deepStrictEqual(
    given.toSorted(compareFindings).map(({ file, line, column }) => [file, line, column]),
    [
      ['a', 9, 1],
      ['a', 9, 5],
      ['a', 10, 1],
      ['b', 1, 1],
    ],
  )
})

test('every code has a severity and a cure [N1.2]', () => {
  strictEqual(codeNames.length, 30)
  for (const { cure } of Object.values(codes)) ok(cure.length > 10 && !/[.!]$/.test(cure), cure)
})
