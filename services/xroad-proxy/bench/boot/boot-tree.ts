/**
 * Generates a tree of DSL files like the real ones: two SOAP files for each REST file, envelopes of about 1.5 KB with
 * six placeholders and some more inputs in every fifth. The same files each time.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Tree {
  readonly files: number
  readonly bytes: number
}

const filesPerFolder = 50
const subjects = ['person', 'vehicle', 'company', 'permit', 'allowance', 'land-plot', 'school', 'prescription']

export function writeTree(folder: string, files: number): Tree {
  let bytes = 0
  for (let n = 0; n < files; n++) {
    const subject = subjects[n % subjects.length]!
    const text = n % 3 === 2 ? restFile(n, subject) : soapFile(n, subject)
    const file = join(folder, `register-${Math.floor(n / filesPerFolder)}`, `get-${subject}-${n}.yml`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    bytes += Buffer.byteLength(text)
  }
  return { files, bytes }
}

function restFile(n: number, subject: string): string {
  const filter = n % 2 === 0 ? 'allowed_query_params: [code, page, page_size]\n' : ''
  return `# One ${subject}, number ${n}.
kind: rest
method: ${n % 4 === 0 ? 'POST' : 'GET'}
target:
  member_class: GOV
  member_code: "${70_000_000 + n}"
  subsystem_code: register
  service_code: ${subject}
  path: /v1/${subject}s
${filter}`
}

function soapFile(n: number, subject: string): string {
  const more = n % 5 === 0 ? 4 : 0
  const params = ['code', 'purpose', ...Array.from({ length: more }, (_, index) => `field${index}`)]
  const inputs = params.map((name) => `        <prod:${name}>{{${name}}}</prod:${name}>\n`)
  return `# One ${subject}, number ${n}.
params: [${params.join(', ')}]
method: POST
envelope: |
  <?xml version="1.0" encoding="UTF-8"?>
  <soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
                    xmlns:xroad="http://x-road.eu/xsd/xroad.xsd"
                    xmlns:id="http://x-road.eu/xsd/identifiers"
                    xmlns:prod="http://${subject}.x-road.eu">
    <soapenv:Header>
      {{{generate.client}}}
      <xroad:service id:objectType="SERVICE">
        <id:xRoadInstance>{{generate.instance}}</id:xRoadInstance>
        <id:memberClass>GOV</id:memberClass>
        <id:memberCode>${70_000_000 + n}</id:memberCode>
        <id:subsystemCode>register</id:subsystemCode>
        <id:serviceCode>${subject}</id:serviceCode>
        <id:serviceVersion>v1</id:serviceVersion>
      </xroad:service>
      <xroad:userId>EE38001010000</xroad:userId>
      <xroad:issue>The office of ${subject} matters, request number ${n}</xroad:issue>
      <xroad:id>{{generate.uuid}}</xroad:id>
      <xroad:protocolVersion>{{generate.protocol_version}}</xroad:protocolVersion>
    </soapenv:Header>
    <soapenv:Body>
      <prod:${subject}>
${inputs.join('')}        <prod:language>et</prod:language>
        <prod:onlyCurrent>true</prod:onlyCurrent>
      </prod:${subject}>
    </soapenv:Body>
  </soapenv:Envelope>
`
}
