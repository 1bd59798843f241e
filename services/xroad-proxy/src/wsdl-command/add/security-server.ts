/**
 * What a provider offers, from the Security Server: an address of services in, their WSDLs out, each once, with what the
 * provider says of their versions. Asks `listMethods` and `getWsdl`, and no service. What is not to be had is an `AddProblem`.
 */
import { createHash } from 'node:crypto'
import { nearest } from '@services/config-file'
import type { SecurityServer } from '../../metadata/security-server.ts'
import type { Service } from '../../metadata/answers.ts'
import type { Identity } from '../../model.ts'
import type { Wsdl } from '../../wsdl/operations/operations.ts'
import { AddProblem } from './add-problem.ts'
import { checkWsdl, safeName } from './gather.ts'
import type { ServiceAddress } from './service-address.ts'

export interface OfferedWsdl {
  readonly name: string
  readonly bytes: Uint8Array
  /** The service that it was asked for. */
  readonly service: ServiceName
  readonly wsdl: Wsdl
  /** Operations that the provider has in another version than the WSDL says. */
  readonly versions: Readonly<Record<string, string>>
}

export interface ServiceName {
  readonly code: string
  /** Empty where there is none. */
  readonly version: string
}

/** Of one run. */
const limits = { services: 1000, seconds: 300, bytes: 64 * 1024 * 1024 }

export async function takeOffered(server: SecurityServer, address: ServiceAddress): Promise<readonly OfferedWsdl[]> {
  const { provider, service, version } = address
  const wanted =
    service !== undefined && version !== undefined ? [{ code: service, version }] : await listWanted(server, address)
  const until = performance.now() + limits.seconds * 1000
  let bytesLeft = limits.bytes
  const found = new Map<string, { first: ServiceName; bytes: Uint8Array; wsdl: Wsdl }>()
  for (const each of wanted) {
    if ([...found.values()].some(({ wsdl }) => holds(wsdl, each))) continue
    if (performance.now() > until) throw new AddProblem(`the provider took more than ${limits.seconds} s for its WSDLs`)
    const bytes = await takeOne(server, provider, each, wanted.length > 1)
    const digest = createHash('sha256').update(bytes).digest('hex')
    if (found.has(digest)) continue
    bytesLeft -= bytes.length
    if (bytesLeft < 0) throw new AddProblem(`the WSDLs of ${shown(provider)} are larger than ${limits.bytes} bytes`)
    const wsdl = checkWsdl({ bytes, name: nameOf(each) }, `the WSDL of ${inWords(each)}`)
    found.set(digest, { first: each, bytes, wsdl })
  }
  return Array.from(found.values(), ({ first, bytes, wsdl }) => {
    return { name: nameOf(first), bytes, service: first, wsdl, versions: differing(wsdl, wanted) }
  })
}

/** Whether a service is an operation of a WSDL that is there already. */
function holds({ operations }: Wsdl, { code, version }: ServiceName): boolean {
  return operations.some((it) => it.kind === 'operation' && it.name === code && (it.version ?? '') === version)
}

/** X-Road made its services of the WSDL at some time; what it says now counts, where it says anything. */
function differing({ operations }: Wsdl, services: readonly ServiceName[]): Readonly<Record<string, string>> {
  const versions = operations.flatMap((it) => {
    if (it.kind !== 'operation') return []
    const listed = services.filter(({ code, version }) => code === it.name && version !== '')
    const [first] = listed
    if (first === undefined || listed.some(({ version }) => version === it.version)) return []
    return [[it.name, first.version] as const]
  })
  return Object.fromEntries(versions)
}

/** Each service once, in order of code and version. */
async function listWanted(
  server: SecurityServer,
  { provider, service }: ServiceAddress,
): Promise<readonly ServiceName[]> {
  const soap = await server.listMethods('listMethods', 'soap', provider)
  if (soap.value === undefined) throw unlisted(provider, soap.problem)
  const { services } = soap.value
  const named = service === undefined ? services : services.filter(({ code }) => code === service)
  if (named.length === 0) throw await explainNone(server, { provider, service }, services)
  const unique = new Map(named.map(({ code, version }) => [JSON.stringify([code, version]), { code, version }]))
  if (unique.size > limits.services) {
    throw new AddProblem(
      `${shown(provider)} has more than ${limits.services} services; name one: ${shown(provider)}/SERVICE`,
    )
  }
  return [...unique.values()].sort((a, b) => compare.compare(a.code, b.code) || compare.compare(a.version, b.version))
}

/** v2 stands before v10. */
const compare = new Intl.Collator('en', { numeric: true })

async function explainNone(
  server: SecurityServer,
  { provider, service }: Pick<ServiceAddress, 'provider' | 'service'>,
  soap: readonly Service[],
): Promise<AddProblem> {
  const rest = (await server.listMethods('listMethods', 'rest', provider)).value?.services ?? []
  const name = shown(provider)
  if (service === undefined) {
    const others = rest.length === 0 ? '' : `; its REST services are ${listOf(rest)}: write a DSL file for each`
    return new AddProblem(`${name} has no SOAP service${others}`)
  }
  if (rest.some(({ code }) => code === service)) {
    return new AddProblem(
      `${service} of ${name} is a REST service and has no WSDL; write a DSL file of kind rest for it`,
    )
  }
  const all = [...soap, ...rest]
  const meant = nearest(
    service,
    all.map(({ code }) => code),
  )
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const offers = all.length === 0 ? '' : ` (it has ${listOf(all)})`
  return new AddProblem(`${name} has no service ${service}${offers}${hint}`)
}

const maxListed = 10

function listOf(services: readonly Service[]): string {
  const codes = [...new Set(services.map(({ code }) => code))]
  const more = codes.length > maxListed ? ` and ${codes.length - maxListed} more` : ''
  return `${codes.slice(0, maxListed).join(', ')}${more}`
}

function unlisted(provider: Identity, problem = 'no answer'): AddProblem {
  return new AddProblem(`the Security Server does not list the services of ${shown(provider)}: ${problem}`)
}

async function takeOne(
  server: SecurityServer,
  provider: Identity,
  service: ServiceName,
  isOneOfSeveral: boolean,
): Promise<Uint8Array> {
  const { value, problem = 'no answer' } = await server.getWsdl(provider, service.code, service.version)
  if (value !== undefined) return value
  const cure = isOneOfSeveral
    ? `; name the services that you need one by one: ${shown(provider)}/SERVICE`
    : await explainRefusal(server, provider, service, problem)
  throw new AddProblem(
    `the Security Server does not give the WSDL of ${inWords(service)} of ${shown(provider)}: ${problem}${cure}`,
  )
}

/** What may help, as the end of a sentence. */
async function explainRefusal(
  server: SecurityServer,
  provider: Identity,
  { code, version }: ServiceName,
  problem: string,
): Promise<string> {
  if (/invalid_?service_?type/i.test(problem)) {
    return '; REST services have no WSDL and no version: write a DSL file of kind rest for it'
  }
  const services = (await server.listMethods('listMethods', 'soap', provider)).value?.services ?? []
  const versions = services.filter((each) => each.code === code).map((each) => each.version || 'no version')
  if (versions.length > 0 && !versions.includes(version || 'no version')) {
    return `; the provider has ${code} in ${versions.join(', ')}`
  }
  const meant =
    versions.length > 0
      ? undefined
      : nearest(
          code,
          services.map((each) => each.code),
        )
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

function inWords({ code, version }: ServiceName): string {
  return version === '' ? code : `${code} ${version}`
}

function shown({ instance, memberClass, memberCode, subsystemCode }: Identity): string {
  return [instance, memberClass, memberCode, subsystemCode].filter(Boolean).join('/')
}

/** Others have named the service: what cannot stand in a name is told apart by a digest. */
function nameOf({ code, version }: ServiceName): string {
  const name = version === '' ? code : `${code}.${version}`
  const safe = safeName(name)
  const isSame = safe === name && /^[A-Za-z0-9_]/.test(safe)
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${isSame ? safe : `service_${safe.slice(0, 80)}_${digest}`}.wsdl`
}
