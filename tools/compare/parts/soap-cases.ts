/**
 * The cases of the proxy: whole SOAP calls, answers as XML alone, answers with the types of their schema, and WSDLs
 * with calls of their operations. Cases of one kind and configuration share a process.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../part.ts'
import type { Recording } from '../recording.ts'
import { repository, type Side } from '../sides.ts'
import { recordFiles } from '../running/files.ts'
import { type Proxy, withProxy } from '../running/proxy.ts'
import { askAll } from '../running/service.ts'
import { toAnswer, toEnvelope } from '../running/upstream.ts'

export const soapCases: Part = {
  name: 'SOAP cases',
  async run(side, recording) {
    const groups = Map.groupBy(casesOf('soap'), ({ given }) => JSON.stringify(given.config ?? {}))
    for (const [index, group] of [...groups.values()].entries()) await runSoap(side, recording, group, index)
    await runXml(side, recording)
    await runTyped(side, recording)
    await runWsdl(side, recording)
  },
}

interface Given {
  readonly status?: number
  readonly answerStatus?: number
  readonly answerType?: string
  readonly contentType?: string
  readonly attributes?: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly calls?: readonly { readonly operation: string; readonly send: object }[]
}

interface Case {
  readonly name: string
  readonly given: Given
  /** Files of the folder. */
  readonly files: Readonly<Record<string, Buffer>>
}

function casesOf(kind: string): Case[] {
  const root = join(repository, 'services/xroad-proxy/test/cases', kind)
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'case.json')))
    .map(({ name }) => {
      const names = readdirSync(join(root, name)).toSorted()
      const files = Object.fromEntries(names.map((each) => [each, readFileSync(join(root, name, each))]))
      return { name, files, given: JSON.parse(String(files['case.json'])) as Given }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

async function runSoap(side: Side, recording: Recording, cases: readonly Case[], index: number): Promise<void> {
  const title = `soap ${index}`
  const { config = {} } = cases[0]?.given ?? {}
  const dsl = (direct: string): Record<string, string> =>
    Object.fromEntries(
      cases.map(({ name, files }) => [
        `cases/${name}.yml`,
        String(files['dsl.yml']).replace('http://upstream.test', direct),
      ]),
    )
  const format = index % 2 === 0 ? 'text' : 'json'
  await withProxy({ side, recording, title, dsl, config, format }, async (proxy) => {
    for (const { name, given, files } of cases) {
      const { answerStatus: status, answerType: type } = given
      const answer = toAnswer(files['answer.xml'] ?? '', { status, type })
      await call(proxy, recording, {
        title: `soap/${name}`,
        path: `/cases/${name}`,
        body: files['request.json'] ?? '',
        answer,
      })
    }
    await describeAll(proxy, recording, title)
  })
}

/** Without a body, what the DSL file says has no part in the answer. */
async function runXml(side: Side, recording: Recording): Promise<void> {
  const cases = casesOf('xml')
  const dsl = (direct: string): Record<string, string> => ({
    'cases/any.yml': JSON.stringify({ method: 'POST', service: direct, envelope: toEnvelope('<x/>') }),
  })
  await withProxy({ side, recording, title: 'xml', dsl }, async (proxy) => {
    for (const { name, given, files } of cases) {
      const answer = toAnswer(files['answer.xml'] ?? '', { type: given.contentType })
      await call(proxy, recording, { title: `xml/${name}`, path: '/cases/any', body: '{}', answer })
    }
  })
}

async function runTyped(side: Side, recording: Recording): Promise<void> {
  const cases = casesOf('schema-response')
  const wsdl: Record<string, string> = {}
  for (const { name, given, files } of cases) {
    wsdl[`${name}/api.wsdl`] = wsdlAround(String(files['types.xsd']), given.attributes)
    wsdl[`${name}/api.meta.yaml`] = 'response: schema\n'
  }
  await withProxy({ side, recording, title: 'typed', dsl: () => ({}), wsdl }, async (proxy) => {
    for (const { name, files } of cases) {
      const text = String(files['answer.xml']).trim()
      const answer = toAnswer(text.startsWith('<?xml') ? text : toEnvelope(text))
      await call(proxy, recording, { title: `typed/${name}`, path: `/${name}/op`, body: '{}', answer })
    }
    await describeAll(proxy, recording, 'typed')
  })
}

async function runWsdl(side: Side, recording: Recording): Promise<void> {
  const cases = casesOf('wsdl')
  const wsdl: Record<string, Buffer | string> = {}
  for (const { name, files } of cases) {
    for (const [file, content] of Object.entries(files))
      if (/\.(wsdl|xsd)$/.test(file)) wsdl[`${name}/${file}`] = content
    wsdl[`${name}/api.meta.yaml`] = 'provider: {member_class: GOV, member_code: "70000001", subsystem_code: register}\n'
  }
  await withProxy({ side, recording, title: 'wsdl', dsl: () => ({}), wsdl }, async (proxy) => {
    const answer = toAnswer(toEnvelope('<ok/>'))
    for (const { name, given } of cases) {
      for (const { operation, send } of given.calls ?? []) {
        await call(proxy, recording, {
          title: `wsdl/${name}`,
          path: `/${name}/${operation}`,
          body: JSON.stringify(send),
          answer,
        })
      }
    }
    await describeAll(proxy, recording, 'wsdl')
  })
}

interface Call {
  readonly title: string
  readonly path: string
  readonly body: string | Buffer
  readonly answer: Buffer
}

async function call(proxy: Proxy, recording: Recording, { title, path, body, answer }: Call): Promise<void> {
  const { running, security, direct } = proxy
  Object.assign(security, { answer })
  Object.assign(direct, { answer })
  await askAll(running, recording, [{ title, method: 'POST', path, body }])
  security.record(recording, title)
  direct.record(recording, title)
}

/** The description of the endpoints, and the files that were generated for them. */
async function describeAll({ running, folder }: Proxy, recording: Recording, title: string): Promise<void> {
  const pages = ['/api', '/openapi.json', '/docs', '/health', '/nowhere'].map((path) => ({
    title: `${title} ${path}`,
    method: 'GET',
    path,
  }))
  await askAll(running, recording, pages)
  recordFiles(recording, title, join(folder, 'DSL'))
}

/** A WSDL with one operation, `op`, whose answer is the element `opResponse` of the schema. */
function wsdlAround(schema: string, attributes: string = ''): string {
  return `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
<wsdl:types><x:schema targetNamespace="urn:t" ${attributes}>${schema}<x:element name="op"/></x:schema></wsdl:types>
<wsdl:message name="m"><wsdl:part name="p" element="t:op"/></wsdl:message>
<wsdl:message name="r"><wsdl:part name="p" element="t:opResponse"/></wsdl:message>
<wsdl:portType name="pt"><wsdl:operation name="op"><wsdl:input message="t:m"/><wsdl:output message="t:r"/></wsdl:operation></wsdl:portType>
<wsdl:binding name="b" type="t:pt"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<wsdl:operation name="op"><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation></wsdl:binding>
</wsdl:definitions>`
}
