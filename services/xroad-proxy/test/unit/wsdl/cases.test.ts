/**
 * Every folder of cases/wsdl: a WSDL, what becomes of each of its operations, and envelopes for some calls. A file
 * `<operation>.yml` beside them is what has to be generated, byte for byte.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TemplateObject } from '../../../src/model.ts'
import { readWsdl } from '../../../src/wsdl/operations/operations.ts'
import { bodyOf, generateAll, renderDsl, resolveIn } from '../../support/wsdl/wsdl.ts'

interface Case {
  readonly rule: readonly string[]
  readonly title: string
  /** Name -> `generated` or the code of the reason; a further operation of the name as `name (2)`. */
  readonly operations: Readonly<Record<string, string>>
  readonly calls: readonly { readonly operation: string; readonly send: TemplateObject; readonly body: string }[]
}

const root = join(import.meta.dirname, '../../cases/wsdl')
const names = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())

for (const { name } of names) {
  const folder = join(root, name)
  const { rule, title, operations, calls } = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case
  test(`${title} (${name}) [${rule.join(' ')}]`, () => {
    const wsdl = readWsdl(readFileSync(join(folder, 'api.wsdl')), 'owner/api.wsdl', resolveIn(folder))
    const results = generateAll(wsdl)
    deepStrictEqual(
      outcomes(results.map((each) => [each.name, each.kind === 'skipped' ? each.reason : each.kind])),
      operations,
    )
    for (const { operation, send, body } of calls) {
      const result = results.find(({ name }) => name === operation)
      ok(result?.kind === 'generated')
      strictEqual(bodyOf(renderDsl(result.text, send)), body)
    }
    for (const result of results) {
      const golden = join(folder, `${result.name}.yml`)
      if (result.kind === 'generated' && existsSync(golden)) strictEqual(result.text, readFileSync(golden, 'utf8'))
    }
  })
}

test('there are cases', () => {
  ok(names.length > 15)
})

function outcomes(results: readonly (readonly [string, string])[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, outcome] of results) found[Object.hasOwn(found, name) ? `${name} (2)` : name] = outcome
  return found
}
