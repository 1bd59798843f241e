import { doesNotThrow, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '../../src/index.ts'

/** Enough for a loop within a loop to be seen. */
const size = 1200

test('work in proportion to its input passes', () => {
  doesNotThrow(() =>
    checkGrowth(size, (length) => {
      const text = 'ab'.repeat(length)
      return () => text.split('').toReversed().join('')
    }),
  )
})

test('a loop within a loop is found', () => {
  throws(
    () =>
      checkGrowth(
        size,
        (length) => () => {
          let sum = 0
          for (let i = 0; i < length; i++) for (let j = 0; j < length; j++) sum = (sum + i * j) % 7
          return sum
        },
        // More tries would find the same.
        2,
      ),
    /grows faster than its input/,
  )
})
