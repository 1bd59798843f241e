/**
 * What checking a request costs: a body of 30 params of all sorts, read as it is and held against the types of a WSDL,
 * in one process and in turns. Ends with 1 where the check costs more than the target:
 *
 *   npm run bench:check -- [ROUNDS]
 */
import { median } from '@services/bench'
import { toRequestCheck } from '../src/soap/check/check.ts'
import { CompiledContracts } from '../src/soap/check/compiled-contracts.ts'
import { pickParams, readDocument, readParams } from '../src/soap/request/params.ts'
import { RequestContracts } from '../src/wsdl/description/request-contract.ts'
import { generateAround } from '../test/support/wsdl/wsdl.ts'

const targetMicroseconds = 50
const requests = 20_000

const kinds: readonly (readonly [type: string, facets: string, value: unknown])[] = [
  ['string', '<x:pattern value="[1-6][0-9]{2}(0[1-9]|1[0-2])[0-9]{6}"/>', '38001010000'],
  ['string', '<x:maxLength value="200"/>', 'Mari Maasikas & pojad, Tartu mnt 5'],
  ['date', '', '2026-01-31'],
  ['dateTime', '<x:minInclusive value="2000-01-01T00:00:00Z"/>', '2026-01-31T12:00:00.123+02:00'],
  ['decimal', '<x:totalDigits value="12"/><x:fractionDigits value="2"/>', 12345.67],
  ['int', '<x:minInclusive value="0"/><x:maxInclusive value="1000"/>', 500],
  ['boolean', '', true],
  ['string', ['ET', 'EN', 'RU', 'FI', 'SV'].map((code) => `<x:enumeration value="${code}"/>`).join(''), 'SV'],
  ['token', '<x:pattern value="\\w+(-\\w+)*"/><x:maxLength value="50"/>', 'a-b-c-d-e-f'],
  ['anyURI', '', 'https://example.org/a/b?c=d#e'],
]
const params = [0, 1, 2].flatMap((copy) => kinds.map((kind, index) => [`p${copy}_${index}`, ...kind] as const))
const elements = params.map(
  ([name, type, facets]) =>
    `<x:element name="${name}"><x:simpleType><x:restriction base="x:${type}">${facets}</x:restriction></x:simpleType></x:element>`,
)
const generated = generateAround(
  `<x:element name="op"><x:complexType><x:sequence>${elements.join('')}</x:sequence></x:complexType></x:element><x:element name="opResponse"/>`,
)
if (generated.kind === 'skipped') throw new Error(generated.detail)
const contracts = new RequestContracts()
const root = contracts.add(generated.request)
const check = toRequestCheck(new CompiledContracts(contracts), root, () => undefined)
const names = params.map(([name]) => name)
const body = Buffer.from(JSON.stringify(Object.fromEntries(params.map(([name, , , value]) => [name, value]))))

function readAlone(): void {
  readParams(body, names)
}

function readChecked(): void {
  const document = readDocument(body)
  if (typeof document === 'string' || check(document).length > 0) throw new Error('the body does not fit')
  pickParams(document, names)
}

const rounds = Number(process.argv[2] ?? 9)
const found = { alone: [] as number[], checked: [] as number[] }
for (let round = 0; round <= rounds; round++) {
  const [alone, checked] = [timed(readAlone), timed(readChecked)]
  // The first round warms up.
  if (round === 0) continue
  found.alone.push(alone)
  found.checked.push(checked)
}
const cost = median(found.checked.map((checked, round) => checked - (found.alone[round] ?? 0)))
console.log(
  `${params.length} params, ${body.length} bytes, ${requests} requests a round, ${rounds} rounds, medians in microseconds:`,
)
console.log(`  read ${median(found.alone).toFixed(1)}, read and checked ${median(found.checked).toFixed(1)}`)
console.log(`  the check ${cost.toFixed(1)}, target ${targetMicroseconds}`)
process.exitCode = cost < targetMicroseconds ? 0 : 1

/** Microseconds for one. */
function timed(run: () => void): number {
  const before = process.cpuUsage()
  for (let count = 0; count < requests; count++) run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}
