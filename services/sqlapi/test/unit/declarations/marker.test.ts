/** The transaction marker: only in the leading block of line comments, only as a word of its own. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import fc from 'fast-check'
import { readDeclarations } from '../../../src/declarations/read.ts'

function hasTransactionMarker(text: string): boolean {
  return readDeclarations({ text, method: 'POST', parameters: [] }).transactional
}

const cases: readonly [found: boolean, text: string, tag: string][] = [
  [true, '-- @transactional', 'S-marker.1'],
  [true, '-- @transactional\nSELECT 1', 'S-marker.1'],
  [true, '--@transactional\nSELECT 1', 'D3.5'],
  [true, '--   @transactional   \nSELECT 1', 'D3.5'],
  [true, '--\t@transactional\tall or nothing\nSELECT 1', 'D3.5'],
  [true, '-- @transactional\r\nSELECT 1\r\n', 'D3.5'],
  [true, '-- Moves money.\n-- @transactional\nSELECT 1', 'D3.5'],
  [true, '-- Moves money.\n\n  \n  -- @transactional\nSELECT 1', 'D3.5'],
  [true, '\n\n-- @transactional\nSELECT 1', 'D3.5'],
  [true, '-- @transactional\n-- @transactional', 'D3.5'],
  [false, '', 'S-marker.2'],
  [false, 'SELECT 1', 'S-marker.4'],
  [false, 'SELECT 1 -- @transactional', 'S-marker.2'],
  [false, 'SELECT 1;\n-- @transactional', 'S-marker.2'],
  [false, '/* Moves money. */\n-- @transactional\nSELECT 1', 'D3.5'],
  [false, '/* -- @transactional */ SELECT 1', 'D3.5'],
  [false, '/*\n-- @transactional\n*/ SELECT 1', 'D3.5'],
  [false, '-- @transactionally\nSELECT 1', 'D3.5'],
  [false, '-- @transactional.\nSELECT 1', 'D3.5'],
  [false, '-- @ transactional\nSELECT 1', 'D3.5'],
  [false, '-- transactional\nSELECT 1', 'D3.5'],
  [false, '-- is @transactional\nSELECT 1', 'D3.5'],
  [false, "';\n-- @transactional\n'", 'S-marker.2'],
]

for (const [found, text, tag] of cases) {
  test(`${JSON.stringify(text)} is ${found ? 'marked' : 'not marked'} [${tag}]`, () => {
    strictEqual(hasTransactionMarker(text), found)
  })
}

test('comments and blank lines before the marker do not matter, whatever they say [D3.5]', () => {
  const line = fc.oneof(fc.constantFrom('', ' ', '\t', '--'), fc.stringMatching(/^--[^\n@]{0,20}$/))
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      strictEqual(hasTransactionMarker([...lines, '-- @transactional', 'SELECT 1'].join('\n')), true)
      strictEqual(hasTransactionMarker([...lines, 'SELECT 1', '-- @transactional'].join('\n')), false)
      strictEqual(hasTransactionMarker([...lines, 'SELECT 1'].join('\n')), false)
    }),
    { seed: 20260701 },
  )
})

test('comments are read in linear time', () => {
  for (const part of ['-', '--\n', '\n', ' ', ' \n', '-- a\n', '-- @tag a\n', '/*declaration:*/', '/**/--@tag\n']) {
    checkGrowth(65_536, (length) => {
      const text = part.repeat(Math.ceil(length / part.length))
      return () => hasTransactionMarker(text)
    })
  }
})
