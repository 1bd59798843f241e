/**
 * One endpoint -> whom to ask whether it may be called, and the answer -> a verdict with its reason. Decides nothing
 * that the provider does not say: if a list does not show the rights, the verdict is `unknown`. Pure.
 */
import type { Config } from '../../boot/config/schema.ts'
import type { Endpoint, Identity, RestEndpoint, SoapEndpoint } from '../../model.ts'
import { toClientElement, toName } from '../../xroad.ts'
import { readServiceHeader, type Service } from '../../metadata/responses.ts'

export interface Provider {
  /** Lane and identifier, for one question to each. */
  readonly key: string
  readonly lane: Endpoint['kind']
  readonly identity: Identity
}

export interface Verdict {
  readonly verdict: 'allowed' | 'not allowed' | 'unknown'
  readonly reason: string
  /** What is not there at all, whoever asks: the provider, or the version of the service. */
  readonly lacking?: 'provider' | 'version' | undefined
}

export type Question = { readonly endpoint: Endpoint } & (
  | { readonly kind: 'settled'; readonly verdict: Verdict }
  | { readonly kind: 'open'; readonly provider: Provider; readonly call: Call }
)

/** What the endpoint would call at the provider. */
export interface Call {
  readonly code: string
  readonly version: string
  readonly methods: readonly string[]
  /** With a value for each parameter. */
  readonly path: string
}

/** Stands for whatever a caller may send: no provider lists it by name. */
const anyValue = 'any-value'

function toExamplePath(path: string): string {
  return path.replaceAll(/\{[^{}]*\+\}/g, `${anyValue}/${anyValue}`).replaceAll(/\{[^{}]*\}/g, anyValue)
}

/** What is known of a provider after asking. */
export type ProviderAnswer =
  | {
      readonly kind: 'services'
      /** Those that this client may call. */
      readonly services: readonly Service[]
      readonly isOfMock: boolean
      /** All of them; undefined when it was not asked for, or the provider did not say. */
      readonly offered: readonly Service[] | undefined
    }
  | { readonly kind: 'unregistered' }
  | { readonly kind: 'failed'; readonly problem: string }

/** Those that a Security Server answers itself, for each of its clients. */
const metaServices: ReadonlySet<string> = new Set(['listMethods', 'allowedMethods', 'getWsdl', 'getOpenAPI'])

export function toQuestion(endpoint: Endpoint, settings: Config): Question {
  switch (endpoint.kind) {
    case 'rest':
      return askRest(endpoint, settings.instance)
    case 'soap':
      return askSoap(endpoint, settings)
  }
}

export function judge(question: Question, answerOf: (provider: Provider) => ProviderAnswer): Verdict {
  if (question.kind === 'settled') return question.verdict
  const { provider, call } = question
  const answer = answerOf(provider)
  const name = toName(provider.identity)
  switch (answer.kind) {
    case 'unregistered':
      return { verdict: 'not allowed', lacking: 'provider', reason: `the instance has no client ${name}` }
    case 'failed':
      return { verdict: 'unknown', reason: `${name} did not say what is allowed: ${answer.problem}` }
    case 'services': {
      const verdict = judgeCall(call, provider, answer)
      return verdict.verdict !== 'allowed' && answer.isOfMock ? byMock : verdict
    }
  }
}

const byMock: Verdict = { verdict: 'allowed', reason: 'this is the mock, which answers every service code' }

function askRest(endpoint: RestEndpoint, instance: string): Question {
  const { target, methods } = endpoint
  const { xroadInstance, memberClass, memberCode, subsystemCode, serviceCode: code, path } = target
  if ([memberClass, memberCode, subsystemCode, code].includes('')) {
    return settled(endpoint, 'unknown', 'its target is not complete')
  }
  const identity = { instance: xroadInstance || instance, memberClass, memberCode, subsystemCode }
  return open(endpoint, identity, { code, version: '', methods, path: toExamplePath(path) })
}

function askSoap(endpoint: SoapEndpoint, settings: Config): Question {
  if (endpoint.url !== undefined) return settled(endpoint, 'unknown', 'a direct call, X-Road has no say in it')
  const service = serviceOf(endpoint, settings)
  if (service === undefined) {
    return settled(endpoint, 'unknown', 'its envelope without any values has no X-Road service header')
  }
  const { code, version, ...identity } = service
  const { instance, memberClass, memberCode } = identity
  if (!metaServices.has(code) && [instance, memberClass, memberCode, code].includes('')) {
    return settled(endpoint, 'unknown', 'which service it calls depends on the request')
  }
  return open(endpoint, identity, { code, version, methods: [], path: '' })
}

/** The envelope as it is without any values of a caller. */
function serviceOf({ envelope }: SoapEndpoint, settings: Config): ReturnType<typeof readServiceHeader> {
  const { client, instance, protocolVersion } = settings
  const generated = { uuid: 'doctor', instance, client: toClientElement(client), protocol_version: protocolVersion }
  try {
    return readServiceHeader(envelope.render({}, generated))
  } catch {
    return undefined
  }
}

function settled(endpoint: Endpoint, verdict: Verdict['verdict'], reason: string): Question {
  return { endpoint, kind: 'settled', verdict: { verdict, reason } }
}

function open(endpoint: Endpoint, identity: Identity, call: Call): Question {
  if (metaServices.has(call.code)) {
    return settled(endpoint, 'allowed', `${call.code} is a metadata service, open to every client`)
  }
  const key = JSON.stringify([endpoint.kind, identity])
  return { endpoint, kind: 'open', provider: { key, lane: endpoint.kind, identity }, call }
}

/** Whether a SOAP service is on a list in the version that is called. */
export function isAmong(services: readonly Service[], { code, version }: Pick<Call, 'code' | 'version'>): boolean {
  return services.some((service) => service.code === code && service.version === version)
}

type Services = Extract<ProviderAnswer, { kind: 'services' }>

function judgeCall(call: Call, { lane, identity }: Provider, { services, offered }: Services): Verdict {
  const named = services.filter(({ code }) => code === call.code)
  const service = named.find(({ version }) => lane === 'rest' || version === call.version)
  if (service !== undefined) return lane === 'soap' ? whole : judgeEndpoint(call, service)
  const provider = toName(identity)
  const shown = call.version === '' ? call.code : `${call.code} ${call.version}`
  const others = (offered ?? []).filter(({ code }) => code === call.code)
  // What is allowed is there, whatever the list of all says.
  for (const each of named) if (!isAmong(others, each)) others.push(each)
  if (offered !== undefined && others.length > 0 && !isAmong(others, call)) {
    const reason = `${provider} has no ${call.version === '' ? `${call.code} without a version` : shown}`
    return {
      verdict: 'not allowed',
      lacking: 'version',
      reason: `${reason}; it has ${call.code} ${versionsOf(others)}`,
    }
  }
  const allowed = named.length === 0 ? '' : ` (allowed is ${call.code} ${versionsOf(named)})`
  return { verdict: 'not allowed', reason: `${provider} does not list ${shown} for this client${allowed}` }
}

function versionsOf(services: readonly Service[]): string {
  return services.map(({ version }) => version || 'without version').join(', ')
}

const whole: Verdict = { verdict: 'allowed', reason: 'the provider lists the service for this client' }

function judgeEndpoint({ methods, path, code }: Call, { endpoints }: Service): Verdict {
  if (endpoints.length === 0) return whole
  const found = methods.map((method) =>
    endpoints.find((endpoint) => isMethod(endpoint.method, method) && isOnPath(endpoint.path, path)),
  )
  const missing = methods.filter((_, at) => found[at] === undefined)
  if (missing.length === 0) {
    const named = found.map((endpoint) => `${endpoint?.method} ${endpoint?.path}`)
    return { verdict: 'allowed', reason: `the provider lists ${[...new Set(named)].join(', ')} for this client` }
  }
  // With rights to the whole service a call may also go where the description of the service ends.
  const shown = `${missing.join(', ')} ${path.replaceAll(anyValue, '*') || 'without a path'}`
  const reason = `the provider lists ${code} for this client, but ${shown} is not among its endpoints`
  return { verdict: 'unknown', reason }
}

function isMethod(listed: string, method: string): boolean {
  return listed === '*' || listed.toUpperCase() === method
}

/**
 * As a Security Server compares them: `*` takes the rest of a segment, `**` anything, a backslash takes the meaning
 * away. By hand, because a pattern of the provider's making could keep a regular expression busy for ever.
 */
export function isOnPath(glob: string, path: string): boolean {
  let ends = [0]
  for (const [piece] of glob.matchAll(/\\[*\\]|\*+|[^]/g)) ends = advance(ends, piece, path)
  return ends.includes(path.length)
}

/** The places where a match of the pattern so far may end, from those where it might before this piece. */
function advance(starts: readonly number[], piece: string, path: string): number[] {
  const [first] = starts
  if (first === undefined) return []
  if (piece === '*') return [...new Set(starts.map((start) => endOfSegment(path, start)))]
  if (piece.startsWith('**')) return Array.from({ length: path.length - first + 1 }, (_, index) => first + index)
  return starts.filter((start) => path[start] === piece.at(-1)).map((start) => start + 1)
}

function endOfSegment(path: string, start: number): number {
  const slash = path.indexOf('/', start)
  return slash === -1 ? path.length : slash
}
