/**
 * Placeholders between words, with PostgreSQL's own scanner as the judge: whatever a parameter is written against, the
 * text that is sent has the tokens of the same text with blanks around each placeholder.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { loadModule, scanSync } from 'libpg-query'
import pg from 'pg'
import { render } from '../../../src/database/postgres/plans/plan.ts'
import { dialects } from '../../../src/dialects.ts'
import { positionOf } from '../../../src/sql/position.ts'
import { readScript } from '../../../src/sql/script.ts'
import { createDatabase } from '../../support/databases.ts'

const seed = Number(process.env['SEED'] ?? 20260701)

before(() => loadModule())

/** Undefined for a text that the scanner refuses. */
function tokensOf(text: string): string[] | undefined {
  try {
    return scanSync(text).tokens.map(({ tokenType, text: source }) => `${tokenType} ${source}`)
  } catch {
    return undefined
  }
}

const rendering = { membership: false, perSlot: false }

/** Compares what is sent for each statement with the same in blanks, and the places of both in the file. */
function check(file: string, code: string): number {
  let compared = 0
  for (const statement of readScript(file, dialects.postgres.grammar).statements) {
    const { text, ends } = render(statement, code.repeat(statement.names.length), rendering)
    let apart = ''
    let at = 0
    for (const [index, piece] of statement.pieces.entries()) {
      const start = at + piece.length
      const end = ends[index] ?? start
      apart += `${piece} ${text.slice(start, end)} `
      if (end > start) deepStrictEqual(positionOf(statement, { ends }, end), afterSlot(file, statement, index))
      at = end
    }
    const expected = statement.refusal === undefined ? tokensOf(apart) : undefined
    if (expected === undefined) continue
    deepStrictEqual(tokensOf(text), expected, text)
    compared++
  }
  return compared
}

function afterSlot(file: string, statement: Parameters<typeof positionOf>[0], index: number) {
  const before = statement.pieces.slice(0, index + 1).join('')
  const slots = statement.slots.slice(0, index + 1)
  const written = slots.reduce((sum, { name, before: head, after }) => sum + `${head}:${name}${after}`.length, 0)
  const [line = ''] = file.split('\n')
  const isOneLine = !file.includes('\n') && statement.line === 1
  ok(isOneLine && line.length >= before.length + written)
  return { line: 1, column: statement.column + before.length + written }
}

test('a parameter directly after a keyword, name, number or literal stays one [F3]', async (t) => {
  const database = await createDatabase('postgres')
  t.after(() => database.remove())
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ word: string }>('SELECT word FROM pg_get_keywords()')
  await client.end()
  const words = [...rows.map(({ word }) => word), 'name', '_n', 'a1', 'a$b', 'größe']
  const others = ['1', '1.5', "'t'", "E'\\''", "U&'t'", "B'1'", '$$t$$', '$a$t$a$', '"q"', 'U&"q"', '/* c */', ')', ']']
  ok(words.length > 400)
  for (const word of [...words, ...words.map((each) => each.toUpperCase()), ...others]) {
    for (const rest of [':n', ':n::text', ':n:m', ':n"q"', ":n't'", 'IN(:n)AND', ' ARRAY[:n]AS', ' ARRAY[:n::int]AS']) {
      for (const code of ['t', 'T']) ok(check(`${word}${rest}`, code) <= 1)
    }
    ok(check(`${word}:n`, 't') === 1, word)
  }
})

test('texts in which parameters touch anything have the tokens that they have in blanks [F3]', () => {
  const parts = ['LIMIT', 'x', '1', '.', "'t'", "E't'", 'e', '$$t$$', '"q"', ':n', ':m', '::', 'IN(:n)', 'ARRAY[:n]', ' ', ',', '(', ')', '=', '-', '@', '/*c*/', 'é', '$', '_'] // prettier-ignore
  let compared = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), fc.constantFrom('t', 'T'), (chosen, code) => {
      compared += check(chosen.join('').trim(), code)
    }),
    { numRuns: 3000, seed },
  )
  ok(compared > 1000, `${compared}`)
})
