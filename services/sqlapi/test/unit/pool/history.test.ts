/** What is learnt of a statement's runs: database/pool/history.ts. Its effect on the pool is for the simulation. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { History } from '../../../src/database/pool/history.ts'

function historyOf(...runs: readonly number[]): History {
  const history = new History()
  for (const ms of runs) history.record(ms)
  return history
}

const many = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms)

test('the first runs count alike, later ones weigh an eighth [S25]', () => {
  strictEqual(historyOf(2).expectedMs, 2)
  strictEqual(historyOf(2, 4).expectedMs, 3)
  strictEqual(historyOf(2, 4, 6).expectedMs, 4)
  // The eighth run weighs as much as each before it, and so does the ninth.
  strictEqual(historyOf(...many(7, 8), 16).expectedMs, 9)
  strictEqual(historyOf(...many(8, 8), 16).expectedMs, 9)
  strictEqual(historyOf(...many(1000, 8), 16).expectedMs, 9)
  strictEqual(historyOf(...many(1000, 8), 0).expectedMs, 7)
})

test('a statement that turns slow is not short for long, however many runs it has had [S25]', () => {
  const isShortAfter = (runs: number): boolean => historyOf(...many(10_000, 1), ...many(runs, 40)).isShort
  deepStrictEqual([0, 1, 2, 3].map(isShortAfter), [true, true, false, false])
  // Nor does it stay slow for long: 40 ms become less than 10 in eleven runs of 1 ms.
  const isShortAgain = (runs: number): boolean => historyOf(...many(10_000, 40), ...many(runs, 1)).isShort
  deepStrictEqual([0, 10, 11].map(isShortAgain), [false, false, true])
})

test('of what an answer may have waited for us 20 ms at most are taken off the average, all of it off a slow run [S25]', () => {
  const seenLate = (ms: number, unseenMs: number, runs: number): History => {
    const history = new History()
    for (let run = 0; run < runs; run++) history.record(ms, unseenMs)
    return history
  }
  strictEqual(seenLate(15, 12, 9).expectedMs, 3)
  strictEqual(seenLate(15, 15, 9).isShort, true)
  // Turns of 200 ms on an overloaded machine: what takes 50 ms is not short for that.
  strictEqual(seenLate(50, 200, 9).expectedMs, 30)
  strictEqual(seenLate(50, 200, 9).isShort, false)
  // A stall of ours ends no trust: one good run after it is enough.
  const stalled = seenLate(1, 0, 100)
  stalled.record(120, 119)
  for (let run = 0; run < 30; run++) stalled.record(1)
  strictEqual(stalled.isShort, true)
  const slow = seenLate(1, 0, 100)
  slow.record(120, 10)
  for (let run = 0; run < 30; run++) slow.record(1)
  strictEqual(slow.isShort, false)
})
