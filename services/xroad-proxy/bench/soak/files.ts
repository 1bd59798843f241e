/** The DSL files of a soak, and what the upstream does wrong on demand. */

const target = { member_class: 'GOV', member_code: '70000001', subsystem_code: 'soak' }

export function restFile(method: string, service_code: string): string {
  return JSON.stringify({ kind: 'rest', method, allowed_query_params: ['id'], target: { ...target, service_code } })
}

/** `service_code` is the name of the element in its body too. */
export function soapFile(service_code: string): string {
  const envelope = `<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers" xmlns:s="urn:soak">
  <SOAP-ENV:Header>
    {{{generate.client}}}
    <xroad:service id:objectType="SERVICE">
      <id:xRoadInstance>ee-test</id:xRoadInstance><id:memberClass>GOV</id:memberClass><id:memberCode>70000001</id:memberCode>
      <id:subsystemCode>soak</id:subsystemCode><id:serviceCode>${service_code}</id:serviceCode>
    </xroad:service>
    <xroad:id>{{generate.uuid}}</xroad:id>
    <xroad:protocolVersion>4.0</xroad:protocolVersion>
  </SOAP-ENV:Header>
  <SOAP-ENV:Body><s:${service_code}><s:code>{{code}}</s:code></s:${service_code}></SOAP-ENV:Body>
</SOAP-ENV:Envelope>
`
  return JSON.stringify({ kind: 'soap', method: 'POST', params: ['code'], envelope })
}

/** What goes wrong, and the answers that are right then; none where the answer breaks off. */
export const failing: readonly { readonly name: string; readonly statuses: readonly number[] }[] = [
  { name: 'reset-before-answer', statuses: [500] },
  { name: 'reset', statuses: [500] },
  { name: 'truncated', statuses: [500] },
  { name: 'truncated-chunked', statuses: [500] },
  { name: 'stalled-body', statuses: [504] },
  { name: 'slow-headers', statuses: [504] },
  { name: 'malformed-http', statuses: [500] },
  { name: 'oversized', statuses: [502] },
  { name: 'status.503', statuses: [503] },
]
