/**
 * Every folder of cases/xml: an answer, and the JSON that it becomes. What the files hold is explained in README.md
 * there.
 */
import { ok, strictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { canonicalJson } from '@services/testing'
import { readResponse } from '../../../src/soap/message/response.ts'

interface Case {
  readonly rule: readonly string[]
  readonly title: string
  readonly contentType?: string
}

const root = join(import.meta.dirname, '../../cases/xml')
const names = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())

for (const { name } of names) {
  const { rule, title, contentType } = JSON.parse(readFileSync(join(root, name, 'case.json'), 'utf8')) as Case
  test(`${title} (${name}) [${rule.join(' ')}]`, () => {
    const { body, headers, fault } = readResponse(readFileSync(join(root, name, 'answer.xml')), contentType)
    const { code, string, detail } = fault ?? {}
    const words = `"code":${JSON.stringify(code)},"string":${JSON.stringify(string)}`
    const told = detail === undefined ? `{${words}}` : `{${words},"detail":${detail}}`
    const read = `{"body":${body},"headers":${headers}${fault === undefined ? '' : `,"fault":${told}`}}`
    strictEqual(canonicalJson(read), canonicalJson(readFileSync(join(root, name, 'expected.json'), 'utf8')))
  })
}

test('there are cases', () => {
  ok(names.length > 10)
})
