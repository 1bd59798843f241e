/** Bodies in pieces of any size: nothing is lost, and small ones do not cost more than large ones. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Pieces } from '@services/http-shell'
import { randomFrom } from '@services/testing'

test('pieces of any size come out whole and in their order', () => {
  const random = randomFrom(1)
  for (let round = 0; round < 200; round++) {
    const pieces = new Pieces()
    const sent: Buffer[] = []
    const most = [1, 3, 100, 5000, 20_000][round % 5] as number
    for (let count = Math.floor(random() * 300); count >= 0; count--) {
      const size = random() < 0.1 ? 5000 : Math.floor(random() * (most + 1))
      const piece = Buffer.alloc(size, Math.floor(random() * 256))
      sent.push(piece)
      ok(pieces.add(piece, Infinity))
    }
    const whole = Buffer.concat(sent)
    strictEqual(pieces.length, whole.length)
    deepStrictEqual(pieces.join(), whole)
  }
})

test('a body byte by byte is kept in few buffers [S9 X6]', () => {
  for (const size of [1, 7, 100]) {
    const pieces = new Pieces()
    const bytes = 1_000_000
    for (let at = 0; at < bytes; at += size) pieces.add(Buffer.alloc(size), bytes + size)
    ok(pieces.count < 64 + bytes / 2048, `${pieces.count} buffers`)
  }
})

test('a piece that goes beyond the limit is not taken, one that reaches it is', () => {
  const pieces = new Pieces()
  deepStrictEqual(
    [5, 5, 1].map((size) => pieces.add(Buffer.alloc(size), 10)),
    [true, true, false],
  )
  strictEqual(pieces.count, 2)
})
