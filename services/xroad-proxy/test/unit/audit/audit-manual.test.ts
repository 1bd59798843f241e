/** docs/audit.md, held against the lines that are written. */
import { deepStrictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { column, tableAfter } from '@services/testing'
import { type AuditRecord, toLine } from '../../../src/audit/line.ts'

const page = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8')
const record: AuditRecord = {
  time: new Date(),
  id: undefined,
  caller: undefined,
  client: undefined,
  service: undefined,
  version: undefined,
  lane: 'rest',
  user: undefined,
  requestHash: undefined,
  bytesIn: 0,
  bytesOut: 0,
  ms: 0,
  upstreamMs: 0,
  outcome: 'ok',
  source: undefined,
}
const fieldsOf = (text: string): string[] => Object.keys(JSON.parse(text) as object)

test('the manual has the fields of a line, in their order [P5.2]', () => {
  const plain = fieldsOf(toLine(record, undefined))
  const hashed = fieldsOf(toLine(record, 'key'))
  const listed = column(tableAfter(page, '<!-- table: audit'), 0)
  deepStrictEqual(
    [listed.filter((name) => name !== 'user_hash'), listed.filter((name) => name !== 'user')],
    [plain, hashed],
  )
  const [, example = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? []
  deepStrictEqual(fieldsOf(example), hashed)
})
