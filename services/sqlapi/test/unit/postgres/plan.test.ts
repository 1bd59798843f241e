/**
 * How statements and values become plans, without a server: database/postgres/plans/plan.ts, settle.ts and
 * types/encode.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../../src/dialects.ts'
import { Catalog } from '../../../src/database/postgres/sessions/catalog.ts'
import { candidatesOf } from '../../../src/database/postgres/types/candidates.ts'
import {
  type Bound,
  bind,
  candidateTypes,
  type Code,
  type ElementForm,
  encode,
} from '../../../src/database/postgres/types/encode.ts'
import { bindStatement, render, widen } from '../../../src/database/postgres/plans/plan.ts'
import { type Preparer, settle } from '../../../src/database/postgres/plans/settle.ts'
import { oid } from '../../../src/database/postgres/types/types.ts'
import { readObject } from '../../../src/json/read.ts'
import type {
  DeclaredParameter,
  Effect,
  JsonValue,
  ParameterSlot,
  Statement,
  ValueTypeName,
} from '../../../src/model.ts'
import { readScript } from '../../../src/sql/script.ts'

const statementOf = (text: string): Statement => readScript(text, dialects.postgres.grammar).statements[0] as Statement
const valueOf = (json: string): JsonValue => readObject(`{"x":${json}}`).get('x') as JsonValue
const boundOf = (json: string): Bound => bind('x', valueOf(json))

const codes: readonly (readonly [json: string, code: Code, rule: string])[] = [
  ['null', 'n', 'S-params.3'],
  ['true', 'b', 'S-params.3'],
  ['1', 'i', 'S-params.3'],
  ['-9223372036854775808', 'i', 'D2.3'],
  ['1.0', 'f', 'D2.3'],
  ['1e3', 'f', 'D2.3'],
  ['"1"', 't', 'S-params.3'],
  ['{}', 'o', 'S-params.3'],
  ['["a",null]', 'T', 'S-arrays.1'],
  ['[1,null]', 'I', 'S-arrays.1'],
  ['[1.5]', 'F', 'S-arrays.1'],
  ['[null,true]', 'B', 'S-arrays.1'],
  ['[1,2.5]', 'F', 'S-arrays.2'],
  ['[2.5,1]', 'F', 'S-arrays.2'],
  ['[]', 'e', 'S-arrays.3'],
  ['[null]', 'e', 'S-arrays.3'],
  ['[1,"a"]', 'm', 'S-arrays.3'],
  ['[[1]]', 'M', 'S-arrays.3'],
  ['[1,"a",{}]', 'M', 'S-arrays.3'],
  ['[{}]', 'M', 'S-arrays.3'],
]

for (const [json, code, rule] of codes) {
  test(`${json} has the kind ${code} [${rule}]`, () => assert.equal(boundOf(json).code, code))
}

test('a declared type comes first for texts, nulls and lists of them; in what is written after text [F6]', () => {
  const declare = (type: ValueTypeName | undefined, list = false): DeclaredParameter => {
    return { name: 'x', type, list, default: undefined, description: undefined, enum: undefined }
  }
  const typesOf = (
    declared: DeclaredParameter,
    code: Code,
    role: ParameterSlot['role'] = 'value',
    effect: Effect = 'read',
  ) =>
    // prettier-ignore
    candidatesOf({ declared: [declared], effect }, { source: 0, role }, code)
  const day = declare('date')
  assert.deepEqual(typesOf(day, 't'), [oid.date, oid.text, oid.unspecified])
  assert.deepEqual(typesOf(day, 't', 'value', 'write'), [oid.text, oid.date, oid.unspecified])
  assert.deepEqual(typesOf(day, 'n'), [oid.date, oid.unspecified, oid.text])
  assert.deepEqual(typesOf(day, 'n', 'value', 'write'), [oid.date, oid.unspecified, oid.text])
  assert.deepEqual(typesOf(day, 'i'), [oid.int8, oid.int4, oid.unspecified])
  const days = declare('date', true)
  assert.deepEqual(typesOf(days, 'T'), [oid.dateArray, oid.textArray, oid.unspecified])
  assert.deepEqual(typesOf(days, 'T', 'value', 'write'), [oid.textArray, oid.dateArray, oid.unspecified])
  assert.deepEqual(typesOf(days, 'e'), [oid.dateArray, oid.jsonb, oid.unspecified])
  assert.deepEqual(typesOf(days, 'e', 'array'), [oid.dateArray, oid.textArray, oid.unspecified])
  assert.deepEqual(typesOf(days, 'n')[0], oid.dateArray)
  assert.deepEqual(typesOf(days, 'n', 'in')[0], oid.date)
  const [at, times] = [declare('timestamp'), declare('timestamp', true)]
  assert.deepEqual([typesOf(at, 't')[0], typesOf(at, 'z')[0]], [oid.timestamp, oid.timestamptz])
  assert.deepEqual([typesOf(times, 'T')[0], typesOf(times, 'Z')[0]], [oid.timestampArray, oid.timestamptzArray])
  assert.deepEqual([typesOf(declare('uuid'), 't')[0], typesOf(declare('uuid', true), 'T')[0]], [oid.uuid, oid.uuidArray]) // prettier-ignore
  for (const type of ['string', 'integer', 'number', 'boolean', 'json', undefined] as const) {
    for (const code of ['t', 'n', 'T', 'e'] as const) {
      assert.deepEqual(typesOf(declare(type), code), candidateTypes[code])
    }
  }
})

test('a timestamp with a time zone is another kind than one without, if it is declared as a timestamp [F6]', () => {
  const codeOf = (value: string, type?: ValueTypeName): Code => bind('x', valueOf(value), type).code
  const zoned = ['2026-01-31T10:20:30Z', '2026-01-31 10:20-05', '2026-01-31T10:20:30.5+02:00'].map((text) => JSON.stringify(text)) // prettier-ignore
  const plain = ['2026-01-31T10:20:30', '2026-01-31 10:20'].map((text) => JSON.stringify(text))
  for (const text of zoned) assert.deepEqual([codeOf(text, 'timestamp'), codeOf(text)], ['z', 't'])
  for (const text of plain) assert.deepEqual([codeOf(text, 'timestamp'), codeOf(text, 'date')], ['t', 't'])
  assert.equal(codeOf(`[${plain[0]}, null, ${zoned[0]}]`, 'timestamp'), 'Z')
  assert.equal(codeOf(`[${plain[0]}, null]`, 'timestamp'), 'T')
  assert.equal(codeOf(`[${zoned[0]}]`), 'T')
})

test('an integer outside 64 bits is refused, in an array too; in a JSON array or beside fractions it is not [D2.3]', () => {
  for (const json of ['9223372036854775808', '-9223372036854775809', '[1,9223372036854775808]']) {
    assert.throws(() => boundOf(json), { reason: 'integer_out_of_range' })
  }
  for (const json of ['[9223372036854775808,"a"]', '[9223372036854775808,0.5]', '{"a":9223372036854775808}'])
    boundOf(json)
})

const encodings: readonly (readonly [
  json: string,
  type: number,
  form: ElementForm | undefined,
  text: string | null,
])[] = [
  ['null', oid.text, undefined, null],
  ['true', oid.bool, undefined, 'true'],
  ['9007199254740993', oid.int8, undefined, '9007199254740993'],
  ['1.10', 1700, undefined, '1.10'],
  ['1e3', oid.int4, undefined, '1000'],
  ['1.5', oid.int4, undefined, '1.5'],
  ['1e-999', oid.float8, undefined, '0'],
  ['-1e-999', oid.float8, undefined, '-0'],
  ['-0.0', oid.float8, undefined, '-0'],
  ['-0.0', oid.int4, undefined, '0'],
  ['[-0.0,1]', oid.float8Array, 'text', '{"-0","1"}'],
  ['[1,2]', oid.jsonb, undefined, '[1,2]'],
  ['[1,null]', oid.int8Array, 'text', '{"1",NULL}'],
  ['["a\\"b",null]', oid.textArray, 'text', String.raw`{"a\"b",NULL}`],
  ['[["a"],["b"]]', oid.textArray, 'text', '{{"a"},{"b"}}'],
  ['["a",1,null]', oid.jsonbArray, 'json', String.raw`{"\"a\"","1",NULL}`],
  ['"{1,2}"', 1007, 'text', '{1,2}'],
]

for (const [json, type, form, text] of encodings) {
  test(`${json} for type ${type} is sent as ${text} [D4.2]`, () =>
    assert.equal(encode(boundOf(json), type, form), text))
}

test('a name that occurs twice is one parameter; per slot it is two [S-params.1]', () => {
  const statement = statementOf('select :a, :b, :a')
  const named = render(statement, 'it', { membership: false, perSlot: false })
  assert.equal(named.text, 'select $1, $2, $1')
  assert.deepEqual(
    named.parameters.map(({ source }) => source),
    [0, 1],
  )
  const placed = render(statement, 'it', { membership: false, perSlot: true })
  assert.equal(placed.text, 'select $1, $2, $3')
})

test('a list in brackets is written as membership or as the array itself, a scalar as it stands [D4.3]', () => {
  const statement = statementOf('select x in (:xs), x not in (:xs), array[:xs]')
  const membership = { membership: true, perSlot: false }
  assert.equal(render(statement, 'I', membership).text, 'select x = ANY ($1), x <> ALL ($1), $1')
  assert.equal(render(statement, 'i', membership).text, 'select x in ($1), x not in ($1), array[$1]')
  assert.equal(render(statement, 'I', { ...membership, membership: false }).text, 'select x in ($1), x not in ($1), $1')
})

/** A server that takes a text only with the types that `accepts` lists; it reports 23 for what is left to it. */
function serverThatAccepts(...accepted: string[]): Preparer & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async describe(text, types) {
      asked.push(`${text} ${types.join()}`)
      if (accepted.includes(types.join())) return types.map((type) => type || 23)
      throw Object.assign(new Error(`operator does not exist: ${types.join()}`), { code: '42883', position: 1 })
    },
    elementsOf: () => Promise.resolve(undefined),
  }
}

const settleOn = (server: Preparer, text: string, json: string) => {
  const statement = statementOf(text)
  return settle(server, 's1', statement, bindStatement(statement, readObject(json)).shape)
}

test('the declared types are tried first and kept when they fit [D4.1]', async () => {
  const server = serverThatAccepts('20,25')
  const plan = await settleOn(server, 'select :a, :b', '{"a":1,"b":"x"}')
  assert.deepEqual(
    plan.parameters.map(({ type }) => type),
    [20, 25],
  )
  assert.equal(server.asked.length, 1)
})

test('where they do not, the server decides, and every other parameter gets its own type back [D4.2]', async () => {
  const server = serverThatAccepts('0,0', '20,0')
  const plan = await settleOn(server, 'select :a, :b', '{"a":1,"b":"x"}')
  assert.deepEqual(
    plan.parameters.map(({ type }) => type),
    [20, 23],
  )
  assert.deepEqual(plan.narrow, [])
})

test('a plan that takes an integer as int4 needs a wider shape for one that does not fit, once for its name [S2]', async () => {
  const server = serverThatAccepts('23,20,1007', '0,20,0')
  const plan = await settleOn(server, 'select :a, :b, :xs', '{"a":1,"b":1,"xs":[1]}')
  assert.deepEqual(plan.narrow, [0, 2])
  const statement = statementOf('select :a, :b, :xs')
  const shapes: [json: string, shape: string][] = [
    ['{"a":2147483647,"b":2147483648,"xs":[null,-2147483648]}', 'iiI'],
    ['{"a":2147483648,"b":1,"xs":[]}', 'lie'],
    ['{"a":-2147483649,"b":1,"xs":[1,9223372036854775807]}', 'liL'],
  ]
  for (const [json, shape] of shapes) assert.equal(widen(plan, bindStatement(statement, readObject(json))), shape)
})

test('an error that is none of types is the answer at once [D4.2]', async () => {
  const server: Preparer = {
    describe: () => Promise.reject(Object.assign(new Error('no such table'), { code: '42P01' })),
    elementsOf: () => Promise.resolve(undefined),
  }
  await assert.rejects(settleOn(server, 'select :a', '{"a":1}'), /no such table/)
})

test('until the database has said otherwise, any statement may change the session [D3.6]', () => {
  assert.equal(new Catalog().code.isEverywhere, true)
})
