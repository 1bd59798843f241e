/**
 * WSDLs for tests: from a folder of cases/wsdl, or made around a schema; what comes of their operations; envelopes
 * filled in.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { readParams } from '../../../src/soap/request/params.ts'
import type { TemplateObject } from '../../../src/model.ts'
import { readWsdl, type Wsdl } from '../../../src/wsdl/operations/operations.ts'
import type { OutlineElement } from '../../../src/wsdl/outline/outline.ts'
import type { SkippedOperation } from '../../../src/wsdl/operations/reasons.ts'
import type { Resolve } from '../../../src/wsdl/schema/schema.ts'
import { type Destination, type GeneratedDsl, generateDsl } from '../../../src/wsdl/dsl/write.ts'

export const securityServer: Destination = {
  kind: 'securityServer',
  service: {
    xroadInstance: '',
    memberClass: 'GOV',
    memberCode: '70000001',
    subsystemCode: 'register',
    serviceCode: 'service',
    serviceVersion: undefined,
  },
}

/** Files of the folder and nothing else. */
export function resolveIn(folder: string): Resolve {
  return (location) => {
    const file = location.replace(/^\.\//, '')
    const path = join(folder, file)
    return /^[\w.-]+$/.test(file) && existsSync(path) ? { file, bytes: readFileSync(path) } : undefined
  }
}

export const noFiles: Resolve = () => undefined

/** Every operation: generated, or why not. */
export function generateAll(wsdl: Wsdl, to: Destination = securityServer): (GeneratedDsl | SkippedOperation)[] {
  return wsdl.operations.map((operation) => {
    if (operation.kind === 'skipped') return operation
    if (to.kind === 'direct') return generateDsl(wsdl, operation, to)
    const service = { ...to.service, serviceCode: operation.name, serviceVersion: operation.version }
    return generateDsl(wsdl, operation, { ...to, service })
  })
}

/** A WSDL with one operation, `op`, whose request is the element `op` of the schema. */
export function wsdlAround(schema: string, attributes = ''): string {
  return `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
<wsdl:types><x:schema targetNamespace="urn:t" ${attributes}>${schema}</x:schema></wsdl:types>
<wsdl:message name="m"><wsdl:part name="p" element="t:op"/></wsdl:message>
<wsdl:message name="r"><wsdl:part name="p" element="t:opResponse"/></wsdl:message>
<wsdl:portType name="pt"><wsdl:operation name="op"><wsdl:input message="t:m"/><wsdl:output message="t:r"/></wsdl:operation></wsdl:portType>
<wsdl:binding name="b" type="t:pt"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<wsdl:operation name="op"><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation></wsdl:binding>
</wsdl:definitions>`
}

/** A WSDL with one operation, `op`, in RPC style, whose request has these parts. */
export function rpcAround(parts: string, schema = '', attributes = '', body = 'namespace="urn:body"'): string {
  return wsdlAround(schema, attributes)
    .replace(/<wsdl:part name="p" element="t:op"\/>/, parts)
    .replace('<soap:binding ', '<soap:binding style="rpc" ')
    .replace('<soap:body use="literal"/>', `<soap:body use="literal" ${body}/>`)
}

export function readText(text: string): Wsdl {
  return readWsdl(new TextEncoder().encode(text), 'owner/api.wsdl', noFiles)
}

/** What the answer of the one operation of `wsdlAround` holds. */
export function outputOf({ outline }: Wsdl): OutlineElement {
  const element = outline.element('{urn:t}opResponse')
  if (element === undefined) throw new Error('the schema has no opResponse')
  return element
}

/** What became of the one operation of `wsdlAround`. */
export function generateAround(schema: string, attributes = ''): GeneratedDsl | SkippedOperation {
  const [first] = generateAll(readText(wsdlAround(schema, attributes)))
  if (first === undefined) throw new Error('the WSDL has no operation')
  return first
}

/** Bodies in, envelopes out: who fills in one DSL file many times has it read and compiled once. */
export function rendererOf(dsl: string): (sent: TemplateObject, userId?: string) => string {
  const { endpoint } = readDsl(dsl, { file: 'generated.yml', group: 'group', service: 'service' })
  if (endpoint.kind !== 'soap') throw new Error('a generated file is a SOAP file')
  const generated = { uuid: 'uuid', instance: 'ee-test', client: '<xroad:client/>', protocol_version: '4.0' }
  return (sent, userId) => {
    const values = readParams(Buffer.from(JSON.stringify(sent)), endpoint.params)
    return endpoint.envelope.render(values, userId === undefined ? generated : { ...generated, user_id: userId }, {
      attach: (helper, value) => standIns[helper](value),
    })
  }
}

/** The envelope of a DSL file for a body, keys outside `params` dropped. */
export function renderDsl(dsl: string, sent: TemplateObject, userId?: string): string {
  return rendererOf(dsl)(sent, userId)
}

/** What the schema of a message sees of an attachment: receivers put what an xop:Include names in its place. */
const standIns: Readonly<Record<'swa_ref' | 'xop_include' | 'mime_part', (value: unknown) => string>> = {
  swa_ref: (value) => (value === undefined ? '' : 'cid:1'),
  xop_include: (value) => (typeof value === 'string' ? value : ''),
  mime_part: () => '',
}

/** What stands in the body of an envelope, without the white space between tags. */
export function bodyOf(envelope: string): string {
  const body = /<soapenv:Body>([\s\S]*)<\/soapenv:Body>/.exec(envelope)?.[1] ?? ''
  return body.replace(/>\s+</g, '><').trim()
}
