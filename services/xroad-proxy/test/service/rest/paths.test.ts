/** Paths with parameters over raw sockets: what leaves for the Security Server, and what never does. */
import { deepStrictEqual, match, ok as isTrue, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorOf } from '@services/testing'
import { exchange, head, rest } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { answering, ok, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

let upstream: RawUpstream
let lanes: Lanes

const described = `openapi: 3.0.3
info: {title: Companies, version: "1"}
servers: [{url: https://registry.example.org/api/v2}]
paths:
  /v1/companies/{id}:
    get: {responses: {"200": {description: found}}}
    delete: {responses: {"204": {description: gone}}}
  /v1/companies/search:
    post: {responses: {"200": {description: found}}}
  /v1/companies/:
    get: {responses: {"200": {description: all}}}
  /õpilased/{id}.json:
    get: {responses: {"200": {description: found}}}
`

before(async () => {
  upstream = await startRaw()
  upstream.serve = answering(ok())
  lanes = await startLanes({
    dsl: {
      'p/one.yml': rest('GET', { path: '/v1/companies/{id}' }),
      'p/two.yml': rest('GET', { path: '/v1/{id}/reports/{year}.csv' }, { allowed_query_params: ['a'] }),
      'p/rest.yml': rest('GET', { path: '/files/{rest+}' }),
      'p/several.yml': rest(
        '',
        { path: '/v1/{id}' },
        { method: undefined, methods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'QUERY'] },
      ),
      'p/companies.yml': rest('', {}, { method: undefined, openapi: 'companies.openapi.yaml' }),
      'p/companies.openapi.yaml': described,
    },
    config: { security_server: { url: upstream.url } },
  })
})

after(async () => {
  await lanes.close()
  await upstream.close()
})

const service = '/r1/ee-test/GOV/70000001/sub/svc'

/** Method and path of the one call, or the error. */
async function sent(method: string, path: string, headers: string = ''): Promise<string> {
  const known = upstream.requests.length
  const answer = await exchange(lanes.port, head(method, path, headers))
  const calls = upstream.requests.slice(known).map(({ line }) => line.split(' ').slice(0, 2).join(' '))
  if (calls.length === 1 && answer.status === 200) return calls[0]!
  deepStrictEqual(calls, [], 'nothing is sent for a request that is refused')
  const error = method === 'HEAD' ? '' : errorOf({ text: answer.body })
  return [answer.status, error, ...answer.all('allow')].filter(Boolean).join(' ')
}

describe('parameters', () => {
  const passed: readonly (readonly [path: string, sent: string])[] = [
    ['/p/one/17', '/v1/companies/17'],
    ['/p/one/17?a=/../x&b', '/v1/companies/17?a=/../x&b'],
    ['/p/two/17/2024', '/v1/17/reports/2024.csv'],
    ['/p/two/17/2024?a=1&b=2', '/v1/17/reports/2024.csv?a=1'],
    ['/p/rest/a/b/c', '/files/a/b/c'],
    ['/p/one/a%2Fb', '/v1/companies/a%2Fb'],
    ['/p/one/%61', '/v1/companies/a'],
    ['/p/one/a+b%2B', '/v1/companies/a%2Bb%2B'],
    ['/p/one/a;b=c,d:e@f', '/v1/companies/a%3Bb%3Dc%2Cd%3Ae%40f'],
    ["/p/one/it's(a)*!$&", '/v1/companies/it%27s%28a%29%2A%21%24%26'],
    ['/p/one/%C3%B5', '/v1/companies/%C3%B5'],
    ['/p/one/%F0%9F%98%80', '/v1/companies/%F0%9F%98%80'],
    ['/p/one/100%25', '/v1/companies/100%25'],
    ['/p/one/%2541', '/v1/companies/%2541'],
    ['/p/one/%00', '/v1/companies/%00'],
    ['/p/one/%0d%0aX:y', '/v1/companies/%0D%0AX%3Ay'],
    ['/p/one/%3Fa=b%23c', '/v1/companies/%3Fa%3Db%23c'],
    ['/p/one/a.b', '/v1/companies/a.b'],
    ['/p/one/...', '/v1/companies/...'],
    ['/p/one/.well-known', '/v1/companies/.well-known'],
    ['/p/one/..a', '/v1/companies/..a'],
    ['/p/one/1.5%25', '/v1/companies/1.5%25'],
    ['/p/one/%7Bid%7D', '/v1/companies/%7Bid%7D'],
    ['/p/one/\\', '/v1/companies/%5C'],
    ['/p/one/__proto__', '/v1/companies/__proto__'],
    ['http://other.example/p/one/17', '/v1/companies/17'],
    ['/%70/o%6ee/17', '/v1/companies/17'],
  ]
  for (const [path, expected] of passed) {
    test(`${JSON.stringify(path)} goes out as ${expected} [P3.1]`, async () => {
      strictEqual(await sent('GET', path), `GET ${service}${expected}`)
    })
  }

  const spellings = [
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%252e',
    '%252e%252E',
    '%25252e%25252e',
    '%25%32%65%25%32%65',
    '..;',
    '..;a=b',
    '.;x',
    '%2e%2e;x',
    '..%3b',
    '..%3Bx=/',
    '..%253bx',
    '\\..',
    '..\\',
    'a\\..\\b',
    'a%5c..',
    '..%5c..',
    '%5c%2e%2e',
    '..%255c',
    'a%2f..',
    '..%2fb',
    '%2e%2e%2f',
    '..%252f..',
    'a%252f%252e%252e',
    '..%00',
    '%00..',
    '..%20',
    '%20..',
    '..%09',
    '..%0a',
    '..%c2%a0',
    '%ef%bc%8e%ef%bc%8e',
    '%e2%80%a5',
    '..%ef%bc%8f',
    '.%e2%80%8b.',
    '%c0%ae%c0%ae',
    '%c0%ae.',
    '%25c0%25ae.',
    '%e0%80%ae.',
    '%u002e.',
    '%25u002e%25u002e',
    '%2e%00%2e',
    '..%2525252f',
    '%ff',
    '%c3',
    '%',
    '%2',
    '%zz',
  ]
  test('`.`, `..` and what is no UTF-8 are 404 in every spelling, nothing is sent [P3.1]', async () => {
    for (const spelling of spellings) {
      for (const path of [
        `/p/one/${spelling}`,
        `/p/two/${spelling}/1`,
        `/p/rest/a/${spelling}`,
        `/p/rest/${spelling}/a`,
        `/p/companies/v1/companies/${spelling}`,
      ])
        strictEqual(await sent('GET', path), '404 template_not_found', JSON.stringify(path))
    }
  })

  test('bytes beyond ASCII are no HTTP [P3.1]', async () => {
    for (const path of ['/p/one/\xc3\xb5', '/p/one/\xff', '/p/rest/\xef\xbc\x8e\xef\xbc\x8e'])
      strictEqual(await sent('GET', path), '400 malformed_request')
  })

  test('an empty segment is 404 [P3.1]', async () => {
    for (const path of [
      '/p/one/',
      '/p/one',
      '/p/one//',
      '/p/one/17/',
      '/p/one//17',
      '//p/one/17',
      '/p/two/17',
      '/p/two/17//2024',
      '/p/two/17/',
      '/p/rest',
      '/p/rest/',
      '/p/rest/a//b',
      '/p/rest/a/',
      '/p/rest//',
    ])
      strictEqual(await sent('GET', path), '404 template_not_found', path)
  })

  test('the same through the HTTP parser of Node.js [P3.1]', async () => {
    const odd = 'X-Twice: 1\r\nX-Twice: 2\r\n'
    strictEqual(await sent('GET', '/p/one/a%2Fb', odd), `GET ${service}/v1/companies/a%2Fb`)
    for (const spelling of ['..', '%2e%2e', '%252e%252e', '..;x', 'a\\..'])
      strictEqual(await sent('GET', `/p/one/${spelling}`, odd), '404 template_not_found', spelling)
  })

  test('the log has the path of the file, never a value [P3.1]', async () => {
    await sent('GET', '/p/one/EE38001010000')
    const line = lanes.log.at(-1)!
    deepStrictEqual([line['endpoint'], line['status']], ['p/one/{id}', 200])
    isTrue(!JSON.stringify(lanes.log).includes('EE38001010000'))
  })
})

describe('methods', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'QUERY']) {
    test(`${method} is passed on as it is [P3.1]`, async () => {
      strictEqual(await sent(method, '/p/several/1'), `${method} ${service}/v1/1`)
    })
  }

  test('another one is 405 with all in Allow, before any body is read [P3.1]', async () => {
    strictEqual(await sent('DELETE', '/p/several/1'), '405 method_not_allowed GET, HEAD, OPTIONS, PUT, QUERY')
    strictEqual(
      await sent('PATCH', '/p/several/1', 'Content-Length: 99999999\r\n'),
      '405 method_not_allowed GET, HEAD, OPTIONS, PUT, QUERY',
    )
    strictEqual(await sent('BREW', '/p/several/1'), '405 method_not_allowed GET, HEAD, OPTIONS, PUT, QUERY')
    strictEqual(await sent('HEAD', '/p/one/1'), '405 GET')
    strictEqual(await sent('OPTIONS', '/p/one/1'), '405 method_not_allowed GET')
    strictEqual(await sent('BREW', '/p/one/..'), '404 template_not_found')
  })
})

describe('a description', () => {
  test('its operations are endpoints, the path of its server is not theirs [P3.3]', async () => {
    strictEqual(await sent('GET', '/p/companies/v1/companies/17'), `GET ${service}/v1/companies/17`)
    strictEqual(await sent('DELETE', '/p/companies/v1/companies/a%2fb'), `DELETE ${service}/v1/companies/a%2Fb`)
    strictEqual(await sent('POST', '/p/companies/v1/companies/search'), `POST ${service}/v1/companies/search`)
    strictEqual(await sent('GET', '/p/companies/v1/companies/'), `GET ${service}/v1/companies/`)
    strictEqual(await sent('GET', '/p/companies/%C3%B5pilased/17.json'), `GET ${service}/%C3%B5pilased/17.json`)
    strictEqual(await sent('PUT', '/p/companies/v1/companies/17'), '405 method_not_allowed GET, DELETE')
    strictEqual(await sent('GET', '/p/companies/v1/companies/search'), '405 method_not_allowed POST')
    strictEqual(await sent('GET', '/p/companies'), '404 template_not_found')
    strictEqual(await sent('GET', '/p/companies.openapi'), '404 template_not_found')
  })

  test('the start tells how many there are [P3.3]', () => {
    const started = lanes.log.find(({ rest }) => rest !== undefined)!
    deepStrictEqual([started['rest'], started['soap']], [9, 0])
    match(String(started['message'] ?? started['msg']), /read/)
  })
})
