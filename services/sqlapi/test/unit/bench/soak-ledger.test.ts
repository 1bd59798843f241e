/** The books of a soak: what was acknowledged, and what is there. */
import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Ledger } from '../../../bench/soak/ledger.ts'

const told: readonly [
  title: string,
  fate: 'whole' | 'unknown',
  found: readonly number[],
  problems: readonly string[],
][] = [
  ['what was acknowledged is there', 'whole', [1, 2], []],
  ['what was not acknowledged may be there', 'unknown', [1, 2], []],
  ['what was not acknowledged may be missing', 'unknown', [], []],
  ['what was acknowledged is lost', 'whole', [], ['soak: write of 1 to 2 was acknowledged and is lost']],
  ['half of it is lost', 'whole', [1], ['soak: write of 1 to 2 was acknowledged and is lost']],
  ['half of it is there', 'unknown', [2], ['soak: write of 1 to 2 is there by halves']],
  ['it is there twice', 'unknown', [1, 2, 2], ['soak: write of 1 to 2 is there twice']],
  ['nobody wrote it', 'whole', [1, 2, 9], ['soak: 1 rows that nobody wrote']],
]

for (const [title, fate, found, problems] of told) {
  test(`${title} [O6.1]`, () => {
    const ledger = new Ledger()
    ledger.note('soak', ledger.take(2), fate)
    ledger.note('lite', ledger.take(1), 'whole')
    deepStrictEqual(ledger.compare('soak', found), problems)
  })
}
