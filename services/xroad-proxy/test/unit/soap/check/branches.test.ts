/** What people read about a choice of which the request holds nothing. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { tellMissing } from '../../../../src/soap/check/choices.ts'

test('a choice of many branches says how many it does not name [G9]', () => {
  const branches = (count: number): { params: string[] }[] =>
    Array.from({ length: count }, (_, index) => ({ params: [`p${index}`] }))
  strictEqual(tellMissing(branches(1)), 'missing')
  strictEqual(tellMissing(branches(3)), 'missing, expected it or one of p1, p2')
  const named = Array.from({ length: 10 }, (_, index) => `p${index + 1}`).join(', ')
  strictEqual(tellMissing(branches(11)), `missing, expected it or one of ${named}`)
  strictEqual(tellMissing(branches(14)), `missing, expected it or one of ${named}, 3 more, which /api lists`)
})
