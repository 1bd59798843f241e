/** What callers of the proxy get when the Security Server or a service fails, by the failures that the mock has. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../part.ts'
import { shown } from '../programs.ts'
import { startMock } from '../running/mock.ts'
import { askAll, type Question, withService } from '../running/service.ts'

const codes = [
  'request',
  'fault.server.serverproxy.unknown_service',
  'fault.client.invalid_soap',
  'fault12.Server.ServerProxy.AccessDenied',
  'provider-fault',
  ...[200, 204, 301, 400, 401, 404, 429, 500, 503, 599].map((status) => `status.${status}`),
  'slow-headers',
  'stalled-body',
  'oversized',
  'large.20000',
  'large-chunked.20000',
  'compressed',
  'truncated',
  'truncated-chunked',
  'reset',
  'reset-before-answer',
  'malformed',
  'malformed-http',
  'redirect',
  'wrong-charset',
  'latin1',
  'doctype',
  'entity',
  'deep',
  'many-events',
  'empty',
  'multipart',
  'repeat-headers',
  'nowhere',
].map((name) => `mock.${name}`)

/** REST passes on 64 MiB, and compressed text whose address depends on the port. */
const soapOnly = new Set(['mock.oversized', 'mock.compressed'])

export const failures: Part = {
  name: 'failures of services',
  async run(side, recording) {
    const cwd = join(side.folder, 'failures')
    for (const name of ['DSL/soap', 'DSL/rest', 'DSL/direct', 'answers'])
      mkdirSync(join(cwd, name), { recursive: true })
    cpSync(side.certificates, join(cwd, '.data'), { recursive: true })
    const args = ['--folder', '.data', '--answers', 'answers', '--service-port', '0']
    const mock = await startMock(side, cwd, args)
    const questions: Question[] = []
    for (const [index, code] of codes.entries()) {
      const files: [string, object][] = [
        [`soap/f${index}`, { method: 'POST', params: ['x'], envelope: soapEnvelope(code) }],
        [`direct/f${index}`, { ...direct, service: `http://127.0.0.1:${mock.servicePort}/${code}` }],
      ]
      if (!soapOnly.has(code)) files.push([`rest/f${index}`, { kind: 'rest', method: 'POST', target: targetOf(code) }])
      for (const [path, file] of files) {
        writeFileSync(join(cwd, 'DSL', `${path}.yml`), JSON.stringify(file))
        // An answer that is cut off may end within the id.
        const headers = { 'Content-Type': 'application/json', 'X-Road-Id': `compare-${index}` }
        questions.push({ title: `${path} ${code}`, method: 'POST', path: `/${path}`, headers, body: '{"x": "1"}' })
      }
    }
    const config = {
      host: '127.0.0.1',
      port: 0,
      dsl_path: 'DSL',
      admin: { bind: '127.0.0.1:0' },
      audit: { file: 'audit.jsonl' },
      client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
      security_server: {
        url: `https://127.0.0.1:${mock.port}`,
        keystore_path: '.data/client.p12',
        trust_ca_path: '.data/ca.pem',
      },
      limits: { request_timeout_secs: 2, max_response_bytes: 1_048_576 },
    }
    writeFileSync(join(cwd, 'proxy.yaml'), JSON.stringify(config))
    const given = {
      side,
      recording,
      service: 'xroad-proxy',
      args: ['--config', 'proxy.yaml'],
      title: 'proxy',
      cwd,
    } as const
    await withService(given, async (running) => {
      await askAll(running, recording, questions)
      recording.addText('log', 'mock: log', 'xroad-proxy mock', shown(await mock.stop()))
      await askAll(running, recording, questions.slice(0, 3).map(afterwards))
    })
  },
}

function afterwards({ title, ...question }: Question): Question {
  return { title: `${title} without a Security Server`, ...question }
}

const direct = {
  method: 'POST',
  params: ['x'],
  envelope:
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><op><x>{{x}}</x></op></e:Body></e:Envelope>',
}

function targetOf(code: string): object {
  return { member_class: 'GOV', member_code: '70000001', subsystem_code: 'sub', service_code: code }
}

function soapEnvelope(code: string): string {
  const member = '<id:xRoadInstance>ee-test</id:xRoadInstance><id:memberClass>GOV</id:memberClass>'
  return `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xroad="http://x-road.eu/xsd/xroad.xsd"
  xmlns:id="http://x-road.eu/xsd/identifiers"><e:Header>{{{generate.client}}}
<xroad:service id:objectType="SERVICE">${member}<id:memberCode>70000001</id:memberCode><id:subsystemCode>sub</id:subsystemCode><id:serviceCode>${code}</id:serviceCode></xroad:service>
<xroad:id>{{generate.uuid}}</xroad:id><xroad:protocolVersion>4.0</xroad:protocolVersion></e:Header>
<e:Body><op><x>{{x}}</x></op></e:Body></e:Envelope>`
}
