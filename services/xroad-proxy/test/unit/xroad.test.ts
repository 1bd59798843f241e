/**
 * Names as X-Road writes them, and who made an error. The codes are those that Security Servers of 6.26 to 7.8 put into
 * faults and into the header X-Road-Error.
 */
import { doesNotThrow, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import type { Identity, FailureSource, Target } from '../../src/model.ts'
import { isIdentifier, sourceOf, toClientElement, toClientHeader, toServicePath } from '../../src/xroad.ts'

const identity: Identity = { instance: 'EE', memberClass: 'GOV', memberCode: '70008440', subsystemCode: 'rr-client' }
const target: Target = {
  xroadInstance: '',
  memberClass: 'COM',
  memberCode: '222',
  subsystemCode: 'TEST',
  serviceCode: 'petstore',
  path: '/v3/pet',
}

test('the client element of a subsystem [D2.2]', () => {
  strictEqual(
    toClientElement(identity),
    '<xroad:client id:objectType="SUBSYSTEM"><id:xRoadInstance>EE</id:xRoadInstance>' +
      '<id:memberClass>GOV</id:memberClass><id:memberCode>70008440</id:memberCode>' +
      '<id:subsystemCode>rr-client</id:subsystemCode></xroad:client>',
  )
})

test('the client element of a member has no subsystem [D2.2]', () => {
  strictEqual(
    toClientElement({ ...identity, subsystemCode: '' }),
    '<xroad:client id:objectType="MEMBER"><id:xRoadInstance>EE</id:xRoadInstance>' +
      '<id:memberClass>GOV</id:memberClass><id:memberCode>70008440</id:memberCode></xroad:client>',
  )
})

test('values of the client element are escaped [D2.2]', () => {
  const element = toClientElement({ ...identity, memberCode: `A&B<C>]]>"'$&` })
  strictEqual(element.split('memberCode>')[1], `A&amp;B&lt;C&gt;]]&gt;"'$&amp;</id:`)
})

test('four segments, three for a member [S-header.X-Road-Client]', () => {
  strictEqual(toClientHeader(identity), 'EE/GOV/70008440/rr-client')
  strictEqual(toClientHeader({ ...identity, subsystemCode: '' }), 'EE/GOV/70008440')
  strictEqual(toClientHeader({ ...identity, memberClass: '', memberCode: '' }), 'EE///rr-client')
})

test('the path of a service, of another instance too, empty segments as they are [S-rest-url P1.1]', () => {
  strictEqual(toServicePath('EE', target), '/r1/EE/COM/222/TEST/petstore/v3/pet')
  strictEqual(toServicePath('EE', { ...target, xroadInstance: 'FI' }), '/r1/FI/COM/222/TEST/petstore/v3/pet')
  strictEqual(toServicePath('EE', { ...target, path: '' }), '/r1/EE/COM/222/TEST/petstore')
  strictEqual(toServicePath('EE', { ...target, subsystemCode: '' }), '/r1/EE/COM/222//petstore/v3/pet')
})

test('target.path goes as written [D4.2]', () => {
  strictEqual(toServicePath('EE', { ...target, path: "/a b/%2F/(õ)'" }), "/r1/EE/COM/222/TEST/petstore/a b/%2F/(õ)'")
})

test('segments keep letters, digits and -._~ [D4.2]', () => {
  const segments: [string, string][] = [
    ['AZaz09-._~', 'AZaz09-._~'],
    ["!'()*", '%21%27%28%29%2A'],
    ['a/b', 'a%2Fb'],
    ['a b+c', 'a%20b%2Bc'],
    ['100%', '100%25'],
    ['?#&=;,:@$', '%3F%23%26%3D%3B%2C%3A%40%24'],
    ['Õö€😀', '%C3%95%C3%B6%E2%82%AC%F0%9F%98%80'],
    ['\r\nX: y', '%0D%0AX%3A%20y'],
    ['\ud800', '%EF%BF%BD'],
  ]
  for (const [segment, expected] of segments) {
    strictEqual(toClientHeader({ ...identity, memberCode: segment }), `EE/GOV/${expected}/rr-client`)
    strictEqual(toServicePath(segment, target), `/r1/${expected}/COM/222/TEST/petstore/v3/pet`)
  }
})

test('any segment decodes to what it was, and holds nothing but safe characters [D4.2]', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const segment = toClientHeader({ ...identity, memberCode: text }).slice(7, -10)
      strictEqual(decodeURIComponent(segment), text.toWellFormed())
      strictEqual(/^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/.test(segment), true)
    }),
  )
})

test('what an identifier is made of [S-charset]', () => {
  for (const good of ['GOV', '70008440', "A'b(c)+d,e-f.g=h?", '']) strictEqual(isIdentifier(good), true, good)
  for (const bad of ['a_b', 'a b', 'a/b', 'õ', 'a:b', 'a%b', 'a*', 'a!', 'a;b', 'a\n', '\na', '٣', '[a]', 'a\\b']) {
    strictEqual(isIdentifier(bad), false, bad)
  }
})

const codes: Readonly<Record<string, FailureSource>> = {
  'Server.ClientProxy.SslAuthenticationFailed': 'security_server',
  'Server.ClientProxy.ServiceFailed.InvalidSoap': 'security_server',
  'Server.ClientProxy.Signer.KeyNotFound': 'security_server',
  'Server.ClientProxy': 'security_server',
  'server.clientproxy.ssl_authentication_failed': 'security_server',
  'server.clientproxy.signer.token_not_active': 'security_server',
  'server.clientproxy.mlog.timestamp_request_timed_out': 'security_server',
  'SOAP-ENV:Server.ClientProxy.IOError': 'security_server',
  ' Server.ClientProxy.IOError\n': 'security_server',
  'Client.BadRequest': 'security_server',
  'Client.InvalidSoap': 'security_server',
  'client.missing_header_field': 'security_server',
  'Server.ServerProxy.ServiceFailed.HttpError': 'provider_security_server',
  'Server.ServerProxy.AccessDenied': 'provider_security_server',
  'Server.ServerProxy.OpMonitor.InternalError': 'provider_security_server',
  'server.serverproxy.access_denied': 'provider_security_server',
  'server.serverproxy.signer.key_not_found': 'provider_security_server',
  'SERVER.SERVERPROXY.UNKNOWN_SERVICE': 'provider_security_server',
  'soap:server.serverproxy.service_failed': 'provider_security_server',
  Server: 'provider',
  Client: 'provider',
  'soap:Server': 'provider',
  'SOAP-ENV:Client': 'provider',
  'soapenv:Client.Authentication': 'provider',
  'Server.Timeout': 'provider',
  'Server.ClientProxyError': 'provider',
  'Server.ServerProxies.X': 'provider',
  'My.Server.ClientProxy.X': 'provider',
  'a:b:Server.ClientProxy.X': 'provider',
  'Clients.X': 'provider',
  'env:Sender': 'provider',
  // Services of the central server answer with codes like these, and no Security Server does.
  'signer.key_not_found': 'provider',
  invalid_request: 'provider',
  '': 'provider',
}

test('who made an error, in the spellings of before and after 7.8 [S-source]', () => {
  for (const [code, source] of Object.entries(codes)) strictEqual(sourceOf(code), source, code)
})

test('a code of any length and content is judged at once [S-source]', () => {
  for (const part of ['a', ':', 'server.', ' ']) {
    checkGrowth(60_000, (length) => {
      const code = part.repeat(length)
      return () => strictEqual(sourceOf(code), 'provider')
    })
  }
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (code) => doesNotThrow(() => sourceOf(code))))
})
