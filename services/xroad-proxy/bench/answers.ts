/**
 * What the upstream answers, and what has to come of it: all from the same formulas, and nothing from any contender. A
 * person is known by a number from 0 to 99, so that no answer can stand in for another one.
 */
import { createHash } from 'node:crypto'

export const persons: readonly number[] = Array.from({ length: 100 }, (_, n) => n)

const largeBytes = 100 * 1024
const savedBytes = 1024

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function toCode(n: number): string {
  return String(38_001_010_000 + n)
}

/** About 200 bytes. */
export function smallAnswer(n: number): string {
  return JSON.stringify({
    code: toCode(n),
    name: `Mari-Liis Kõrgesaar ${n}`,
    isAlive: n % 3 !== 0,
    address: { street: 'Õunapuu', house: n + 1, postcode: postcode(n) },
    notes: ['called back', 'answered "yes"'],
  })
}

/** A body of 1 KB. */
export function savedBody(n: number): string {
  const start = JSON.stringify({ code: toCode(n), text: '' }).slice(0, -'"}'.length)
  return `${start.padEnd(savedBytes - '"}'.length, 'lorem ipsum dolor ')}"}`
}

export function savedAnswer(n: number): string {
  return `{"saved":"${toCode(n)}"}`
}

export function largeAnswer(): string {
  const rows: string[] = []
  for (let bytes = 0, n = 0; bytes < largeBytes; n++) {
    const row = smallAnswer(n)
    bytes += Buffer.byteLength(row) + 1
    rows.push(row)
  }
  return `[${rows.join(',')}]`
}

/** About 1.5 KB, laid out as register software does it. */
export function soapAnswer(n: number): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xro="http://x-road.eu/xsd/xroad.xsd" xmlns:iden="http://x-road.eu/xsd/identifiers">
  <soapenv:Header>
    <xro:client iden:objectType="SUBSYSTEM">
      <iden:xRoadInstance>ee-test</iden:xRoadInstance>
      <iden:memberClass>GOV</iden:memberClass>
      <iden:memberCode>70000001</iden:memberCode>
      <iden:subsystemCode>bench</iden:subsystemCode>
    </xro:client>
    <xro:protocolVersion>4.0</xro:protocolVersion>
  </soapenv:Header>
  <soapenv:Body>
    <prod:personResponse xmlns:prod="http://register.x-road.eu">
      <prod:code>${toCode(n)}</prod:code>
      <prod:givenName>Mari-Liis</prod:givenName>
      <prod:surname>Kõrgesaar &amp; ${n}</prod:surname>
      <prod:isAlive>${n % 3 !== 0}</prod:isAlive>
${[0, 1].map((index) => addressXml(n + index)).join('\n')}
    </prod:personResponse>
  </soapenv:Body>
</soapenv:Envelope>
`
}

function addressXml(n: number): string {
  return `      <prod:address>
        <prod:street>Õunapuu</prod:street>
        <prod:house>${n + 1}</prod:house>
        <prod:postcode>${postcode(n)}</prod:postcode>
      </prod:address>`
}

/** The translation of the whole answer. */
export function personJson(n: number): string {
  const headers = {
    'xro:client': {
      '@iden:objectType': 'SUBSYSTEM',
      'iden:xRoadInstance': 'ee-test',
      'iden:memberClass': 'GOV',
      'iden:memberCode': 70_000_001,
      'iden:subsystemCode': 'bench',
    },
    'xro:protocolVersion': '4.0',
  }
  const body = {
    'prod:personResponse': {
      '@xmlns:prod': 'http://register.x-road.eu',
      'prod:code': Number(toCode(n)),
      'prod:givenName': 'Mari-Liis',
      'prod:surname': `Kõrgesaar & ${n}`,
      'prod:isAlive': n % 3 !== 0,
      'prod:address': [0, 1].map((index) => ({
        'prod:street': 'Õunapuu',
        'prod:house': n + index + 1,
        'prod:postcode': postcode(n + index),
      })),
    },
  }
  return JSON.stringify({ body, headers })
}

/** What a client made from person.wsdl returns: the content of the response, without prefixes. */
export function personResult(n: number): string {
  return JSON.stringify({
    code: Number(toCode(n)),
    givenName: 'Mari-Liis',
    surname: `Kõrgesaar & ${n}`,
    isAlive: n % 3 !== 0,
    address: [0, 1].map((index) => ({ street: 'Õunapuu', house: n + index + 1, postcode: postcode(n + index) })),
  })
}

/** With a leading zero, so it is text. */
function postcode(n: number): string {
  return `0${1000 + n}`
}
