/**
 * What cannot change while the service runs: these fields, and databases in memory, which would be gone with their
 * connections. What was configured before replaces what is configured now, and is reported.
 */
import { type KeptField, keepFields } from '@services/reload'
import type { Datasource, Loaded } from '../boot/config/config.ts'
import { isInMemory } from '../boot/config/url.ts'
import { StartupFailure } from '../errors.ts'

/** As the file spells them. */
const fixedFields: readonly string[] = ['server.bind', 'server.workers', 'server.fast_reader', 'admin.bind']

export function keepFixed(before: Loaded, after: Loaded): { loaded: Loaded; kept: readonly KeptField[] } {
  const change = { before: before.config, after: after.config, origins: after.origins }
  const { config, kept } = keepFields(fixedFields, change)
  const inMemory = new Map(before.datasources.filter(({ url }) => isInMemory(url)).map((each) => [each.name, each]))
  const memories: KeptField[] = []
  const datasources = after.datasources.map((datasource, index): Datasource => {
    const known = inMemory.get(datasource.name)
    if (known === undefined || !isInMemory(datasource.url)) return datasource
    const stays = { ...known, optional: datasource.optional }
    if (JSON.stringify(stays) !== JSON.stringify(datasource)) memories.push(toKept(index, after))
    return stays
  })
  requireShares(config.server.workers, { ...after, datasources })
  return { loaded: { ...after, config, datasources }, kept: [...kept, ...memories] }
}

/** As many processes as there are, not as many as are configured. Throws a StartupFailure. */
function requireShares(workers: number, { datasources, origins }: Loaded): void {
  if (workers === 1) return
  for (const [index, { url, maxConnections }] of datasources.entries()) {
    const field = `datasources[${index}].${isInMemory(url) ? 'url' : 'max_connections'}`
    const cure = `${workers} processes share it until the service is restarted`
    if (isInMemory(url)) refuse(`${origins[field]}: ${field}: a database in memory belongs to one process; ${cure}`)
    if (maxConnections < workers) refuse(`${origins[field]}: ${field}: ${maxConnections} cannot be divided; ${cure}`)
  }
}

function refuse(message: string): never {
  throw new StartupFailure('InvalidConfigurationException', message)
}

function toKept(index: number, { origins }: Loaded): KeptField {
  const field = `datasources[${index}]`
  return {
    field,
    origin: origins[`${field}.name`] ?? 'default',
    configured: 'other settings',
    runs: 'a database in memory, which would be lost',
    cure: 'restart the service to apply it',
  }
}
