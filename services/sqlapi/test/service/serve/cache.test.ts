/** What files with `@cache` tell caches, over real sockets, on both databases. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import { startTestService, type TestReply, type TestService } from '../../support/service.ts'

function told({ headers }: TestReply): unknown {
  return [headers['cache-control'], headers['vary'], typeof headers['etag']]
}

for (const kind of dialectNames) {
  describe(`@cache on ${kind}`, () => {
    let service: TestService
    before(async () => {
      const rows =
        kind === 'postgres'
          ? `SELECT repeat('x', 1024) AS x FROM generate_series(1, :n::int)`
          : `WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < CAST(:n AS INTEGER)) SELECT printf('%.1024c', 'x') AS x FROM g`
      service = await startTestService({
        kind,
        schema: 'CREATE TABLE counter (n integer); INSERT INTO counter VALUES (1)',
        datasources: { demo: '', other: 'UPDATE counter SET n = 100' },
        files: {
          'demo/GET/n.sql': '-- @cache 60s\nSELECT n FROM counter',
          'demo/GET/shared.sql': '-- @cache 1h public\nSELECT n FROM counter',
          'demo/GET/plain.sql': 'SELECT n FROM counter',
          'demo/POST/add.sql': '-- @cache 60s\nUPDATE counter SET n = n + 1 RETURNING n',
          'demo/GET/bad.sql': '-- @cache 60s\nSELECT * FROM missing',
          'demo/GET/nothing.sql': '-- @cache 60s\n-- no statement',
          'demo/GET/rows.sql': `-- @cache 60s\n${rows}`,
          'demo/GET/marked.sql': `-- @cache 60s\n-- @transactional\n${rows};\nSELECT n FROM counter WHERE 1 = 2;\n${rows}`,
        },
      })
    })
    after(() => service.close())

    test('private unless it says public, with a tag [N6.2]', async () => {
      const own = await service.get('/demo/n')
      deepStrictEqual(told(own), ['private, max-age=60', 'X-Datasource, Accept', 'string'])
      match(own.headers['etag'] as string, /^W\/"[\w-]+"$/)
      strictEqual(own.text, '[{"n":1}]')
      deepStrictEqual(told(await service.get('/demo/shared')), [
        'public, max-age=3600',
        'X-Datasource, Accept',
        'string',
      ])
      ok(told(await service.get('/demo/nothing')))
    })

    test('a copy that is still good is 304 without a body, whatever way it is named [N6.2]', async () => {
      const { headers } = await service.get('/demo/n')
      const etag = headers['etag'] as string
      const strong = etag.replace('W/', '')
      for (const given of [etag, strong, '*', `"a", ${etag}`, `${etag},"b"`, ` ${etag} `, 'W/"x,y", *']) {
        for (const method of ['GET', 'HEAD']) {
          const known = await service.send({ method, path: '/demo/n', headers: { 'if-none-match': given } })
          deepStrictEqual([known.status, known.text], [304, ''], given)
          deepStrictEqual(
            [known.headers['etag'], ...(told(known) as unknown[])],
            [etag, 'private, max-age=60', 'X-Datasource, Accept', 'string'],
          )
          strictEqual(known.headers['content-type'], undefined)
        }
      }
      for (const given of ['"a"', 'W/"a"', '', strong.slice(1, -1), `${strong.slice(0, -2)}"`, `*${strong}`]) {
        strictEqual((await service.get('/demo/n', { 'if-none-match': given })).status, 200, given)
      }
    })

    test('what has changed is sent, with another tag [N6.2]', async () => {
      const first = (await service.get('/demo/n')).headers['etag'] as string
      await service.post('/demo/add')
      const now = await service.get('/demo/n', { 'if-none-match': first })
      deepStrictEqual([now.status, now.text], [200, '[{"n":2}]'])
      notStrictEqual(now.headers['etag'], first)
      strictEqual((await service.get('/demo/n', { 'if-none-match': now.headers['etag'] as string })).status, 304)
    })

    test('another datasource, another format: another tag [N6.2]', async () => {
      const tags = await Promise.all(
        [{}, { 'x-datasource': 'other' }, { accept: 'text/csv' }, { accept: 'application/x-ndjson' }].map(
          async (headers) => (await service.get('/demo/n', headers as Record<string, string>)).headers['etag'],
        ),
      )
      strictEqual(new Set(tags).size, 4)
      strictEqual((await service.get('/demo/n', { accept: 'text/csv' })).headers['vary'], 'X-Datasource, Accept')
      strictEqual(
        (await service.get('/demo/n', { 'if-none-match': tags[0] as string, 'x-datasource': 'other' })).status,
        200,
      )
    })

    test('HEAD says what GET says [N6.2]', async () => {
      const get = await service.get('/demo/n')
      const head = await service.send({ method: 'HEAD', path: '/demo/n' })
      for (const name of ['etag', 'cache-control', 'vary', 'content-length', 'content-type']) {
        strictEqual(head.headers[name], get.headers[name], name)
      }
    })

    test('errors, POST files, other files and pages are told nothing [N6.2]', async () => {
      const none = [undefined, undefined, 'undefined']
      deepStrictEqual(told(await service.get('/demo/bad')), none)
      deepStrictEqual(told(await service.get('/demo/bad', { 'if-none-match': '*' })), none)
      strictEqual((await service.get('/demo/bad', { 'if-none-match': '*' })).status, 400)
      deepStrictEqual(told(await service.post('/demo/add')), none)
      strictEqual((await service.post('/demo/add', {}, { 'if-none-match': '*' })).status, 200)
      deepStrictEqual(told(await service.get('/demo/plain')), none)
      deepStrictEqual(told(await service.get('/datasources')), none)
      strictEqual((await service.get('/demo/plain', { 'if-none-match': '*' })).status, 200)
    })

    test('an answer of more than 1 MiB is told nothing, streamed or not [N6.2]', async () => {
      match((await service.get('/demo/rows?n=900')).headers['cache-control'] as string, /max-age=60/)
      for (const path of ['/demo/rows?n=1100', '/demo/rows?n=3000', '/demo/marked?n=1100']) {
        const long = await service.get(path, { 'if-none-match': '*' })
        deepStrictEqual([long.status, ...(told(long) as unknown[])], [200, undefined, undefined, 'undefined'], path)
      }
    })
  })
}

test('where origins are listed the answer depends on them too, also a 304 [N6.2]', async () => {
  const service = await startTestService({
    kind: 'sqlite',
    files: { 'demo/GET/n.sql': '-- @cache 60s\nSELECT 1 AS n' },
    config: { cors: { allowed_origins: 'https://a.example' }, server: { compression: true } },
  })
  try {
    const origin = { origin: 'https://a.example' }
    for (const given of ['"x"', '*']) {
      const { headers } = await service.get('/demo/n', { ...origin, 'if-none-match': given })
      strictEqual(headers['access-control-allow-origin'], 'https://a.example')
      strictEqual(headers['vary'], 'Origin, X-Datasource, Accept, Accept-Encoding')
    }
  } finally {
    await service.close()
  }
})
