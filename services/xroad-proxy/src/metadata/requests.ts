/**
 * Requests for the metadata services that are called by SOAP: who asks whom for what in, the text of an envelope out.
 * Pure.
 */
import type { Identity } from '../model.ts'
import { toClientElement } from '../xroad.ts'

export interface SoapRequest {
  readonly provider: Identity
  readonly client: Identity
  readonly id: string
  readonly protocolVersion: string
  readonly service: 'listMethods' | 'allowedMethods' | 'getWsdl'
  /** Names and texts of what is in the body, in order; without those that are empty. */
  readonly body?: readonly (readonly [name: string, text: string])[]
}

export function toEnvelope({ provider, client, id, protocolVersion, service, body = [] }: SoapRequest): string {
  const { instance, memberClass, memberCode, subsystemCode } = provider
  const names = elements('id', [
    ['xRoadInstance', instance],
    ['memberClass', memberClass],
    ['memberCode', memberCode],
    ['subsystemCode', subsystemCode],
    ['serviceCode', service],
  ])
  const content = elements('xroad', body)
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"' +
    ' xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers">' +
    `<soapenv:Header>${toClientElement(client)}<xroad:service id:objectType="SERVICE">${names}</xroad:service>` +
    `<xroad:id>${id}</xroad:id><xroad:protocolVersion>${protocolVersion}</xroad:protocolVersion></soapenv:Header>` +
    `<soapenv:Body>${content === '' ? `<xroad:${service}/>` : `<xroad:${service}>${content}</xroad:${service}>`}` +
    '</soapenv:Body></soapenv:Envelope>'
  )
}

function elements(prefix: string, named: readonly (readonly [name: string, text: string])[]): string {
  return named
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `<${prefix}:${name}>${escapeText(text)}</${prefix}:${name}>`)
    .join('')
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeText(text: string): string {
  return text.replaceAll(/[&<>]/g, (found) => escapes[found] ?? found)
}
