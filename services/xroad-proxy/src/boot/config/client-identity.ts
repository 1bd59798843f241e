/**
 * Who calls: the identity that a file names. And endpoints that name their client to X-Road although the configuration
 * does not say who it is: which endpoints these are, and the warning about them. X-Road refuses a client without member
 * class or member code: the service sends no envelope for one, and a REST call gets the refusal of the Security Server.
 */
import { nearest, toFieldName } from '@services/config-file'
import type { Endpoint, Identity } from '../../model.ts'
import type { NamedClient } from './client-fields.ts'
import type { Config } from './schema.ts'

/** Names that files may have for a client. */
export function namesOf({ clients }: Pick<Config, 'clients'>): readonly string[] {
  return clients.map(({ name }) => name)
}

/** Who calls under this name of `clients`, or by `client_data`; undefined where there is no such name. */
export function identityOf(
  { client, clients }: { readonly client: Identity; readonly clients: readonly NamedClient[] },
  name: string | undefined,
): Identity | undefined {
  return name === undefined ? client : clients.find((known) => known.name === name)?.identity
}

export interface ClientKeystore extends Pick<NamedClient, 'keystorePath' | 'keystorePasswordEnv'> {
  readonly keystorePasswordFile: string | undefined
  /** `security_server`, or `clients.<name>`. */
  readonly section: string
  readonly trustCaPath: string | undefined
}

/** The keystore of the same, with its section of the configuration; undefined without a Security Server. */
export function keystoreOf(
  { securityServer, clients }: Pick<Config, 'securityServer' | 'clients'>,
  name: string | undefined,
): ClientKeystore | undefined {
  if (securityServer === undefined) return undefined
  const { trustCaPath } = securityServer
  const section = name === undefined ? 'security_server' : toFieldName(['clients', name])
  const named = name === undefined ? securityServer : clients.find((known) => known.name === name)
  if (named === undefined) return undefined
  const { keystorePath, keystorePasswordEnv, keystorePasswordFile } = named
  return { section, keystorePath, keystorePasswordEnv, keystorePasswordFile, trustCaPath }
}

/** That `clients` has no such name, as the end of a message about the field. */
export function tellStranger(name: string, known: readonly string[]): string {
  const found = `found ${JSON.stringify(name.slice(0, maxShownLength))}`
  if (known.length === 0) return `${found}, but the configuration has no clients`
  const meant = nearest(name, known)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return `${found}, expected a name of clients in the configuration: ${known.join(', ')}${hint}`
}

const maxShownLength = 64

/** What `client_data` has to say; without a subsystem the member itself calls. */
export function missingParts({ memberClass, memberCode }: Identity): readonly string[] {
  const isBlank = (code: string): boolean => code.trim() === ''
  return [...(isBlank(memberClass) ? ['member_class'] : []), ...(isBlank(memberCode) ? ['member_code'] : [])]
}

/** All that need that of `client_data`, where it says nothing. */
export function endpointsWithoutClient(endpoints: readonly Endpoint[], client: Identity): readonly Endpoint[] {
  if (missingParts(client).length === 0) return []
  return endpoints.filter(
    (endpoint) => endpoint.client === undefined && (endpoint.kind === 'rest' || endpoint.envelope.namesClient),
  )
}

const lanes = {
  soap: { name: 'SOAP', effect: 'no envelope is sent for them, calls are answered with internal_error' },
  rest: { name: 'REST', effect: 'the Security Server refuses their calls' },
} as const

/** One text for each lane. */
export function tellWithoutClient(endpoints: readonly Endpoint[], client: Identity): readonly string[] {
  const missing = missingParts(client).map((part) => `client_data.${part}`)
  const empty = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} empty`
  return Array.from(
    Map.groupBy(endpoints, ({ kind }) => kind),
    ([kind, found]) => {
      const { name, effect } = lanes[kind]
      const count = found.length === 1 ? `1 ${name} endpoint needs` : `${found.length} ${name} endpoints need`
      return `${empty}, and ${count} to say who calls: ${nameEndpoints(found, 10)}; ${effect}`
    },
  )
}

/** Their paths, `most` of them. */
export function nameEndpoints(
  endpoints: readonly Pick<Endpoint, 'group' | 'service' | 'path'>[],
  most: number,
): string {
  const named = endpoints.slice(0, most).map(({ group, service, path }) => `/${group}/${service}${path}`)
  const more = endpoints.length - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}
