/** What `npm run cluster` makes of its calls: bench/cluster/figures.ts. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf } from '../../../bench/cluster/figures.ts'
import type { Call } from '../../../bench/cluster/load.ts'

const write = (id: number, started: number, ms: number, failure = ''): Call => ({
  kind: 'write',
  id,
  started,
  ms,
  failure,
})

test('lost, doubled, slow and failed calls are counted, and when writes were back [O4.4]', () => {
  const calls = [
    write(1, 0, 5),
    write(2, 10, 5),
    write(3, 95, 20, 'gone'),
    // Begun before the kill, so it says nothing of the time behind it.
    write(4, 99, 1500),
    write(5, 150, 10, 'gone'),
    write(6, 400, 100),
    { kind: 'read', id: 0, started: 120, ms: 3000, failure: 'away' } as const,
  ]
  const figures = figuresOf(calls, [1, 3, 4, 4, 6], 100)
  deepStrictEqual(figures, {
    calls: 7,
    writes: 6,
    lost: 1,
    doubled: 1,
    unknownThere: 1,
    failed: 3,
    slow: 2,
    longestMs: 3000,
    writesBackMs: 400,
    failures: [
      ['gone', 2],
      ['away', 1],
    ],
  })
  strictEqual(figuresOf(calls.slice(0, 3), [1, 2], 100).writesBackMs, undefined)
})
