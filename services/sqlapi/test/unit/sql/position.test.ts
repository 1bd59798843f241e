/**
 * Positions in the SQL that is sent -> positions in the file: sql/position.ts with the renderings of both databases.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dialectNames, dialects } from '../../../src/dialects.ts'
import { render } from '../../../src/database/postgres/plans/plan.ts'
import type { Statement } from '../../../src/model.ts'
import { offsetOfByte, offsetOfPoint, type Position, positionOf, sourceOf } from '../../../src/sql/position.ts'
import { readScript } from '../../../src/sql/script.ts'

/** The place of an offset, by looking at the whole file. */
function positionIn(file: string, offset: number): Position {
  const before = file.slice(0, offset)
  const lines = before.split('\n')
  return { line: lines.length, column: Array.from(lines.at(-1) as string).length + 1 }
}

/** Where the statement starts in its file. */
function startOf(file: string, { line, column }: Statement): number {
  const lines = file.split('\n')
  const above = lines.slice(0, line - 1).reduce((length, each) => length + each.length + 1, 0)
  const points = Array.from(lines[line - 1] as string).slice(0, column - 1)
  return above + points.join('').length
}

const words = ['SELECT ', 'LIMIT', ':x', ':name', 'IN (:x)', 'NOT IN (:x::int)', 'ARRAY[:x]', 'a[1::x]', "'õ'", '😀', '-- e\u0301\n'] // prettier-ignore
const spaces = ['\n', '\r\n', '\t', ' ', '/* ö\n */', ';', '$1', 'bad ', '::text']
const renderings = [false, true].flatMap((membership) => [false, true].map((perSlot) => ({ membership, perSlot })))

test('every character that was sent comes from its own place in the file, however lists are written [S16]', () => {
  let checked = 0
  const files = fc.array(fc.constantFrom(...words, ...spaces), { maxLength: 40 })
  fc.assert(
    fc.property(files, fc.constantFrom(...renderings), fc.constantFrom('i', 'I', 't'), (parts, rendering, code) => {
      const file = parts.join('')
      for (const dialect of dialectNames) {
        for (const statement of readScript(file, dialects[dialect].grammar).statements) {
          const rendered = render(statement, code.repeat(statement.names.length), rendering)
          checked += checkPlaces(file, statement, rendered.ends)
        }
      }
    }),
    { numRuns: 1000, seed: 20260701 },
  )
  ok(checked > 10_000, `${checked}`)
})

/** Gives the number of offsets that were compared. */
function checkPlaces(file: string, statement: Statement, ends: readonly number[]): number {
  const start = startOf(file, statement)
  const source = sourceOf(statement)
  strictEqual(file.slice(start, start + source.length), source)
  let checked = 0
  let sent = 0
  let own = start
  for (const [index, piece] of statement.pieces.entries()) {
    for (let at = 0; at < piece.length; at++) {
      deepStrictEqual(positionOf(statement, { ends }, sent + at), positionIn(file, own + at))
      checked++
    }
    own += piece.length
    // What stands in a placeholder is at the parameter, or at the operator in front of it.
    const end = ends[index]
    if (end === undefined) break
    const next = start + source.length - sourceAfter(statement, index + 1)
    const places = new Set(
      Array.from({ length: next - own }, (_, each) => JSON.stringify(positionIn(file, own + each))),
    )
    for (let at = sent + piece.length; at < end; at++) {
      ok(places.has(JSON.stringify(positionOf(statement, { ends }, at))))
    }
    sent = end
    own = next
  }
  return checked
}

/** How much of the source stands from this piece on. */
function sourceAfter(statement: Statement, piece: number): number {
  const pieces = statement.pieces.slice(piece)
  return sourceOf({ ...statement, pieces, slots: statement.slots.slice(piece) }).length
}

test('positions count characters or bytes, as the server does [S16]', () => {
  const text = 'õ😀x\ne\u0301y'
  deepStrictEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 99].map((number) => offsetOfPoint(text, number)),
    [0, 1, 3, 4, 5, 6, 7, 8, 8],
  )
  deepStrictEqual(
    [1, 3, 7, 8, 9, 10, 12, 99].map((number) => offsetOfByte(text, number)),
    [0, 1, 3, 4, 5, 6, 7, 8],
  )
})

test('a file of many statements in one line is counted once [S16]', () => {
  const count = 2000
  const { statements } = readScript('õ;'.repeat(count), dialects.postgres.grammar)
  deepStrictEqual(
    statements.map(({ column }) => column),
    Array.from({ length: count }, (_, index) => 2 * index + 1),
  )
})
