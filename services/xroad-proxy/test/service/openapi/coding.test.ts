/** `/api` as it comes over the wire: which coding a caller gets, and what becomes of a copy that it has. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type BinaryAnswer, callForBytes } from '@services/testing'
import type { Coding } from '@services/content-coding'
import { type Inside, startInside } from '../../support/inside.ts'

let running: Inside

before(async () => {
  running = await startInside({ files: { 'a/b.yml': 'params: [code]\nmethod: POST\nenvelope: <a/>\n' } })
})

after(() => running.stop())

function receive(headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<BinaryAnswer> {
  return callForBytes(running.port, '/api', { headers, method })
}

const decode: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
}

describe('/api in the coding that the caller likes best [X30]', () => {
  const cases: readonly (readonly [accepted: string | string[] | undefined, coding: Coding])[] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;q=0.9, BR;q=0.8', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['br;q=0.001, gzip;q=0.002', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.000', 'identity'],
    ['*', 'br'],
    ['*;q=0.5, br;q=0.1', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['*;q=0', 'identity'],
    ['*;q=0, gzip', 'gzip'],
    ['identity', 'identity'],
    ['identity;q=1, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', 'identity'],
    ['gzip ; Q=1', 'gzip'],
    ['gzip;q=much', 'identity'],
    ['gzip;q=2', 'identity'],
    ['deflate, zstd', 'identity'],
    [['deflate', 'gzip;q=0.3'], 'gzip'],
    ['a,'.repeat(20_000), 'identity'],
  ]
  for (const [accepted, coding] of cases) {
    test(`${String(accepted ?? 'no header').slice(0, 40)}: ${coding}`, async () => {
      const { bytes: plain } = await receive()
      const { status, headers, bytes } = await receive(
        accepted === undefined ? {} : { 'accept-encoding': accepted as string[] },
      )
      strictEqual(status, 200)
      strictEqual(headers['content-encoding'], coding === 'identity' ? undefined : coding)
      strictEqual(headers['content-length'], String(bytes.length))
      ok(decode[coding]!(bytes).equals(plain))
      strictEqual(bytes.length < plain.length, coding !== 'identity')
      deepStrictEqual(
        [headers['content-type'], headers['vary'], headers['cache-control']],
        ['application/json', 'accept-encoding', 'no-cache'],
      )
    })
  }

  test('HEAD tells the same as GET', async () => {
    for (const accepted of ['identity', 'gzip', 'br']) {
      const { date: _, 'x-request-id': id, ...of } = (await receive({ 'accept-encoding': accepted })).headers
      const head = await receive({ 'accept-encoding': accepted }, 'HEAD')
      const { date: __, 'x-request-id': idOfHead, ...ofHead } = head.headers
      notStrictEqual(id, idOfHead)
      deepStrictEqual([ofHead, head.bytes.length], [of, 0])
    }
  })

  test('a copy that is still good is 304, in every coding, and another one is not', async () => {
    const { headers } = await receive()
    const { etag = '' } = headers
    for (const accepted of ['identity', 'gzip', 'br']) {
      for (const given of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
        const again = await receive({ 'accept-encoding': accepted, 'if-none-match': given })
        deepStrictEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, etag])
      }
      strictEqual((await receive({ 'accept-encoding': accepted, 'if-none-match': '"other"' })).status, 200)
    }
  })
})
