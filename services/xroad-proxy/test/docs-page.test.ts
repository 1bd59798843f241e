/** The page at `/docs` and its files as they come over the wire. What a browser makes of them is in docs-browser.test.ts. */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type BinaryAnswer, call, callForBytes, errorOf, send, Wire } from '@services/testing'
import { type Running, startProxy } from './support/process.ts'

const files: [path: string, type: string, library?: string][] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs.js', 'text/javascript; charset=utf-8', 'swagger-ui-bundle.js'],
  ['/docs.css', 'text/css; charset=utf-8', 'swagger-ui.css'],
  ['/docs-start.js', 'text/javascript; charset=utf-8'],
  ['/docs.svg', 'image/svg+xml'],
]

const rest =
  'kind: rest\nmethod: GET\ntarget: {member_class: GOV, member_code: "1", subsystem_code: s, service_code: c}\n'

let running: Running

before(async () => {
  running = await startProxy({ files: { 'docs/docs.js.yml': rest, 'docs/other.yml': rest } })
})

after(() => running.stop())

function receive(path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<BinaryAnswer> {
  return callForBytes(running.port, path, { headers, method })
}

/** Without what belongs to the moment or to the connection. */
function lasting({ date: _date, connection: _connection, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}

describe('each file [S-docs.page S-docs.cache]', () => {
  for (const [path, type, library] of files) {
    test(`${path} is the same plain and compressed, and HEAD tells the same`, async () => {
      const plain = await receive(path)
      const gzipped = await receive(path, { 'accept-encoding': 'gzip' })
      deepStrictEqual(
        [
          plain.status,
          plain.headers['content-type'],
          plain.headers['content-encoding'],
          plain.headers['content-length'],
        ],
        [200, type, undefined, String(plain.bytes.length)],
      )
      deepStrictEqual(
        [gzipped.headers['content-encoding'], gzipped.headers['content-length']],
        ['gzip', String(gzipped.bytes.length)],
      )
      ok(gunzipSync(gzipped.bytes).equals(plain.bytes))
      if (library !== undefined) {
        ok(plain.bytes.equals(readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${library}`)))))
      }
      const head = await receive(path, { 'accept-encoding': 'gzip' }, 'HEAD')
      deepStrictEqual([head.status, lasting(head.headers), head.bytes.length], [200, lasting(gzipped.headers), 0])
    })
  }

  test('the first requests of many callers at once get the same', async () => {
    const fresh = await startProxy({ files: {} })
    const texts = await Promise.all(Array.from({ length: 12 }, () => call(fresh.port, '/docs.css')))
    strictEqual(new Set(texts.map(({ text }) => text)).size, 1)
    ok((texts[0]?.text.length ?? 0) > 100_000)
    await fresh.stop()
  })
})

test('the headers allow the page nothing but this service [S-docs.own]', async () => {
  for (const [path] of files) {
    const { headers } = await receive(path)
    strictEqual(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    deepStrictEqual(
      [headers['x-content-type-options'], headers['referrer-policy'], headers['cache-control'], headers['vary']],
      ['nosniff', 'no-referrer', 'no-cache', 'accept-encoding'],
    )
  }
})

test('every address in the page is relative and leads to one of its files [S-docs.own S-docs.prefix]', async () => {
  const page = (await receive('/docs')).bytes.toString()
  const addresses = Array.from(page.matchAll(/(?:href|src)="([^"]*)"/g), ([, address = '']) => address)
  deepStrictEqual(addresses.toSorted(), ['api', 'docs-start.js', 'docs.css', 'docs.js', 'docs.svg'])
  for (const address of addresses) strictEqual((await receive(`/${address}`)).status, 200)
  const script = (await receive('/docs-start.js')).bytes.toString()
  doesNotMatch(page + script, /\/\//)
  // Without 'unsafe-inline' for scripts such code would not run.
  doesNotMatch(page, /<script>|\son\w+=/)
  match(page, /<html lang="en">/)
  match(page, /<title>[^<]+<\/title>/)
})

test('the description names the place where it lies as the server [S-docs.prefix]', async () => {
  const { servers } = JSON.parse((await call(running.port, '/api')).text) as { servers: { url: string }[] }
  deepStrictEqual(
    servers.map(({ url }) => new URL(url, 'https://host/some/prefix/api').href),
    ['https://host/some/prefix/'],
  )
})

describe('which encoding a caller gets [S-docs.cache]', () => {
  const cases: [accepted: string | undefined, encoding: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip ; Q=1', 'gzip'],
    ['br', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['gzip;q=0, *', undefined],
    ['*;q=0', undefined],
    ['gzip;q=much', undefined],
    ['gzipped', undefined],
    [',;,=;q=', undefined],
    ['a,'.repeat(20_000), undefined],
  ]
  for (const [accepted, encoding] of cases) {
    test(`${accepted?.slice(0, 40) ?? 'no header'}: ${encoding ?? 'plain'}`, async () => {
      const received = await receive('/docs-start.js', accepted === undefined ? {} : { 'accept-encoding': accepted })
      strictEqual(received.headers['content-encoding'], encoding)
    })
  }
})

describe('a copy that the caller has [S-docs.cache]', () => {
  const cases: [given: (tag: string) => string, isKnown: boolean][] = [
    [(tag) => tag, true],
    [(tag) => tag.replace('W/', ''), true],
    [(tag) => `"other", ${tag}`, true],
    [(tag) => `${tag},"other"`, true],
    [() => '*', true],
    [() => '"other"', false],
    [() => '', false],
    [(tag) => tag.replaceAll('"', ''), false],
    [(tag) => tag.toLowerCase(), false],
    [() => '"'.repeat(20_000), false],
  ]
  for (const [given, isKnown] of cases) {
    test(`${given('W/"tag"').slice(0, 30)}: ${isKnown ? 304 : 200}`, async () => {
      const { headers } = await receive('/docs.css')
      const again = await receive('/docs.css', { 'if-none-match': given(headers.etag ?? '') })
      deepStrictEqual([again.status, again.bytes.length > 0], [isKnown ? 304 : 200, !isKnown])
      strictEqual(again.headers.etag, headers.etag)
    })
  }

  test('files have tags of their own', async () => {
    const tags = await Promise.all(files.map(async ([path]) => (await receive(path)).headers.etag))
    strictEqual(new Set(tags).size, files.length)
    notStrictEqual(tags[0], undefined)
  })

  test('a 304 has no body: the next answer on the connection follows at once', async () => {
    const { headers } = await receive('/docs.css')
    const wire = await Wire.open(running.port)
    wire.write(`GET /docs.css HTTP/1.1\r\nHost: h\r\nIf-None-Match: ${headers.etag}\r\n\r\n`)
    strictEqual((await wire.answer({ bodiless: true })).status, 304)
    wire.write('GET /health HTTP/1.1\r\nHost: h\r\n\r\n')
    const { status, text } = await wire.answer()
    deepStrictEqual([status, text], [200, '{"status":"ok"}'])
    wire.socket.destroy()
  })
})

test('other methods are refused [S-docs.page]', async () => {
  for (const [path] of files) {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const answer = await call(running.port, path, { method })
      deepStrictEqual([answer.status, errorOf(answer), answer.headers.allow], [405, 'method_not_allowed', 'GET, HEAD'])
    }
  }
})

describe('no path of a request leads to a file [S-docs.page]', () => {
  const paths = [
    '/docs/',
    '/docs/index.html',
    '/docs/docs.css',
    '/docs/../package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '/docs.js/',
    '/docs.js/../docs.css',
    '/docs.js.map',
    '/docs.js%00',
    '/docs%2ejs',
    '/docs.JS',
    '/Docs',
    '//docs',
    '/docs\\..\\package.json',
    '/./docs',
    '/swagger-ui-bundle.js',
    '/swagger-ui-dist/package.json',
    '/viewer/swagger-ui.css',
    '/docs-start',
  ]
  for (const path of paths) {
    test(path, async () => {
      const { status, text } = await send(running.port, `GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
      deepStrictEqual([status, errorOf({ text })], [404, 'template_not_found'])
    })
  }

  test('a query does not matter', async () => {
    strictEqual((await receive('/docs.js?file=../../package.json')).headers['content-type'], files[1]?.[1])
  })

  test('a group called docs keeps its endpoints', async () => {
    for (const path of ['/docs/docs.js', '/docs/other']) {
      // They are found, and miss their Security Server.
      strictEqual(errorOf(await call(running.port, path)), 'internal_error')
    }
  })
})

test('a caller who sends a large body along still gets the whole file [S-docs.page]', async () => {
  const wire = await Wire.open(running.port)
  const body = 'x'.repeat(300_000)
  wire.write(`GET /docs.css HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const { status, headers, text } = await wire.answer()
  deepStrictEqual(
    [status, headers['connection'], Buffer.byteLength(text)],
    [200, 'close', Number(headers['content-length'])],
  )
  await wire.closed
})

test('the log has a line for each request [S-docs.page]', async () => {
  await receive('/docs.svg')
  match(await running.line(/docs\.svg/), /GET.*200/)
})
