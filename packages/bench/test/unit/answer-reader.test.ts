/** Bytes as they come from a socket, cut anywhere, into answers. */
import { deepStrictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AnswerReader } from '../../src/load/answer-reader.ts'

test('answers: the same ones, however the bytes are cut', () => {
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n[1,2,3]'
  const chunked = 'HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n4\r\n2,3]\r\n0\r\n\r\n'
  fc.assert(
    fc.property(fc.constantFrom(whole, chunked), fc.array(fc.nat(100), { maxLength: 6 }), (text, cuts) => {
      const bytes = Buffer.from(text)
      const reader = new AnswerReader()
      const places = [0, ...cuts.filter((at) => at < bytes.length), bytes.length].toSorted((a, b) => a - b)
      const pieces = places.slice(1).map((to, index) => bytes.subarray(places[index], to))
      // Twice, because a connection is used again.
      for (let i = 0; i < 2; i++) {
        const answers = pieces.filter((piece) => piece.length > 0).flatMap((piece) => reader.read(piece) ?? [])
        deepStrictEqual(
          answers.map(({ status, body }) => [status, body.toString()]),
          [[text === whole ? 200 : 400, '[1,2,3]']],
        )
      }
    }),
  )
})

test('answers: what is not an answer, or too much of one, is an error', () => {
  const read = (text: string): unknown => new AnswerReader().read(Buffer.from(text))
  throws(() => read('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n[]'), /more came/)
  throws(() => read('HTTP/1.1 200 OK\r\n\r\n'), /neither a length/)
  throws(() => read('nonsense\r\n\r\n'), /no HTTP answer/)
})

test('answers: the rest of a body does not bring a byte too many', () => {
  const reader = new AnswerReader()
  deepStrictEqual(reader.read(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n[1')), undefined)
  throws(() => reader.read(Buffer.from(',2]x')), /more came/)
})
