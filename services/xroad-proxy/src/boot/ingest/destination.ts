/**
 * Whom the generated operations of a WSDL call: its own address, the one of its sidecar, or the X-Road service behind
 * the Security Server. guard/address.ts judges addresses; this file decides what follows from a rejection. Pure.
 */
import type { Identity } from '../../model.ts'
import { type AddressRules, judgeAddress } from '../../guard/address.ts'
import type { Operation } from '../../wsdl/operations/operations.ts'
import type { Destination } from '../../wsdl/dsl/write.ts'
import type { ServiceId } from '../../wsdl/dsl/header-template.ts'
import type { NamedClient } from '../config/client-fields.ts'
import type { Provider, Sidecar } from './sidecar.ts'

export interface Circumstances extends AddressRules {
  /** `client_data` */
  readonly client: Identity
  /** Those that sidecars may name besides. */
  readonly clients?: readonly NamedClient[]
}

/** Both are the end of sentences that begin with the file. */
export interface Chosen {
  readonly to: Destination
  readonly warnings: readonly string[]
}

/** Without a sidecar the address of the operation's port counts, with one only what the sidecar says. */
export function chooseDestination(operation: Operation, sidecar: Sidecar | undefined, rules: Circumstances): Chosen {
  const service = toService(operation, sidecar, rules.client)
  const fallback: Destination = { kind: 'securityServer', service }
  const address = sidecar === undefined ? operation.address : sidecar.serviceUrl
  const verdict = address === undefined ? ({ kind: 'security_server' } as const) : judgeAddress(address, rules)
  switch (verdict.kind) {
    case 'direct':
      return { to: verdict, warnings: [] }
    case 'security_server':
      return { to: fallback, warnings: headerWarnings(sidecar, service) }
    case 'rejected': {
      const source = sidecar === undefined ? 'the address' : 'service_url of the sidecar'
      const rejection = `${source} ${shown(address)} ${verdict.reason}; the calls go through the Security Server`
      return { to: fallback, warnings: [rejection, ...headerWarnings(sidecar, service)] }
    }
  }
}

/** What a sidecar without a provider leaves open is our own, with which it would have to agree anyway. */
function toService(operation: Operation, sidecar: Sidecar | undefined, client: Identity): ServiceId {
  const { name } = operation
  return {
    ...memberOf(sidecar, client),
    serviceCode: sidecar?.serviceCode ?? name,
    serviceVersion: versionOf(operation, sidecar),
  }
}

function memberOf(sidecar: Sidecar | undefined, client: Identity): Provider {
  const { provider } = sidecar ?? {}
  if (provider !== undefined) return provider
  return {
    xroadInstance: '',
    memberClass: sidecar?.memberClass ?? client.memberClass,
    memberCode: sidecar?.memberCode ?? client.memberCode,
    subsystemCode: sidecar?.subsystemCode ?? client.subsystemCode,
  }
}

/** What is closest to the operation counts; an empty text says that there is none. */
function versionOf({ name, version }: Operation, sidecar: Sidecar | undefined): string | undefined {
  const ofOperation = sidecar !== undefined && Object.hasOwn(sidecar.serviceVersions, name)
  const given = ofOperation ? sidecar.serviceVersions[name] : sidecar?.serviceVersion
  return (given ?? version) || undefined
}

function headerWarnings(sidecar: Sidecar | undefined, { memberClass, memberCode }: ServiceId): readonly string[] {
  if (sidecar === undefined) {
    return [
      'the X-Road header needs a sidecar that says whose service this is, with provider: {member_class, member_code, subsystem_code} in <name>.meta.yaml; without one it names client_data',
    ]
  }
  const missing = [...(memberClass === '' ? ['member_class'] : []), ...(memberCode === '' ? ['member_code'] : [])]
  if (missing.length === 0) return []
  return [`the X-Road header is incomplete: neither the sidecar nor client_data says ${missing.join(' and ')}`]
}

const maxShownCharacters = 200

/** Without a password that may be in it. */
function shown(address: string = ''): string {
  return JSON.stringify(address.slice(0, maxShownCharacters).replace(/\/\/[^/?#]*@/, '//'))
}
