/** What the doctor says of a WSDL whose sidecar names another member, and that its cure works. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder, writeFiles } from '@services/testing'
import { runChecks } from '../src/doctor/checks.ts'
import { gatherFacts } from '../src/doctor/facts.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { findWsdls } from '../src/doctor/wsdl-facts.ts'
import { demo, drop, wsdlOf } from './support/wsdl-folder.ts'

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
  const facts = gatherFacts({ flag: undefined, env: {}, cwd: folder, now: new Date(), wsdlFindings: findWsdls })
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
