/**
 * The page at `/docs` and its files as they come over the wire. What a browser makes of them is in
 * docs-browser.test.ts.
 */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { docsPaths } from '@services/docs-page'
import { type BinaryAnswer, call, callForBytes, errorOf, send, until, Wire } from '@services/testing'
import { type DocsSubject, openDocsPage } from '../../../src/serve/pages/docs-page.ts'
import { type Inside, startInside } from '../../support/inside.ts'

const types: Readonly<Record<string, string>> = {
  '/docs': 'text/html; charset=utf-8',
  '/docs.css': 'text/css; charset=utf-8',
  '/docs.svg': 'image/svg+xml',
}
const files = docsPaths.map((path) => [path, types[path] ?? 'text/javascript; charset=utf-8'] as const)

const rest =
  'kind: rest\nmethod: GET\ntarget: {member_class: GOV, member_code: "1", subsystem_code: s, service_code: c}\n'

let running: Inside

before(async () => {
  running = await startInside({ files: { 'docs/docs.js.yml': rest, 'docs/other.yml': rest } })
})

after(() => running.stop())

function receive(path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<BinaryAnswer> {
  return callForBytes(running.port, path, { headers, method })
}

/** Without what belongs to the moment, to the connection or to the request. */
function lasting({
  date: _date,
  connection: _connection,
  'x-request-id': _id,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}

test('`/` leads a browser to the page, and nobody else [T1]', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const [path, method] of [['/'], ['/?from=mail'], ['/', 'HEAD']] as const) {
    const { status, headers, bytes } = await receive(path, { accept }, method)
    deepStrictEqual([status, headers.location, headers.vary, bytes.length], [302, 'docs', 'Accept', 0])
  }
  for (const accepted of [undefined, '*/*', 'application/json']) {
    strictEqual((await receive('/', accepted === undefined ? {} : { accept: accepted })).status, 404)
  }
  strictEqual((await receive('/', { accept }, 'POST')).status, 404)
})

describe('each file [S-docs.page S-docs.cache]', () => {
  for (const [path, type] of files) {
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
      const br = await receive(path, { 'accept-encoding': 'br' })
      ok(brotliDecompressSync(br.bytes).equals(plain.bytes))
      const head = await receive(path, { 'accept-encoding': 'gzip' }, 'HEAD')
      deepStrictEqual([head.status, lasting(head.headers), head.bytes.length], [200, lasting(gzipped.headers), 0])
    })
  }

  test('the first requests of many callers at once get the same', async () => {
    const fresh = await startInside({ files: {} })
    const texts = await Promise.all(Array.from({ length: 12 }, () => call(fresh.port, '/docs.css')))
    strictEqual(new Set(texts.map(({ text }) => text)).size, 1)
    ok((texts[0]?.text.length ?? 0) > 10_000)
    await fresh.stop()
  })
})

test('the headers allow the page nothing but this service [S-docs.own]', async () => {
  for (const [path] of files) {
    const { headers } = await receive(path)
    strictEqual(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
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
  deepStrictEqual(
    new Set(addresses),
    new Set(['#', '#main', 'api', ...docsPaths.filter((path) => path !== '/docs').map((path) => path.slice(1))]),
  )
  for (const address of addresses.filter((each) => !each.startsWith('#'))) {
    strictEqual((await receive(`/${address}`)).status, 200)
  }
  doesNotMatch(page, /\/\//)
  // Without 'unsafe-inline' for scripts such code would not run.
  doesNotMatch(page, /<script>|\son\w+=/)
  match(page, /<html lang="en">/)
  match(page, /<title>[^<]+<\/title>/)
})

test('every module that a module imports is there, side by side [S-docs.own]', async () => {
  for (const path of docsPaths.filter((each) => each.endsWith('.js'))) {
    const source = (await receive(path)).bytes.toString()
    for (const [, specifier = ''] of source.matchAll(/^(?:import|export)\b.* from '([^']+)'/gm)) {
      match(specifier, /^\.\/[\w-]+\.js$/, path)
      ok(docsPaths.includes(specifier.slice(1)), `${path} imports ${specifier}`)
    }
  }
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
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip ; Q=1', 'gzip'],
    ['br', 'br'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['gzip;q=0, *', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=much', undefined],
    ['gzipped', undefined],
    [',;,=;q=', undefined],
    ['a,'.repeat(20_000), undefined],
  ]
  for (const [accepted, encoding] of cases) {
    test(`${accepted?.slice(0, 40) ?? 'no header'}: ${encoding ?? 'plain'}`, async () => {
      const received = await receive('/docs.css', accepted === undefined ? {} : { 'accept-encoding': accepted })
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
    '/docs-start.js',
    '/docs-answer',
    '/answer/docs-answer.js',
  ]
  for (const path of paths) {
    test(path, async () => {
      const { status, text } = await send(running.port, `GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
      deepStrictEqual([status, errorOf({ text })], [404, 'template_not_found'])
    })
  }

  test('a query does not matter', async () => {
    strictEqual((await receive('/docs.svg?file=../../package.json')).headers['content-type'], types['/docs.svg'])
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
  await until(() => /GET.*docs\.svg.*200/.test(running.stdout()), 'the line of the request')
})

describe('as whom calls go out [P6.1]', () => {
  const demo = { instance: 'ee-test', memberClass: 'GOV', memberCode: '70000000', subsystemCode: 'demo' }
  const upstream = { url: 'https://security-server.internal:5500/x', keystorePath: '' }
  const cases: [title: string, subject: Partial<DocsSubject>, shown: RegExp[], hidden: RegExp[]][] = [
    [
      'a test instance',
      {},
      [/<dt>Instance<\/dt><dd>ee-test<\/dd>/, /<dt>Client<\/dt><dd>GOV\/70000000\/demo<\/dd>/],
      [/class="banner"/, /Security Server/],
    ],
    [
      'production',
      { client: { ...demo, instance: 'EE' } },
      [/<p class="banner"[^>]*>Calls from this page are real: EE is not a test instance\.</],
      [],
    ],
    ['no client', { client: { ...demo, memberClass: '', memberCode: '', subsystemCode: '' } }, [/<dd>not set: /], []],
    ['a member without a subsystem', { client: { ...demo, subsystemCode: '' } }, [/<dd>GOV\/70000000<\/dd>/], []],
    ['a test instance in capitals', { client: { ...demo, instance: 'FI-TEST' } }, [/<dd>FI-TEST</], [/class="banner"/]],
    ['one for developers', { client: { ...demo, instance: 'sadev01' } }, [/<dd>sadev01</], [/class="banner"/]],
    ['the Security Server', { securityServer: upstream }, [], [/security-server/]],
    [
      'the Security Server, where it may be told: its host and nothing more',
      { securityServer: upstream, docs: { showUpstream: true } },
      [/<dt>Security Server<\/dt><dd>security-server\.internal:5500<\/dd>/],
      [/https:/],
    ],
    ['no Security Server to tell', { docs: { showUpstream: true } }, [], [/Security Server/]],
    [
      'names that would be markup',
      { client: { ...demo, instance: '<b>"&', memberClass: '<script>', memberCode: '%title%' } },
      [/<dd>&#60;b&#62;&#34;&#38;<\/dd>/, /<dd>&#60;script&#62;\/%title%\/demo<\/dd>/],
      [/<b>/, /<script>/],
    ],
  ]
  for (const [title, subject, shown, hidden] of cases) {
    test(title, async () => {
      const page = openDocsPage({ client: demo, docs: { showUpstream: false }, ...subject })
      const text = Buffer.from((await page.reply('/docs', [])).body).toString()
      for (const pattern of shown) match(text, pattern)
      for (const pattern of hidden) doesNotMatch(text, pattern)
    })
  }
})
