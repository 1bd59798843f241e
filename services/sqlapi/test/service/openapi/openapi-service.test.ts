/** The pages of the description over HTTP: when they are there, what they carry, and that the examples are accepted. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { callForBytes } from '@services/testing'
import { startTestService, type TestService } from '../../support/service.ts'

const files = {
  'demo/GET/hello.sql': "SELECT 'Hello, ' || :who AS greeting_text",
  'demo/POST/add.sql': 'INSERT INTO item (id, name) VALUES (:id, :name) RETURNING id, name',
  'docs/GET/docs.js.sql': 'SELECT 1 AS own',
}
const schema = 'CREATE TABLE item (id integer, name text)'
const datasources = { demo: '', docs: '' }

const missing = { error: 'SqlapiRuntimeException', message: "Saved query '/' does not exist" }

let service: TestService

before(async () => {
  service = await startTestService({ kind: 'sqlite', files, schema, datasources, config: { openapi: true } })
})

after(() => service.close())

describe('the pages of the description [N4.1] [S-config.openapi]', () => {
  test('are not there unless they are wanted', async () => {
    const without = await startTestService({ kind: 'sqlite', files, schema, datasources })
    try {
      for (const path of ['/openapi.json', '/docs', '/docs.js', '/']) {
        const { status, text } = await without.get(path, { accept: 'text/html' })
        deepStrictEqual([status, (JSON.parse(text) as { error: string }).error], [400, 'SqlapiRuntimeException'])
      }
    } finally {
      await without.close()
    }
  })

  test('describe every endpoint', async () => {
    const { status, headers, text } = await service.get('/openapi.json')
    deepStrictEqual([status, headers['content-type']], [200, 'application/json'])
    const { openapi, paths } = JSON.parse(text) as { openapi: string; paths: object }
    strictEqual(openapi, '3.1.0')
    deepStrictEqual(Object.keys(paths), ['/demo/add', '/demo/add/batch', '/demo/hello', '/docs/docs.js'])
  })

  test('answer GET and HEAD only, in lower case only', async () => {
    const { headers } = await service.get('/openapi.json')
    const head = await service.send({ method: 'HEAD', path: '/openapi.json' })
    deepStrictEqual([head.status, head.text, head.headers['content-length']], [200, '', headers['content-length']])
    match((await service.post('/openapi.json')).text, /the page answers GET and HEAD, not POST/)
    strictEqual((await service.get('/OpenAPI.json')).status, 400)
    strictEqual((await service.get('/openapi.json?x=1')).status, 200)
  })

  test('are where `/` leads a browser, and nobody else [T1]', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const led = await service.get('/?from=mail', { accept })
    deepStrictEqual([led.status, led.headers.location, led.headers.vary, led.text], [302, 'docs', 'Accept', ''])
    strictEqual((await service.send({ method: 'HEAD', path: '/', headers: { accept } })).status, 302)
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const { status, text } = await service.get('/', headers)
      deepStrictEqual([status, JSON.parse(text)], [400, missing])
    }
    strictEqual((await service.send({ method: 'POST', path: '/', headers: { accept } })).status, 400)
  })

  test('come in the coding that is accepted, and not again to whoever has them', async () => {
    const port = Number(new URL(service.url).port)
    for (const path of ['/openapi.json', '/docs', '/docs.js', '/docs.css']) {
      const plain = await callForBytes(port, path, {})
      const coded = await callForBytes(port, path, { headers: { 'accept-encoding': 'br' } })
      strictEqual(coded.headers['content-encoding'], 'br')
      ok(brotliDecompressSync(coded.bytes).equals(plain.bytes))
      const { etag = '' } = plain.headers
      const again = await callForBytes(port, path, { headers: { 'if-none-match': etag, 'accept-encoding': 'br' } })
      deepStrictEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, etag])
      match(String(coded.headers['vary']), /accept-encoding/i)
      strictEqual(coded.headers['access-control-allow-origin'], '*')
    }
  })

  test('vary with the origin as well, where origins are listed', async () => {
    const cors = { allowed_origins: 'https://a.example' }
    const listed = await startTestService({ kind: 'sqlite', files, datasources, config: { openapi: true, cors } })
    try {
      const { headers } = await listed.get('/openapi.json', { origin: 'https://a.example' })
      strictEqual(headers['access-control-allow-origin'], 'https://a.example')
      deepStrictEqual(headers.vary?.toLowerCase().split(', ').toSorted(), ['accept-encoding', 'origin'])
    } finally {
      await listed.close()
    }
  })

  test('a project called docs keeps its endpoints', async () => {
    strictEqual((await service.get('/docs/docs.js')).text, '[{"own":1}]')
    match(String((await service.get('/docs')).headers['content-type']), /^text\/html/)
  })

  test('the page may load and reach nothing but this service, and runs no inline script [N4.3]', async () => {
    const { headers, text } = await service.get('/docs')
    const policy = String(headers['content-security-policy'])
    for (const wanted of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) {
      ok(policy.split('; ').includes(wanted), wanted)
    }
    ok(!/<script(?![^>]* src=)|<style|\son\w+=|style=/.test(text))
    const addresses = Array.from(text.matchAll(/(?:src|href)="([^"]*)"/g), ([, address = '']) => address)
    for (const address of addresses) {
      ok(/^(?:#\w*|[\w.-]+)$/.test(address), address)
      if (!address.startsWith('#')) strictEqual((await service.get(`/${address}`)).status, 200, address)
    }
  })

  test('the document is made once, not for each request', async () => {
    const one = await service.get('/openapi.json')
    const other = await service.get('/openapi.json')
    strictEqual(one.headers.etag, other.headers.etag)
    notStrictEqual(one.headers.etag, undefined)
  })
})
