/** What of an error text may stand in the log. */
import { doesNotMatch, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import fc from 'fast-check'
import { redact, type RedactOptions } from '../../../src/database/redact.ts'
import { readObject } from '../../../src/json/read.ts'
import type { JsonValue } from '../../../src/model.ts'

const valuesOf = (json: string): JsonValue[] => [readObject(`{"x":${json}}`).get('x') as JsonValue]

const samples: readonly (readonly [text: string, json: string, quotes: RedactOptions['quotes'], shown: string])[] = [
  ['invalid input syntax for type integer: "abc"', '"abc"', 'data', 'invalid input syntax for type integer: "…"'],
  ['invalid input syntax for type integer: "a"b"', '"a\\"b"', 'data', 'invalid input syntax for type integer: "…"'],
  ['ungültige Eingabesyntax für Typ integer: »abc«', '"abc"', 'data', 'ungültige Eingabesyntax für Typ integer: »…«'],
  ['syntaxe en entrée invalide pour le type integer : « abc »', '"abc"', 'data', 'syntaxe en entrée invalide pour le type integer : « …»'], // prettier-ignore
  ['value "4711" is out of range for type integer', '4711', 'data', 'value "…" is out of range for type integer'],
  ['time zone "secret/zone" not recognized', '"2026-01-01 Secret/Zone"', 'data', 'time zone "…" not recognized'],
  ['stored data, "of others"', '1', 'data', 'stored data, "…"'],
  ['invalid input syntax for type integer: "orders"', '1', 'data', 'invalid input syntax for type integer: "orders"'],
  ['relation "nowhere" does not exist', '"x"', 'names', 'relation "nowhere" does not exist'],
  ['relation "nowhere" does not exist', '"from nowhere"', 'names', 'relation "…" does not exist'],
  ['relation "orders" does not exist', '"my orders"', 'names', 'relation "orders" does not exist'],
  ['index 4711 is not valid, 0..3', '4711', 'data', 'index … is not valid, 0..3'],
  ['index 7 is not valid, 0..37', '7', 'data', 'index … is not valid, 0..37'],
  ['no person Anu Mets', '{"name":"Anu Mets","age":[7]}', 'author', 'no person …'],
  ['person ANU METS is gone', '["Anu Mets"]', 'author', 'person … is gone'],
  ['near Mets', '"Anu Mets"', 'author', 'near …'],
  ['x', 'null', 'data', 'x'],
  ['no such column: Kask38001085718', '"Kask38001085718:x"', 'names', 'no such column: …'],
  ['no such vfs: orders', '"file:x?vfs=orders"', 'names', 'no such vfs: orders'],
  ['column p.tenant_kask does not exist', '"Kask"', 'names', 'column p.tenant_… does not exist'],
  ['relation "t_42" does not exist', '42', 'names', 'relation "…" does not exist'],
  ['relation "t_4x" does not exist', '"4-x"', 'names', 'relation "…" does not exist'],
  ['function exist(text) does not exist', '"does not exist: text"', 'names', 'function exist(text) does not exist'],
  ['no such column: ab', '"ab:x"', 'names', 'no such column: …'],
  [
    'invalid byte sequence for encoding "UTF8": 0xc3 0x28',
    '"x"',
    'data',
    'invalid byte sequence for encoding "…": … …',
  ],
  ['violates unique constraint "permit_number_key"', '"permit-77"', 'schema', 'violates unique constraint "permit_number_key"'], // prettier-ignore
  ['no such database: 🎉🦊🍕\uFFFD', '"🎉🦊🍕🚀"', 'names', 'no such database: …'],
  ['column p.!$%&/=?~ does not exist', '"!$%&/=?~#+*"', 'names', 'column p… does not exist'],
  ['column p.हिन्दीभा does not exist', '"हिन्दीभाषाज्ञान"', 'names', 'column p.… does not exist'],
  ['violates unique constraint "k38001085718_pkey"', '"Kask38001085718"', 'schema', 'violates unique constraint "…"'],
  ["bad JSON path: '$.secret['", '"$.secret["', 'names', "bad JSON path: '…'"],
]

for (const [text, json, quotes, shown] of samples) {
  test(`${quotes}: ${text} [S16] [F2]`, () => {
    strictEqual(redact(text, valuesOf(json), { sql: 'SELECT * FROM orders', quotes }), shown)
  })
}

test('whatever the value and the text around it, the value does not stay [S16]', () => {
  const around = fc.constantFrom('invalid "%" here', 'value % bad', '"%"', '«%»: "x"', '%', 'a "b" %')
  const quotes = fc.constantFrom('names' as const, 'data' as const, 'author' as const)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), around, quotes, (noise, text, kind) => {
      const value = `#${noise}#`
      const shown = redact(
        text.replace('%', () => value),
        [value],
        { sql: 'SELECT :x', quotes: kind },
      )
      ok(!shown.includes(value), shown)
    }),
    { numRuns: 5000 },
  )
})

test('a long text is cut, and of a huge batch nothing is told [S16]', () => {
  const long = redact('x'.repeat(100_000), [], { sql: '', quotes: 'names' })
  strictEqual(long.length, 1001)
  const many = Array.from({ length: 20_000 }, (_, index) => `value ${index}`)
  doesNotMatch(redact('value 12345', many, { sql: '', quotes: 'author' }), /\d/)
})

test('a long text with many quotes and a long value do not keep others waiting [F2]', () => {
  const options = { sql: 'SELECT :x', quotes: 'author' } as const
  checkGrowth(50_000, (size) => {
    const value = 'w "'.repeat(size / 3)
    return () => redact(`not known: ${value.toUpperCase()}`, [`${value}#`], options)
  })
  const many = Array.from({ length: 9000 }, (_, index) => `value ${index}`)
  doesNotMatch(redact(`"${'x'.repeat(2000)} value 777`, [`${'x'.repeat(2000)}#`, ...many], options), /x{4}|7/)
})
