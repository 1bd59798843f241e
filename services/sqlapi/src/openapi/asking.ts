/**
 * Asks the databases what the endpoints take and give, in the background: a portion of files at a time, so that
 * requests are not kept from a connection for long. What is known so far can be read at any moment.
 */
import { type EndpointTypes, toEndpointTypes } from '../endpoint-types/endpoint-types.ts'
import type { Endpoint, Script } from '../model.ts'
import type { Database } from '../database/database.ts'

export interface AskingOptions {
  /** Those that nobody knows yet. */
  readonly endpoints: Iterable<Endpoint>
  /** Project -> the name of its datasource. */
  readonly datasourceOf: (project: string) => { readonly name: string } | undefined
  readonly databases: ReadonlyMap<string, Database>
  /** What is known already; asking adds to it. */
  readonly types: Map<Endpoint, EndpointTypes>
}

/** Files that one connection is asked about in a row. */
const portion = 25

export interface Asked {
  /** Datasources that could not be asked, with the reason. */
  readonly failed: ReadonlyMap<string, Error>
}

/** Asks each datasource about all of its files. Never rejects; ends early when `signal` is aborted. */
export async function askDatabases(options: AskingOptions, signal: AbortSignal): Promise<Asked> {
  const failed = new Map<string, Error>()
  const asked = Array.from(byDatasource(options), async ([name, endpoints]) => {
    try {
      await askOne(options.databases.get(name) as Database, endpoints, options.types, signal)
    } catch (error) {
      failed.set(name, error as Error)
    }
  })
  await Promise.all(asked)
  return { failed }
}

function byDatasource({ endpoints, datasourceOf, types }: AskingOptions): Map<string, Endpoint[]> {
  const groups = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) {
    const name = types.has(endpoint) ? undefined : datasourceOf(endpoint.project)?.name
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), endpoint])
  }
  return groups
}

async function askOne(
  database: Database,
  endpoints: readonly Endpoint[],
  types: Map<Endpoint, EndpointTypes>,
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < endpoints.length && !signal.aborted; from += portion) {
    const some = endpoints.slice(from, from + portion)
    const scripts = some.map(({ scripts }) => scripts[database.dialect] as Script)
    const descriptions = await database.describe(scripts)
    for (const [index, endpoint] of some.entries()) {
      types.set(endpoint, toEndpointTypes(scripts[index] as Script, descriptions[index] ?? []))
    }
  }
}
