/** An answer of 1 MB with the rows of a register, and its translation, both from the same formulas. */

interface Document {
  readonly xml: string
  readonly json: string
  /** Start tags, end tags and texts. */
  readonly events: number
}

const megabyte = 1_000_000
/** Two tags for each of the five elements around the rows, and one text. */
const outerEvents = 2 * 5 + 1

export function registerAnswer(): Document {
  const rows: string[] = []
  const values: object[] = []
  let events = outerEvents
  for (let bytes = 0, n = 0; bytes < megabyte; n++) {
    const row = rowXml(n)
    bytes += Buffer.byteLength(row)
    rows.push(row)
    values.push(rowValue(n))
    events += n % 7 === 0 ? 27 : 29
  }
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xro="http://x-road.eu/xsd/xroad.xsd">
  <soapenv:Header>
    <xro:protocolVersion>4.0</xro:protocolVersion>
  </soapenv:Header>
  <soapenv:Body>
    <prod:personsResponse xmlns:prod="http://register.x-road.eu">
${rows.join('')}    </prod:personsResponse>
  </soapenv:Body>
</soapenv:Envelope>
`
  const body = { 'prod:personsResponse': { '@xmlns:prod': 'http://register.x-road.eu', 'prod:person': values } }
  const json = JSON.stringify({ body, headers: { 'xro:protocolVersion': '4.0' } })
  return { xml, json, events }
}

/** Every seventh row has an empty note, the others one with an attribute and a text. */
function rowXml(n: number): string {
  const note = n % 7 === 0 ? '<prod:note/>' : `<prod:note lang="et">Märkus ${n}: helistati tagasi</prod:note>`
  return `      <prod:person>
        <prod:code>${38_001_010_000 + n}</prod:code>
        <prod:givenName>Mari-Liis</prod:givenName>
        <prod:surname>Kõrgesaar &amp; ${n}</prod:surname>
        <prod:isAlive>${n % 3 !== 0}</prod:isAlive>
        <prod:children>${n % 4}</prod:children>
        <prod:share>0.${n}</prod:share>
        <prod:address>Harju maakond, Tallinn, Õunapuu tn ${n}-1</prod:address>
        <prod:validFrom>2026-01-01T00:00:00+02:00</prod:validFrom>
        ${note}
      </prod:person>
`
}

function rowValue(n: number): object {
  return {
    'prod:code': 38_001_010_000 + n,
    'prod:givenName': 'Mari-Liis',
    'prod:surname': `Kõrgesaar & ${n}`,
    'prod:isAlive': n % 3 !== 0,
    'prod:children': n % 4,
    'prod:share': `0.${n}`,
    'prod:address': `Harju maakond, Tallinn, Õunapuu tn ${n}-1`,
    'prod:validFrom': '2026-01-01T00:00:00+02:00',
    'prod:note': n % 7 === 0 ? null : { '@lang': 'et', '#text': `Märkus ${n}: helistati tagasi` },
  }
}
