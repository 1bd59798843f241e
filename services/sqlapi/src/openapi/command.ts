/**
 * The subcommand `openapi`: flags in, the description on stdout. It asks the databases what the lock file does not say,
 * as the service does, and says on stderr which ones it could not ask; their endpoints are described without types.
 */
import { exitCodes } from '@services/command-line'
import type { OpenApiAction } from '../boot/flags.ts'
import { loadConfig } from '../boot/config/config.ts'
import { loadEndpoints } from '../boot/endpoints.ts'
import { readLockedTypes } from '../boot/locked-types.ts'
import { openDatabase } from '../database/open.ts'
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import { StartupFailure } from '../errors.ts'
import { lockFileName } from '../lock/lock.ts'
import type { Endpoint } from '../model.ts'
import type { Database } from '../database/database.ts'
import { version } from '../version.ts'
import { datasourceFinder } from '../project-datasource.ts'
import { type ApiFacts, toApi } from './api.ts'
import { askDatabases } from './asking.ts'
import { typesOf } from './description.ts'
import { writeDocument } from './document/document.ts'

/** Ready to be read, and to be compared line by line. */
const indent = 2

export async function printDescription({ config: flag }: OpenApiAction): Promise<void> {
  // A reader that closes early, such as `head`, has had enough.
  process.stdout.on('error', () => undefined)
  try {
    const loaded = loadConfig({ flag, env: process.env, cwd: process.cwd() })
    const { config, datasources } = loaded
    const dialects = new Set(datasources.map(({ dialect }) => dialect))
    const endpoints = await loadEndpoints(config.sqlDir, dialects, { origin: loaded.origins['sql_dir'] })
    const facts = { version, config, datasources, endpoints: [...endpoints.values()] }
    const locked = readLockedTypes(loaded, endpoints)
    if (locked.refusal !== undefined) tell(`${lockFileName} is not used: ${locked.refusal}`)
    const types = typesOf(facts.endpoints, locked.types)
    process.stdout.write(`${writeDocument(toApi(facts, await askAll(facts, types)), indent)}\n`)
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    tell(`${error.name}: ${error.message}`)
    process.exitCode = exitCodes.failure
  }
}

/** What nobody knows yet. */
async function askAll(facts: ApiFacts, types: Map<Endpoint, EndpointTypes>): Promise<typeof types> {
  const databases = new Map<string, Database>()
  for (const datasource of facts.datasources) {
    databases.set(datasource.name, await openDatabase({ ...datasource, poolSize: 1 }))
  }
  try {
    const { endpoints } = facts
    const datasourceOf = datasourceFinder(facts)
    const { failed } = await askDatabases({ endpoints, datasourceOf, databases, types }, new AbortController().signal)
    for (const [name, { message }] of failed) tell(`datasource ${name} cannot be asked, types are left out: ${message}`)
    return types
  } finally {
    await Promise.all(Array.from(databases.values(), (database) => database.close()))
  }
}

function tell(problem: string): void {
  process.stderr.write(`sqlapi: ${problem}\n`)
}
