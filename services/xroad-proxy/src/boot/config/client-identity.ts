/**
 * Endpoints that name their client to X-Road although the configuration does not say who it is: which endpoints these are, and
 * the warning about them. X-Road refuses a client without member class or member code: the service sends no envelope for one, and
 * a REST call gets the refusal of the Security Server.
 */
import type { Endpoint, Identity } from '../../model.ts'

/** What `client_data` has to say; without a subsystem the member itself calls. */
export function missingParts({ memberClass, memberCode }: Identity): readonly string[] {
  const isBlank = (code: string): boolean => code.trim() === ''
  return [...(isBlank(memberClass) ? ['member_class'] : []), ...(isBlank(memberCode) ? ['member_code'] : [])]
}

/** All that need an identity, where the configuration has none. */
export function endpointsWithoutClient(endpoints: readonly Endpoint[], client: Identity): readonly Endpoint[] {
  if (missingParts(client).length === 0) return []
  return endpoints.filter((endpoint) => endpoint.kind === 'rest' || endpoint.envelope.namesClient)
}

const lanes = {
  soap: { name: 'SOAP', effect: 'no envelope is sent for them, calls are answered with internal_error' },
  rest: { name: 'REST', effect: 'the Security Server refuses their calls' },
} as const
const maxNamed = 10

/** One text for each lane. */
export function tellWithoutClient(endpoints: readonly Endpoint[], client: Identity): readonly string[] {
  const missing = missingParts(client).map((part) => `client_data.${part}`)
  const empty = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} empty`
  return Array.from(
    Map.groupBy(endpoints, ({ kind }) => kind),
    ([kind, found]) => {
      const { name, effect } = lanes[kind]
      const count = found.length === 1 ? `1 ${name} endpoint needs` : `${found.length} ${name} endpoints need`
      return `${empty}, and ${count} to say who calls: ${nameEndpoints(found)}; ${effect}`
    },
  )
}

export function nameEndpoints(endpoints: readonly Pick<Endpoint, 'group' | 'service'>[]): string {
  const named = endpoints.slice(0, maxNamed).map(({ group, service }) => `/${group}/${service}`)
  const more = endpoints.length - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}
