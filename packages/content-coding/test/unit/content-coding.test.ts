/** The choice of a coding, and how often the work is done. What comes over the wire is tested with the services. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { chooseCoding, CodedContent } from '../../src/index.ts'

describe('content in codings', () => {
  test('the work is done once, for the first caller who takes a coding: clients share the bytes', async () => {
    const page = new CodedContent(Buffer.from('{"a":1}'.repeat(100)))
    for (const coding of ['br', 'gzip', 'identity']) {
      const [one, other] = await Promise.all([page.reply(coding, undefined), page.reply(coding, undefined)])
      strictEqual(one.body, other.body)
      strictEqual((await page.reply(coding, undefined)).body, one.body)
    }
  })

  test('clients who take no coding, or have a good copy, wait for nothing', () => {
    const page = new CodedContent(Buffer.from('{"a":1}'.repeat(100)))
    const whole = page.reply(undefined, undefined)
    ok(!(whole instanceof Promise))
    const known = page.reply('br', whole.headers['etag'])
    ok(!(known instanceof Promise))
    deepStrictEqual([whole.status, known.status], [200, 304])
  })

  test('a coding that makes nothing shorter is not offered', async () => {
    const page = new CodedContent(Buffer.from('{}'))
    strictEqual((await page.reply('gzip, br', undefined)).headers['content-encoding'], undefined)
  })

  test('no header makes the choice fail, and a coding with the weight 0 is never chosen', () => {
    const coding = fc.constantFrom('br', 'gzip', 'identity', '*', 'zstd', ' ', 'q')
    const weight = fc.constantFrom('', ';q=0', ';q=1', ';q=0.5', ';q=', ';q=x', ';a=b;q=0')
    fc.assert(
      fc.property(fc.array(fc.tuple(coding, weight)), (items) => {
        const chosen = chooseCoding(items.map((item) => item.join('')).join(','), ['br', 'gzip', 'identity'])
        const own = items.findLast(([name]) => name === chosen)?.[1]
        const isTaken = own === undefined || own === '' || /^;q=(?:1|0\.5)$/.test(own)
        ok(chosen === 'identity' || isTaken, String(own))
      }),
    )
  })
})
