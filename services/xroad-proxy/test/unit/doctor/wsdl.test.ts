/** What the doctor says of WSDL files and their sidecars, and that it looks at what the next start makes of them. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder, writeFiles } from '@services/testing'
import { ingestWsdls } from '../../../src/boot/ingest/ingest.ts'
import { runChecks } from '../../../src/doctor/checks.ts'
import { gatherFacts } from '../../../src/doctor/facts/facts.ts'
import type { Finding } from '../../../src/doctor/finding.ts'
import { findWsdls } from '../../../src/doctor/facts/wsdl-facts.ts'
import { codesOf, examine, gather, server, soapFile } from '../../support/doctor.ts'
import { demo, drop, wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const cure =
  'Where the service is your own, make the sidecar and client_data agree; for one of another member write member_class, ' +
  'member_code and subsystem_code below provider:.'

function skippedIn(sidecar: string): readonly Finding[] {
  const folder = newFolder({ 'wsdl/crm/api.wsdl': wsdlOf(['find']), 'wsdl/crm/api.meta.yaml': sidecar })
  const config = {
    dsl_path: join(folder, 'DSL'),
    wsdl_watch_dir: join(folder, 'wsdl'),
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
  }
  writeFiles(folder, { 'proxy.yaml': JSON.stringify(config) })
  const facts = gatherFacts({ flag: undefined, env: {}, cwd: folder, now: new Date(), readWsdls: findWsdls })
  return runChecks(facts).filter(({ code }) => code === 'weak-wsdl-skipped')
}

describe('a sidecar for another member [X29]', () => {
  for (const sidecar of ['member_code: "70000001"\n', 'member_class: COM\n', 'subsystem_code: other\n']) {
    test(`${sidecar.trim()}: the doctor says what to do`, () => {
      const [finding, ...others] = skippedIn(sidecar)
      deepStrictEqual(others, [])
      match(finding!.headline, /its sidecar is for somebody else: .* in client_data$/)
      strictEqual(finding!.recovery, cure)
    })
  }

  test('another problem keeps the cure of its own', () => {
    const [finding] = skippedIn('response: typed\n')
    match(finding!.recovery, /or its sidecar if the message is about that/)
  })

  test('doing what it says gives an endpoint that calls the other member, and keeps it', () => {
    const dropped = drop(
      { 'wsdl/crm/api.wsdl': wsdlOf(['find']), 'wsdl/crm/api.meta.yaml': 'member_code: "70000001"\n' },
      { client: demo },
    )
    match(
      dropped.warnings.join(),
      /no operation of this WSDL is generated; where the service is your own, make the sidecar/,
    )
    deepStrictEqual(dropped.endpoints(), [])
    const provider = 'provider:\n  member_class: GOV\n  member_code: "70000001"\n  subsystem_code: register\n'
    writeFileSync(join(dropped.folder, 'wsdl/crm/api.meta.yaml'), provider)
    deepStrictEqual(dropped.again().warnings, [])
    const [endpoint] = dropped.endpoints()
    ok(endpoint?.kind === 'soap')
    const values = { uuid: 'u', instance: 'EE', client: '<client/>', protocol_version: '4.0' }
    const envelope = endpoint.envelope.render({ a: 'x' }, values)
    match(envelope, /<id:memberCode>70000001<\/id:memberCode>\s*<id:subsystemCode>register</)
    doesNotMatch(envelope, /70000000/)
  })
})

const provider = 'provider: {member_class: GOV, member_code: "70000001", subsystem_code: registry}\n'

describe('what the next start makes of WSDL files', () => {
  const files = { 'wsdl/crm/api.wsdl': wsdlOf(['find']), 'wsdl/crm/api.meta.yaml': `${provider}client: tax\n` }
  const tax = { member_class: 'GOV', member_code: '70000349', subsystem_code: 'tax', keystore_path: '@/tax.p12' }
  const config = { wsdl_watch_dir: '@/wsdl', security_server: server, clients: { tax } }

  test('counts before that start, as if its files were there [P7]', () => {
    const findings = examine({ config, files: { ...files, 'tax.p12': 'text' }, dsl: null })
    const fieldOf = (code: string): string | undefined => findings.find((each) => each.code === code)?.field
    // The start would end here.
    strictEqual(fieldOf('fatal-keystore-unreadable'), 'clients.tax.keystore_path')
    const told = findings.find(({ code }) => code === 'info-validation-off')
    match(told?.headline ?? '', /: \/crm\/find$/)
    match(findings.find(({ code }) => code === 'info-client-identity')?.headline ?? '', /call as it: 1\.$/)
    ok(!codesOf(findings).includes('weak-client-unused'))
  })

  test('is asked about by the probe, for its provider [P7]', () => {
    const { dsl } = gather({ config, files, dsl: { 'g/own.yml': 'method: POST\nenvelope: <e/>\n' } })
    deepStrictEqual(
      dsl.endpoints.map(({ group, service, client }) => [group, service, client]),
      [
        ['crm', 'find', 'tax'],
        ['g', 'own', undefined],
      ],
    )
    const [endpoint] = dsl.endpoints
    ok(endpoint?.kind === 'soap')
    const values = { uuid: 'u', instance: 'EE', client: '<client/>', protocol_version: '4.0' }
    match(endpoint.envelope.render({ a: 'x' }, values), /<id:subsystemCode>registry</)
  })

  test('is without files whose operation is gone, and has changed ones as they will be [P7]', () => {
    const { folder, dsl } = drop(
      { 'wsdl/crm/api.wsdl': wsdlOf(['find', 'gone']), 'wsdl/crm/api.meta.yaml': provider },
      { client: demo },
    )
    writeFiles(folder, {
      'wsdl/crm/api.wsdl': wsdlOf(['find']),
      'wsdl/crm/api.meta.yaml': `${provider}validate_requests: refuse\n`,
      'proxy.yaml': JSON.stringify({ dsl_path: dsl, wsdl_watch_dir: join(folder, 'wsdl') }),
    })
    const facts = gatherFacts({ flag: undefined, env: {}, cwd: folder, now: new Date(), readWsdls: findWsdls })
    deepStrictEqual(
      facts.dsl.endpoints.map((each) => [each.service, each.kind === 'soap' && each.validation]),
      [['find', 'refuse']],
    )
    match(facts.wsdlRemarks.join(), /crm\/gone\.yml: removed, as .*api\.wsdl no longer generates it/)
    // Nothing has happened so far.
    deepStrictEqual(readdirSync(join(dsl, 'crm')).toSorted(), ['find.yml', 'gone.yml'])
  })
})

test('what is wrong with a WSDL is told with its file and line [P7]', () => {
  const repeated = '<x:choice maxOccurs="2"><x:element name="b"/><x:element name="c"/></x:choice>'
  const schema = `<x:complexType name="C"><x:sequence>${repeated}</x:sequence></x:complexType>`
  const findings = examine({
    config: { wsdl_watch_dir: '@/wsdl' },
    files: {
      'wsdl/a/cut.wsdl': `${wsdlOf(['find'], { before: '\n\n' })}<`,
      'wsdl/b/api.wsdl': wsdlOf(['find'], { schema, type: 't:C' }),
      'wsdl/c/api.wsdl': wsdlOf(['find']),
      'wsdl/c/api.meta.yaml': `${provider}timeout_secs: soon\n`,
    },
  }).filter(({ code }) => code === 'weak-wsdl-skipped')
  deepStrictEqual(
    findings.map(({ headline }) => headline.replaceAll(/: \S*(?=wsdl\/)/g, ': ').replace(/^[^:]*: /, '')),
    [
      'wsdl/a/cut.wsdl:14: not well-formed: unexpected end',
      'wsdl/b/api.wsdl:10: operation find has an xsd:choice in its request that may come several times: in find',
      'wsdl/c/api.wsdl: its sidecar cannot be used: wsdl/c/api.meta.yaml:2: timeout_secs: found "soon", expected a whole number from 1 to 86400',
    ],
  )
})

describe('a dsl_path that is not there', () => {
  const own = { 'DSL/g/own.yml': 'method: POST\nenvelope: <e/>\n' }

  test('is told at the start although WSDL files give endpoints, with the directory that is meant [D1.9]', () => {
    const start = (name: string, isDslPathGiven: boolean): string => {
      const folder = newFolder({ 'wsdl/crm/api.wsdl': wsdlOf(['find']), 'wsdl/crm/api.meta.yaml': provider, ...own })
      const options = { dir: join(folder, 'wsdl'), dslPath: join(folder, name), isDslPathGiven }
      const rules = { client: demo, allowHttp: false, hostAllowlist: [] }
      return ingestWsdls({ ...options, ...rules, write: true })
        .warnings.join()
        .replaceAll(`${folder}/`, '')
    }
    const made = 'did not exist; it is made for the files of WSDLs, and there are no other DSL files'
    strictEqual(start('DLS', true), `dsl_path DLS (DLS) ${made}; did you mean DSL?`)
    // The name that nobody has chosen as well, where others lie beside it.
    strictEqual(start('dsl', false), `dsl_path dsl (dsl) ${made}; did you mean DSL?`)
    strictEqual(start('endpoints', true), `dsl_path endpoints (endpoints) ${made}`)
    strictEqual(start('endpoints', false), '')
    strictEqual(start('DSL', true), '')
  })

  test('is told by the doctor, with the directory that is meant [S-doctor.weak-paths-dsl-missing]', () => {
    const findings = examine({ config: { dsl_path: '@/DLS' }, files: own, dsl: null })
    match(findings.find(({ code }) => code === 'weak-paths-dsl-missing')?.headline ?? '', /did you mean .*\/DSL\?$/)
  })
})

const outputToo = '$&<wsdl:output message="t:list"/>'

test('answers that stay plain although types are asked for are told, in the words of the start [X28]', () => {
  const folder = newFolder({
    'wsdl/crm/api.wsdl': wsdlOf(['find', 'list', 'send']).replace('<wsdl:input message="t:find"/>', outputToo),
    'wsdl/crm/api.meta.yaml': provider,
    'DSL/crm/list.yml': soapFile,
    'DSL/a/own.yml': soapFile,
    'DSL/a/asks.yml': `response: schema\n${soapFile}`,
    'DSL/a/plain.yml': `response: plain\n${soapFile}`,
  })
  const told = (soapResponse: string): readonly string[] => {
    const config = {
      dsl_path: join(folder, 'DSL'),
      wsdl_watch_dir: join(folder, 'wsdl'),
      soap_response: soapResponse,
    }
    writeFiles(folder, { 'proxy.yaml': JSON.stringify(config) })
    const facts = gatherFacts({ flag: undefined, env: {}, cwd: folder, now: new Date(), readWsdls: findWsdls })
    const found = runChecks(facts).filter(({ code }) => code === 'weak-dsl-warning')
    return found.map(({ headline }) => headline.slice(headline.indexOf(': ') + 2).replaceAll(join(folder, 'DSL/'), ''))
  }
  const asked = 'a/asks.yml: response: schema needs a WSDL that has this operation; the answer stays plain'
  deepStrictEqual(told('plain'), [asked])
  deepStrictEqual(
    told('schema')
      .map((words) => `${words.split(':')[0]}: ${/ on (.*?):/.exec(words)?.[1] ?? ''}`)
      .toSorted(),
    ['a/asks.yml: ', 'soap_response: a/own.yml', 'soap_response: crm/list.yml', 'soap_response: crm/send.yml'],
  )
})
