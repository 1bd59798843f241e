/**
 * What a provider offers, from the Security Server: an address of services in, their WSDLs out, each once, with what
 * the provider says of their versions, and the OpenAPI descriptions of REST services. Asks `listMethods`, `getWsdl` and
 * `getOpenAPI`, and no service. What cannot be had is an `AddProblem`.
 */
import { createHash } from 'node:crypto'
import { nearest } from '@services/config-file'
import type { SecurityServer } from '../../metadata/security-server.ts'
import type { Service } from '../../metadata/responses.ts'
import type { Identity } from '../../model.ts'
import type { Wsdl } from '../../wsdl/operations/operations.ts'
import { AddProblem } from './add-problem.ts'
import type { OfferedDescription } from './descriptions.ts'
import { checkWsdl, fileNameOf } from './gather.ts'
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

export interface Offered {
  readonly wsdls: readonly OfferedWsdl[]
  readonly descriptions: readonly OfferedDescription[]
  /** Services that are left out, and why; whole sentences. */
  readonly notes: readonly string[]
}

/** What to ask for, by the lists of the provider. */
interface Wanted {
  readonly soap: readonly ServiceName[]
  /** Codes of REST services that have a description. */
  readonly rest: readonly string[]
  readonly notes: readonly string[]
}

export async function takeOffered(server: SecurityServer, address: ServiceAddress): Promise<Offered> {
  const { provider, service, version } = address
  const { soap, rest, notes } =
    service !== undefined && version !== undefined
      ? { soap: [{ code: service, version }], rest: [], notes: [] }
      : await listWanted(server, address)
  const isSeveral = soap.length + rest.length > 1
  const budget = new Budget(shown(provider))
  const wsdls = await takeWsdls(soap, (each) => takeOne(server, provider, each, isSeveral), budget)
  const descriptions: OfferedDescription[] = []
  for (const code of rest) {
    budget.checkTime()
    const { value, problem = 'no answer' } = await server.getOpenApi(provider, code)
    if (value === undefined) {
      const cure = isSeveral ? oneByOne(provider) : ''
      throw new AddProblem(
        `the Security Server does not give the description of ${code} of ${shown(provider)}: ${problem}${cure}`,
      )
    }
    budget.take(value.length)
    descriptions.push({ service: code, bytes: value })
  }
  return { wsdls, descriptions, notes }
}

/** What a provider may make one run cost. */
class Budget {
  readonly #provider: string
  readonly #until = performance.now() + limits.seconds * 1000
  #bytesLeft = limits.bytes

  constructor(provider: string) {
    this.#provider = provider
  }

  checkTime(): void {
    if (performance.now() <= this.#until) return
    throw new AddProblem(`the descriptions of ${this.#provider} took more than ${limits.seconds} s`)
  }

  take(bytes: number): void {
    this.#bytesLeft -= bytes
    if (this.#bytesLeft >= 0) return
    throw new AddProblem(`the descriptions of ${this.#provider} are larger than ${limits.bytes} bytes`)
  }
}

async function takeWsdls(
  wanted: readonly ServiceName[],
  take: (service: ServiceName) => Promise<Uint8Array>,
  budget: Budget,
): Promise<readonly OfferedWsdl[]> {
  const found = new Map<string, { first: ServiceName; bytes: Uint8Array; wsdl: Wsdl }>()
  for (const each of wanted) {
    if ([...found.values()].some(({ wsdl }) => holds(wsdl, each))) continue
    budget.checkTime()
    const bytes = await take(each)
    const digest = createHash('sha256').update(bytes).digest('hex')
    if (found.has(digest)) continue
    budget.take(bytes.length)
    const wsdl = checkWsdl({ bytes, name: nameOf(each) }, `the WSDL of ${inWords(each)}`)
    found.set(digest, { first: each, bytes, wsdl })
  }
  return Array.from(found.values(), ({ first, bytes, wsdl }) => {
    return { name: nameOf(first), bytes, service: first, wsdl, versions: differing(wsdl, wanted) }
  })
}

/** Whether a service is an operation of a WSDL that is there already. */
function holds({ operations }: Wsdl, { code, version }: ServiceName): boolean {
  return operations.some(
    (operation) => operation.kind === 'operation' && operation.name === code && (operation.version ?? '') === version,
  )
}

/** X-Road made its services of the WSDL at some time; what it says now counts, where it says anything. */
function differing({ operations }: Wsdl, services: readonly ServiceName[]): Readonly<Record<string, string>> {
  const versions = operations.flatMap((operation) => {
    if (operation.kind !== 'operation') return []
    const listed = services.filter(({ code, version }) => code === operation.name && version !== '')
    const [first] = listed
    if (first === undefined || listed.some(({ version }) => version === operation.version)) return []
    return [[operation.name, first.version] as const]
  })
  return Object.fromEntries(versions)
}

/** Each service once, in order of code and version. Those of both lanes are taken for SOAP. */
async function listWanted(server: SecurityServer, { provider, service }: ServiceAddress): Promise<Wanted> {
  const listed = await server.listMethods('listMethods', 'soap', provider)
  if (listed.value === undefined) throw unlisted(provider, listed.problem)
  const isNamed = ({ code }: Service): boolean => service === undefined || code === service
  const all = listed.value.services
  const named = all.filter(isNamed)
  const soap = new Map(named.map(({ code, version }) => [JSON.stringify([code, version]), { code, version }]))
  // A Security Server before 6.21 has no REST services.
  const others =
    service !== undefined && soap.size > 0
      ? []
      : ((await server.listMethods('listMethods', 'rest', provider)).value?.services ?? [])
  const rest = others.filter((each) => isNamed(each) && !all.some(({ code }) => code === each.code))
  const described = new Set(rest.flatMap(({ code, type }) => (type === 'OPENAPI' ? [code] : [])))
  const bare = [...new Set(rest.map(({ code }) => code))].filter((code) => !described.has(code))
  if (soap.size + described.size === 0) throw explainNone({ provider, service }, bare, [...all, ...others])
  if (soap.size + described.size > limits.services) {
    const name = shown(provider)
    throw new AddProblem(`${name} has more than ${limits.services} services; name one: ${name}/SERVICE`)
  }
  return {
    soap: [...soap.values()].sort((a, b) => order.compare(a.code, b.code) || order.compare(a.version, b.version)),
    rest: [...described].sort(order.compare),
    notes: bare.map((code) => `${code} is left out: ${noDescription}`),
  }
}

const noDescription = 'it is a REST service without a description; write a DSL file of kind rest for it'

/** v2 is before v10. */
const order = new Intl.Collator('en', { numeric: true })

function explainNone(
  { provider, service }: Pick<ServiceAddress, 'provider' | 'service'>,
  bare: readonly string[],
  all: readonly Service[],
): AddProblem {
  const name = shown(provider)
  if (service !== undefined && bare.length > 0) return new AddProblem(`${service} of ${name}: ${noDescription}`)
  if (service === undefined) {
    const others = bare.length === 0 ? '' : `; its REST services without a description are ${listOf(bare)}`
    return new AddProblem(`${name} has no service with a WSDL or a description${others}`)
  }
  const codes = all.map(({ code }) => code)
  const meant = nearest(service, codes)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const offers = codes.length === 0 ? '' : ` (it has ${listOf(codes)})`
  return new AddProblem(`${name} has no service ${service}${offers}${hint}`)
}

const maxListed = 10

function listOf(given: readonly string[]): string {
  const codes = [...new Set(given)]
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
  const cure = isOneOfSeveral ? oneByOne(provider) : await explainRefusal(server, provider, service, problem)
  throw new AddProblem(
    `the Security Server does not give the WSDL of ${inWords(service)} of ${shown(provider)}: ${problem}${cure}`,
  )
}

function oneByOne(provider: Identity): string {
  return `; name the services that you need one by one: ${shown(provider)}/SERVICE`
}

/** What may help, as the end of a sentence. */
async function explainRefusal(
  server: SecurityServer,
  provider: Identity,
  { code, version }: ServiceName,
  problem: string,
): Promise<string> {
  if (/invalid_?service_?type/i.test(problem)) {
    return `; REST services have no WSDL and no version: leave out /${version}`
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

function nameOf({ code, version }: ServiceName): string {
  return `${fileNameOf(version === '' ? code : `${code}.${version}`)}.wsdl`
}
