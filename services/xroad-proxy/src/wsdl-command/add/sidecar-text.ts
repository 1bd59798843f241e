/**
 * What is known of the provider -> the text of a sidecar. Which fields there are belongs to boot/ingest/sidecar.ts.
 * Pure.
 */
import type { Identity } from '../../model.ts'

export interface SidecarContent {
  readonly provider: Identity
  /** Left out where it is that of the provider: a folder may then move from a test instance to another one. */
  readonly ownInstance: string
  /** Who calls, by a name of `clients`. */
  readonly client: string | undefined
  readonly serviceVersion?: string | undefined
  readonly serviceVersions?: Readonly<Record<string, string>>
}

export function writeSidecar(content: SidecarContent): string {
  const { provider, ownInstance, client, serviceVersion, serviceVersions = {} } = content
  const { instance, memberClass, memberCode, subsystemCode } = provider
  const versions = Object.entries(serviceVersions).sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = [
    '# Whose service the WSDL beside this file describes; written by xroad-proxy wsdl add.',
    'provider:',
    ...(instance === ownInstance ? [] : [`  xroad_instance: ${quoted(instance)}`]),
    `  member_class: ${quoted(memberClass)}`,
    `  member_code: ${quoted(memberCode)}`,
    `  subsystem_code: ${quoted(subsystemCode)}`,
    ...(client === undefined ? [] : [`client: ${quoted(client)}`]),
    ...(serviceVersion === undefined ? [] : [`service_version: ${quoted(serviceVersion)}`]),
    ...(versions.length === 0 ? [] : ['service_versions:']),
    ...versions.map(([operation, version]) => `  ${quoted(operation)}: ${quoted(version)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** Every text in JSON's quotes is the same text in YAML. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed())
}
