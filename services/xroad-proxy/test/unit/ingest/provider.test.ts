/**
 * Services of other members: whom the envelopes of a WSDL with a provider call, in which version, and what is told of
 * it.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder, writeFiles } from '@services/testing'
import { describeEndpoints } from '../../support/description.ts'
import { readSidecar } from '../../../src/boot/ingest/sidecar.ts'
import { runChecks } from '../../../src/doctor/checks.ts'
import { gatherFacts } from '../../../src/doctor/facts/facts.ts'
import { findWsdls } from '../../../src/doctor/facts/wsdl-facts.ts'
import type { Endpoint } from '../../../src/model.ts'
import { demo, drop, type Dropped, wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const provider = 'provider:\n  member_class: COM\n  member_code: "00012"\n  subsystem_code: register\n'
const values = { uuid: 'u', instance: 'ee-test', client: '<client/>', protocol_version: '4.0' }

function dropWith(sidecar: string, wsdl = wsdlOf(['find', 'add'])): Dropped {
  return drop({ 'wsdl/crm/api.wsdl': wsdl, 'wsdl/crm/api.meta.yaml': sidecar }, { client: demo })
}

/** Name and text of each part of the service, as the envelope of the first endpoint has it. */
function serviceOf(endpoint: Endpoint | undefined): readonly (readonly string[])[] {
  ok(endpoint?.kind === 'soap')
  const [, service = ''] = endpoint.envelope.render({ a: 'x' }, values).split(/<\/?xroad:service[^>]*>/)
  return Array.from(service.matchAll(/<id:(\w+)>([^<]*)</g), ([, name = '', text = '']) => [name, text])
}

function named(dropped: Dropped, name: string): Endpoint | undefined {
  return dropped.endpoints().find(({ service }) => service === name)
}

/** A WSDL whose operations have a version, as those of X-Road have. */
function versioned(version: string): string {
  const declared = `<xrd:version xmlns:xrd="http://x-road.eu/xsd/xroad.xsd">${version}</xrd:version>`
  return wsdlOf(['find', 'add']).replaceAll('<wsdl:input><soap:body', `${declared}<wsdl:input><soap:body`)
}

describe('a provider [P1.1]', () => {
  test('is whom the envelope calls; client_data is compared with nothing of it [P1.1]', () => {
    const dropped = dropWith(provider)
    deepStrictEqual(dropped.warnings, [])
    deepStrictEqual(serviceOf(named(dropped, 'find')), [
      ['xRoadInstance', 'ee-test'],
      ['memberClass', 'COM'],
      ['memberCode', '00012'],
      ['subsystemCode', 'register'],
      ['serviceCode', 'find'],
    ])
  })

  test('without a subsystem is a member that offers the service itself, in another instance if it says so [P1.1]', () => {
    const dropped = dropWith('provider: {member_class: COM, member_code: "1", xroad_instance: "F<I>"}\n')
    deepStrictEqual(serviceOf(named(dropped, 'find')), [
      ['xRoadInstance', 'F&#60;I&#62;'],
      ['memberClass', 'COM'],
      ['memberCode', '1'],
      ['serviceCode', 'find'],
    ])
  })

  test('stands beside the fields at the top, which keep their rule [P1.1]', () => {
    deepStrictEqual(dropWith(`member_code: "70000000"\n${provider}`).warnings, [])
    match(
      dropWith(`member_code: "1"\n${provider}`).warnings.join(),
      /its sidecar is for somebody else: member_code is "1"/,
    )
  })

  test('has no effect beside service_url, which is a WARN [P1.1]', () => {
    const dropped = dropWith(`service_url: https://far.example.com/soap\n${provider}`)
    strictEqual(dropped.warnings.length, 1)
    match(dropped.warnings[0]!, /api\.meta\.yaml:2: provider: has no effect beside service_url/)
    const [endpoint] = dropped.endpoints()
    ok(endpoint?.kind === 'soap')
    strictEqual(endpoint.url, 'https://far.example.com/soap')
  })

  const refused: Readonly<Record<string, RegExp>> = {
    'provider: GOV\n': /api\.meta\.yaml:1: provider: found a text, expected the fields member_class/,
    'provider: {member_class: GOV}\n': /api\.meta\.yaml:1: provider\.member_code: .*expected a registry code/,
    'provider:\n  member_class: GOV\n  member_code: " "\n': /api\.meta\.yaml:3: provider\.member_code: /,
    'provider:\n  member_class: GOV\n  member_code: [1]\n': /api\.meta\.yaml:3: provider\.member_code: found a list/,
    'service_versions: v2\n': /api\.meta\.yaml:1: service_versions: .*expected operations with a version each/,
    'service_versions: {find: [v2]}\n': /service_versions\.find: found a list/,
  }
  for (const [text, message] of Object.entries(refused)) {
    test(`is refused with its line: ${text.trim()} [P1.1]`, () => {
      let told = ''
      try {
        readSidecar(Buffer.from(text), 'api.meta.yaml')
      } catch (error) {
        told = (error as Error).message
      }
      match(told, message)
    })
  }

  test('has its misspelled fields told [P1.1]', () => {
    const { warnings } = readSidecar(Buffer.from(`${provider}  subsystem: x\n`), 'api.meta.yaml')
    match(warnings.join(), /api\.meta\.yaml:5: provider\.subsystem: unknown field, has no effect/)
  })
})

describe('the version that is called [P1.2]', () => {
  const versionOf = (dropped: Dropped, name: string): string | undefined =>
    serviceOf(named(dropped, name)).find(([part]) => part === 'serviceVersion')?.[1]
  const cases: readonly (readonly [sidecar: string, find: string | undefined, add: string | undefined])[] = [
    ['', 'v1', 'v1'],
    ['service_version: v2\n', 'v2', 'v2'],
    ['service_version:\n', 'v1', 'v1'],
    ['service_version: ""\n', undefined, undefined],
    ['service_versions: {find: v3}\n', 'v3', 'v1'],
    ['service_version: v2\nservice_versions: {find: v3}\n', 'v3', 'v2'],
    ['service_version: v2\nservice_versions: {find: ""}\n', undefined, 'v2'],
    ['service_version: 2\n', '2', '2'],
  ]
  for (const [sidecar, find, add] of cases) {
    test(`${sidecar.trim().replaceAll('\n', ', ') || 'nothing said'}: ${find} and ${add} [P1.2]`, () => {
      const dropped = dropWith(provider + sidecar, versioned('v1'))
      deepStrictEqual(dropped.warnings, [])
      deepStrictEqual([versionOf(dropped, 'find'), versionOf(dropped, 'add')], [find, add])
    })
  }

  test('a code that nobody has filled in is a WARN with its line [P1.1]', () => {
    const { warnings } = dropWith('provider:\n  member_class: GOV\n  member_code: <registry code>\n')
    match(warnings.join(), /api\.meta\.yaml:3: provider\.member_code: found "<registry code>", still a placeholder$/)
  })

  test('of an operation that the WSDL does not have is a WARN with the nearest name [P1.2]', () => {
    const { warnings } = dropWith(`${provider}service_versions: {fnid: v2}\n`)
    match(
      warnings.join(),
      /api\.meta\.yaml:\d+: service_versions\.fnid: there is no such operation; did you mean find\?/,
    )
  })
})

describe('a service code that is not the name of the element in the body [P1.2]', () => {
  test('is one WARN for a WSDL, and WEAK for the doctor [P1.2 S-doctor.weak-wsdl-service-code]', () => {
    const sidecar = `${provider}service_code: other\n`
    const told = dropWith(sidecar).warnings.filter((warning) => warning.includes('X-Road refuses'))
    strictEqual(told.length, 1)
    match(told[0]!, /operation find has the service code other and the element find in its body, .*; so do 1 more$/)
    const folder = newFolder({ 'wsdl/crm/api.wsdl': wsdlOf(['find', 'add']), 'wsdl/crm/api.meta.yaml': sidecar })
    writeFiles(folder, {
      'proxy.yaml': JSON.stringify({ dsl_path: join(folder, 'DSL'), wsdl_watch_dir: join(folder, 'wsdl') }),
    })
    const facts = gatherFacts({ flag: undefined, env: {}, cwd: folder, now: new Date(), readWsdls: findWsdls })
    const findings = runChecks(facts).filter(({ code }) => code === 'weak-wsdl-service-code')
    deepStrictEqual(
      findings.map(({ severity }) => severity),
      ['WEAK', 'WEAK'],
    )
    match(findings[1]!.headline, /add has the service code other and the element add in its body/)
  })

  test('is told at the second start too, from memory [P1.2]', () => {
    const dropped = dropWith(`${provider}service_code: other\n`)
    match(dropped.again().warnings.join(), /which X-Road refuses/)
  })

  test('is right if the name of the element begins with it [G8 S-doctor.weak-wsdl-service-code]', () => {
    for (const code of ['find', 'fin', 'f']) {
      doesNotMatch(dropWith(`${provider}service_code: ${code}\n`, wsdlOf(['find'])).warnings.join(), /refuses/)
    }
    for (const code of ['findPerson', 'Find', 'ind']) {
      const { warnings } = dropWith(`${provider}service_code: ${code}\n`, wsdlOf(['find']))
      match(warnings.join(), /which X-Road refuses: the name of the element must begin with the code$/)
    }
  })

  test('does not matter to a direct call [P1.2]', () => {
    const { warnings } = dropWith('service_code: other\nservice_url: https://far.example.com/soap\n', wsdlOf(['find']))
    doesNotMatch(warnings.join(), /refuses/)
  })
})

test('two subfolders are two versions of one service, both called and both in /api [P1.4]', () => {
  const { warnings, endpoints } = drop({
    'wsdl/crm/v1/api.wsdl': wsdlOf(['find']),
    'wsdl/crm/v1/api.meta.yaml': `${provider}service_version: v1\n`,
    'wsdl/crm/v2/api.wsdl': wsdlOf(['find']),
    'wsdl/crm/v2/api.meta.yaml': `${provider}service_version: v2\n`,
  })
  deepStrictEqual(warnings, [])
  const called = endpoints().map((endpoint) => [endpoint.service, serviceOf(endpoint).at(-1)?.[1]])
  deepStrictEqual(called, [
    ['v1-find', 'v1'],
    ['v2-find', 'v2'],
  ])
  const { paths } = JSON.parse(describeEndpoints(endpoints(), '1')) as { paths: object }
  deepStrictEqual(Object.keys(paths), ['/crm/v1-find', '/crm/v2-find'])
})
