/** docs/wsdl.md against the code: fields of the sidecar, reasons, flags. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { column, tableAfter } from '@services/testing'
import { readFlags } from '../../../src/boot/flags.ts'
import { sidecarFields } from '../../../src/boot/ingest/sidecar.ts'
import { outputReasons } from '../../../src/boot/ingest/output.ts'
import { skipReasons } from '../../../src/wsdl/operations/reasons.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/wsdl.md'), 'utf8')

test('the page has the fields of the sidecar [D5.5]', () => {
  deepStrictEqual(column(tableAfter(page, '<!-- table: sidecar'), 0), sidecarFields)
})

test('the page has every reason, in its words [D5.10]', () => {
  for (const [mark, reasons] of [
    ['<!-- table: reasons', skipReasons],
    ['<!-- table: output', outputReasons],
  ] as const) {
    const rows = tableAfter(page, mark)
    deepStrictEqual(Object.fromEntries(rows.map(([code = '', words = '']) => [code, words])), reasons)
    for (const help of column(rows, 2)) ok(help.length > 10, help)
  }
})

test('the page has the flags of wsdl add [P1.3]', () => {
  const rows = column(tableAfter(page.slice(page.indexOf('\n## wsdl add')), 'xroad-proxy wsdl add'), 0)
  const own = rows.map((row) => row.split(' ')[0] ?? '')
  const told = readFlags(['--help'])
  const usage = 'text' in told ? told.text : ''
  const [line = ''] = /xroad-proxy wsdl add [^]*?(?=\n +xroad-proxy )/.exec(usage) ?? []
  const taken = Array.from(line.matchAll(/--[\w-]+/g), ([flag]) => flag)
  const ofVendor = ['--allow-host', '--max-bytes', '--allow-http', '--allow-private-address']
  deepStrictEqual(new Set([...own, ...ofVendor]), new Set(taken))
})

test('the page has the flags that the commands take [D1.1]', () => {
  const rows = column(tableAfter(page.slice(page.indexOf('\n## wsdl vendor')), 'xroad-proxy wsdl vendor'), 0)
  deepStrictEqual(rows, ['--allow-host HOST', '--max-bytes N', '--allow-http', '--allow-private-address HOST'])
  const argv = [
    'wsdl',
    'vendor',
    'a',
    ...rows.flatMap((row) => row.replace('HOST', 'h').replace(' N', ' 1').split(' ')),
  ]
  strictEqual(readFlags(argv).action, 'wsdl vendor')
  ok(page.includes(`${(readFlags(['wsdl', 'vendor', 'a']) as { maxBytes: number }).maxBytes} by default`))
})
