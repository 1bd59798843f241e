/** Which headers pass the REST lane: raw pairs in, raw pairs out, both ways. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hopByHop } from '../../../src/header-names.ts'
import { toInbound, toOutbound, toOutboundRules } from '../../../src/upstream/headers.ts'

const client = 'ee-test/GOV/70000000/demo'
const rules = toOutboundRules(client)

function outbound(...received: string[]): string[] {
  return toOutbound(received, rules, () => 'fresh').headers
}

const added = ['X-Road-Id', 'fresh', 'X-Road-Client', client]

describe('headers to the Security Server', () => {
  test('order, casing, repeats and bytes stay [S-header.end-to-end D4.3]', () => {
    const sent = [
      'accept',
      'a/b',
      'X-One',
      '1',
      'X-TWO',
      '\u00e4\u00ff',
      'x-one',
      '2',
      'Content-Type',
      'text/plain',
      'Cookie',
      'a=1',
    ]
    deepStrictEqual(outbound(...sent), [...sent, ...added])
  })

  test('Host is dropped, the length is written anew [S-header.Host]', () => {
    deepStrictEqual(outbound('Host', 'h', 'Content-Length', '3', 'Expect', '100-continue'), added)
  })

  for (const name of [...hopByHop].filter((each) => each !== 'connection')) {
    test(`${name} is dropped [S-header.hop-by-hop D4.3]`, () => {
      deepStrictEqual(outbound(name.toUpperCase(), 'x'), added)
    })
  }

  test('every Proxy- header is dropped [S-header.hop-by-hop D4.3]', () => {
    deepStrictEqual(
      outbound('Proxy-Authorization', 'x', 'proxy-connection', 'x', 'Proxy-Whatever', 'x', 'Proxied', 'y'),
      ['Proxied', 'y', ...added],
    )
  })

  test('Connection and every header that it names are dropped, wherever they stand [D4.3]', () => {
    const sent = [
      'X-Hop',
      '1',
      'Connection',
      'close, X-HOP ,, x-other',
      'x-other',
      '2',
      'X-Kept',
      '3',
      'connection',
      'x-third',
      'X-Third',
      '4',
    ]
    deepStrictEqual(outbound(...sent), ['X-Kept', '3', ...added])
  })

  test('a value of the caller is replaced, also when Connection names the header [S-header.X-Road-Client S-auth.3]', () => {
    deepStrictEqual(outbound('x-road-client', 'EE/GOV/1/evil', 'X-ROAD-CLIENT', 'b'), added)
    deepStrictEqual(outbound('Connection', 'X-Road-Client, X-Road-Id'), added)
  })

  test('an id of the caller is forwarded, an empty one is none [S-header.X-Road-Id]', () => {
    const { headers, messageId } = toOutbound(['x-road-id', 'mine'], rules, () => 'fresh')
    deepStrictEqual([headers, messageId], [['x-road-id', 'mine', 'X-Road-Client', client], 'mine'])
    const other = toOutbound(['X-Road-Id', ''], rules, () => 'fresh')
    deepStrictEqual([other.headers, other.messageId], [added, 'fresh'])
  })

  test('the user is forwarded and never made up [S-header.X-Road-UserId]', () => {
    deepStrictEqual(outbound('X-Road-UserId', 'EE38001010000'), ['X-Road-UserId', 'EE38001010000', ...added])
    strictEqual(
      outbound().some((each) => /userid/i.test(each)),
      false,
    )
  })
})

describe('headers to the caller', () => {
  test('all but hop-by-hop headers pass, in order and repeated [S-header.response D4.3]', () => {
    const kept = [
      'Set-Cookie',
      'a=1',
      'Content-Type',
      'x/y',
      'Set-Cookie',
      'b=2',
      'X-Road-Id',
      '1',
      'X-Road-Request-Hash',
      'h',
      'Content-Length',
      '5',
    ]
    const { headers, contentLength } = toInbound([
      'Connection',
      'keep-alive, X-Gone',
      'Keep-Alive',
      'timeout=5',
      'X-Gone',
      '1',
      'Transfer-Encoding',
      'x',
      ...kept,
    ])
    deepStrictEqual([headers, contentLength], [kept, 5])
  })

  test('the code of X-Road-Error is told [S-source]', () => {
    strictEqual(toInbound(['x-road-error', 'Server.ServerProxy.X']).errorCode, 'Server.ServerProxy.X')
    strictEqual(toInbound(['X-Other', '1']).errorCode, undefined)
  })
})
