/** The texts of a statement with lists: one for every choice of which parameters are lists, up to a limit. */
import { strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../../src/dialects.ts'
import { Statements } from '../../../src/database/sqlite/jobs/statements.ts'
import type { JsonValue, ParameterSet, Statement } from '../../../src/model.ts'
import { readScript } from '../../../src/sql/script.ts'

const names = Array.from({ length: 11 }, (_, index) => `p${index}`)
const sql = `SELECT 1 WHERE ${names.map((name) => `1 IN (:${name})`).join(' AND ')}`

/** The parameters of `sql`: those that are lists have their bit set. */
function choose(lists: number): ParameterSet {
  const value = (index: number): JsonValue => ((lists >> index) & 1 ? { kind: 'array', text: '[1]' } : '1')
  return new Map(names.map((name, index) => [name, value(index)]))
}

function readStatement(text: string): Statement {
  const { statements } = readScript(text, dialects.sqlite.grammar)
  return statements[0] as Statement
}

test('lists in too many combinations are refused, those that were there before are not [D4.3]', () => {
  const statements = new Statements()
  const statement = readStatement(sql)
  const numbers = Array.from({ length: 1024 }, (_, lists) => statements.numberOf(statement, choose(lists)))
  strictEqual(new Set(numbers.map((number) => statements.textOf(number))).size, 1024)
  for (const lists of [1024, 2047]) {
    throws(() => statements.numberOf(statement, choose(lists)), {
      reason: 'list_combinations_exhausted',
      message: 'The parameters of this statement are lists in too many combinations',
    })
  }
  for (const [lists, number] of numbers.entries()) strictEqual(statements.numberOf(statement, choose(lists)), number)
  const other = readStatement(`${sql} AND 2 > 1`)
  strictEqual(statements.textOf(statements.numberOf(other, choose(2047))).text.match(/json_each/g)?.length, 11)
})
