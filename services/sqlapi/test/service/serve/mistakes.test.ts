/** What a caller hears of a mistake in a request, and what the log has of values without effect. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EventStream } from '@services/observe'
import { eventTable, type EventFields } from '../../../src/events.ts'
import type { Endpoint, Script } from '../../../src/model.ts'
import { WithoutEffect } from '../../../src/serve/params/without-effect.ts'
import { nearestPath } from '../../../src/serve/route.ts'
import { startTestService, type TestReply, type TestService } from '../../support/service.ts'

const files = {
  'demo/GET/permits.sql':
    '-- @param name string default "all"\n-- @param ids integer[] default []\nSELECT :name AS n, :ids AS i',
  'demo/GET/list.sql': 'SELECT :ids AS ids',
  'demo/GET/among.sql': "SELECT 1 AS a WHERE 'b' IN (:ids) OR :name = ''",
  'demo/POST/add.sql': 'SELECT :userId AS id',
  'lost/GET/one.sql': 'SELECT 1 AS one',
}

const messageOf = ({ text }: TestReply): string => (JSON.parse(text) as { message: string }).message

describe('mistakes in requests', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ kind: 'sqlite', files, config: { logging: { format: 'json' } } })
  })
  after(() => service.close())

  const noted = (): unknown[] =>
    service.log
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => event === 'valueWithoutEffect')
      .map(({ file, key, cure, level }) => [level, file, key, cure])

  test('a path without a file is answered with the nearest one, if one is near [F11]', async () => {
    const near = {
      '/demo/permitz': '/demo/permits',
      '/Demo/Permit': '/demo/permits',
      '/demos/permits': '/demo/permits',
      '/permits': '/demo/permits',
      '/api/demo/permits': '/demo/permits',
      '/demo/GET/permits.sql': '/demo/permits',
      '/demo/permits/': '/demo/permits',
      '/helth': '/health',
    }
    for (const [path, meant] of Object.entries(near)) {
      const told = `Saved query '${path}' does not exist; did you mean ${meant}?`
      strictEqual(messageOf(await service.get(path)), told)
    }
    match(messageOf(await service.post('/demo/add/bacth', {})), /; did you mean \/demo\/add\/batch\?$/)
    for (const path of ['/demo/other', `/demo/${'permits'.repeat(99)}`, '/x']) {
      doesNotMatch(messageOf(await service.get(path)), /did you mean/)
    }
  })

  test('a parameter without a value names the key that was probably meant [F11]', async () => {
    match(messageOf(await service.get('/demo/list?idz=1')), /'ids' has no value in the request; found "idz", which is/)
    match(messageOf(await service.post('/demo/add', { userid: 1 })), /found "userid"/)
    const query = /'userId' has no value .*; the query string of a POST has no effect, send the values in a JSON object/
    match(messageOf(await service.post('/demo/add?userId=5')), query)
    match(messageOf(await service.post('/demo/add?userId=5', {})), query)
  })

  test('a project without a datasource is answered with the remedy [F11]', async () => {
    match(messageOf(await service.get('/lost/one')), /'lost' is not configured; .*project_datasource_map/)
    const { text } = await service.get('/demo/permits', { 'x-datasource': 'dmeo' })
    match(text, /'dmeo' is not configured; the header X-Datasource names it; did you mean demo\?/)
  })

  test('a value without effect is one WARN for each file and key, without the value [F11]', async () => {
    for (let round = 0; round < 3; round++) {
      strictEqual((await service.get('/demo/permits?nmae=secret&other=secret')).status, 200)
      strictEqual((await service.get('/demo/permits?ids=1&ids=2&name=secret')).status, 200)
      strictEqual((await service.get('/demo/list?ids=secret&ids=4711')).status, 200)
      for (const ids of ['4711,secret', '4711%2Csecret']) {
        strictEqual((await service.get(`/demo/among?ids=${ids}&name=a,b`)).text, '[]')
      }
      strictEqual((await service.get('/demo/among?ids=secret,%20secret&name=a,b')).text, '[]')
      strictEqual((await service.post('/demo/add?secret', { userId: 1, 'user\u0007Id': 'secret' })).status, 200)
    }
    deepStrictEqual(noted(), [
      ['warn', 'demo/GET/permits.sql', 'nmae', 'did you mean name?'],
      ['warn', 'demo/GET/list.sql', 'ids', 'declare a list: -- @param ids string[]'],
      [
        'warn',
        'demo/GET/among.sql',
        'ids',
        'declare a list, -- @param ids string[], and repeat the key: ?ids=..&ids=..',
      ],
      ['warn', 'demo/POST/add.sql', 'user\uFFFDId', 'did you mean userId?'],
      ['warn', 'demo/POST/add.sql', '?', 'send the values in a JSON object as the body'],
    ])
    for (const line of service.log) doesNotMatch(line, /secret|4711/)
  })
})

test('what is remembered of values without effect is bounded, and forgotten after ten minutes [F11]', () => {
  let now = 0
  let count = 0
  const events = new EventStream<EventFields>(eventTable)
  events.subscribe({ hears: () => true, hear: () => count++ } as never)
  const withoutEffect = new WithoutEffect(events, () => now)
  const name = 'p'.repeat(40)
  const endpoint = { method: 'GET', file: 'a/GET/b.sql' } as Endpoint
  const script = { parameters: [name] } as unknown as Script
  const send = (key: string): void => {
    const set = new Map([
      [name, 'x'],
      [key, 'x'],
    ])
    withoutEffect.look(endpoint, script, { sets: [set], query: '' })
  }
  const keys = Array.from({ length: 5000 }, (_, index) => {
    return `${name.slice(0, index % 40)}${String.fromCodePoint(0x100 + Math.floor(index / 40))}${name.slice((index % 40) + 1)}`
  })
  for (const key of keys) send(key)
  strictEqual(count, 1000)
  now = 600_000
  for (const key of keys.slice(0, 10)) send(key)
  strictEqual(count, 1010)
})

test('the same wrong path is looked for once [B8] [F11]', () => {
  let searches = 0
  class Counted extends Map<string, Endpoint> {
    override values(): MapIterator<Endpoint> {
      searches++
      return super.values()
    }
  }
  const published = {
    endpoints: new Counted([['GET /a/permits', { path: '/a/permits' } as Endpoint]]),
    pages: new Map(),
  }
  const ask = (path: string): string => nearestPath(published, 'GET', path)
  deepStrictEqual([ask('/a/permitz'), ask('/a/permitz')], Array(2).fill('; did you mean /a/permits?'))
  strictEqual(searches, 1)
  for (let n = 0; n < 2000; n++) ask(`/a/${n}`)
  strictEqual(ask('/a/permitz'), '; did you mean /a/permits?')
})
