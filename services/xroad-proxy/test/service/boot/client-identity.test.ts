/** Endpoints that have to say who calls, and a configuration that does not know it. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errorOf } from '@services/testing'
import { parseTemplate } from '../../../src/soap/request/template.ts'
import { startLanes } from '../../support/lanes.ts'

const header = (client: string): string =>
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" ' +
  `xmlns:id="http://x-road.eu/xsd/identifiers"><e:Header>${client}<xroad:service id:objectType="SERVICE">` +
  '<id:xRoadInstance>EE</id:xRoadInstance><id:memberClass>GOV</id:memberClass><id:memberCode>1</id:memberCode>' +
  '<id:subsystemCode>s</id:subsystemCode><id:serviceCode>op</id:serviceCode></xroad:service>' +
  '<xroad:id>1</xroad:id><xroad:protocolVersion>4.0</xroad:protocolVersion></e:Header><e:Body><op/></e:Body></e:Envelope>'
const soapFile = (client: string): string => `method: POST\nenvelope: ${JSON.stringify(header(client))}\n`
const own =
  '<xroad:client id:objectType="MEMBER"><id:xRoadInstance>EE</id:xRoadInstance><id:memberClass>GOV</id:memberClass>' +
  '<id:memberCode>9</id:memberCode></xroad:client>'
const restFile =
  'kind: rest\nmethod: GET\ntarget: {member_class: GOV, member_code: "1", subsystem_code: s, service_code: c}\n'

const dsl = {
  'a/named.yml': soapFile('{{{generate.client}}}'),
  'a/other.yml': soapFile('{{#with generate}}{{{client}}}{{/with}}'),
  'a/own.yml': soapFile(own),
  'b/rest.yml': restFile,
  'b/second.yml': restFile,
}

describe('client_data without codes [X4]', () => {
  const identities: Readonly<Record<string, readonly [clientData: object, missing: string]>> = {
    'nothing at all': [{}, 'client_data.member_class and client_data.member_code are empty'],
    'a subsystem only': [{ subsystem_code: 's' }, 'client_data.member_class and client_data.member_code are empty'],
    'no member code': [{ member_class: 'GOV', subsystem_code: 's' }, 'client_data.member_code is empty'],
    'a member code of white space': [{ member_class: 'GOV', member_code: ' ' }, 'client_data.member_code is empty'],
    'no member class': [{ member_code: '1', subsystem_code: 's' }, 'client_data.member_class is empty'],
  }
  for (const [name, [clientData, missing]] of Object.entries(identities)) {
    test(`${name}: one WARN for each lane, and no envelope is sent`, async () => {
      const lanes = await startLanes({ dsl, config: { client_data: clientData } })
      try {
        const warnings = lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => String(message))
        deepStrictEqual(warnings, [
          `${missing}, and 2 SOAP endpoints need to say who calls: /a/named, /a/other; no envelope is sent for them, calls are answered with internal_error`,
          `${missing}, and 2 REST endpoints need to say who calls: /b/rest, /b/second; the Security Server refuses their calls`,
        ])
        for (const path of ['/a/named', '/a/other']) {
          const answer = await lanes.call(path, { method: 'POST', body: '{}' })
          const message = /client_data in the configuration has no member_class or no member_code/
          deepStrictEqual([answer.status, errorOf(answer)], [500, 'internal_error'])
          match(answer.text, message)
        }
        deepStrictEqual(lanes.events, [])
        const { status } = await lanes.call('/a/own', { method: 'POST', body: '{}' })
        strictEqual(status, 200)
      } finally {
        await lanes.close()
      }
    })
  }

  test('a member that calls in its own name needs no subsystem', async () => {
    const lanes = await startLanes({ dsl, config: { client_data: { member_class: 'GOV', member_code: '1' } } })
    const { status } = await lanes.call('/a/named', { method: 'POST', body: '{}' })
    const warnings = lanes.log.filter(({ event }) => event === 'warning')
    await lanes.close()
    deepStrictEqual([status, warnings], [200, []])
  })

  test('without an endpoint that needs it nothing is told', async () => {
    const lanes = await startLanes({ dsl: { 'a/own.yml': dsl['a/own.yml'] }, config: { client_data: {} } })
    const warnings = lanes.log.filter(({ event }) => event === 'warning')
    await lanes.close()
    deepStrictEqual(warnings, [])
  })
})

test('a template names the client in whatever way [X4]', () => {
  const naming = [
    '{{{generate.client}}}',
    '{{ generate.client }}',
    '{{{@root.generate.client}}}',
    '{{{this.generate.[client]}}}',
    '{{#with generate}}{{{client}}}{{/with}}',
    '{{{lookup generate "client"}}}',
    '{{{lookup (lookup @root "generate") "client"}}}',
    '{{#each generate}}{{this}}{{/each}}',
    '{{#if a}}{{{generate.client}}}{{/if}}',
  ]
  const others = [
    '{{generate.uuid}}{{generate.instance}}',
    '{{client}}{{{a.client}}}<generate.client/>',
    '{{! generate.client }}{{#if_present generate.user_id}}{{generate.user_id}}{{/if_present}}',
    '',
  ]
  const namesClient = (source: string): boolean => parseTemplate(source).template.namesClient
  for (const source of naming) ok(namesClient(source), source)
  for (const source of others) ok(!namesClient(source), source)
})
