/**
 * Files and the datasources on which they run -> what the databases say of each statement. Runs nothing, and leaves
 * nothing behind. A database that cannot be asked keeps nobody else's files from being checked.
 */
import type { Datasource } from '../boot/config/config.ts'
import { maskUrl } from '../boot/config/url.ts'
import { openDatabase, parseScripts } from '../database/open.ts'
import type { CatalogNames, OfflineDescription, StatementDescription, TableScan } from '../description.ts'
import { Failure } from '../errors.ts'
import type { Endpoint, Script, Statement } from '../model.ts'
import type { Database } from '../database/database.ts'
import { explainLoss } from '../reachability.ts'
import { isAboutNames } from './described.ts'

/** What one database has said. */
export interface Asked {
  /** Files that could not be asked about are not in it. */
  readonly descriptions: ReadonlyMap<Endpoint, readonly StatementDescription[]>
  /** What its parser has said, where the database was not asked. */
  readonly parsed?: ReadonlyMap<Endpoint, readonly OfflineDescription[]>
  /** Of statements that can run; only where plans were asked for. */
  readonly scans: ReadonlyMap<Statement, readonly TableScan[]>
  /** Only where a file has named something that does not exist. */
  readonly names: CatalogNames | undefined
  /** Why not all files were asked about, in words. */
  readonly hindrance: string | undefined
}

/** Without asking any database: what the parser of its kind says of each statement. */
export async function parseFiles(
  { dialect }: Datasource,
  endpoints: readonly Endpoint[],
): Promise<ReadonlyMap<Endpoint, readonly OfflineDescription[]>> {
  const parsed = await parseScripts(
    dialect,
    endpoints.map(({ scripts }) => scripts[dialect] as Script),
  )
  return new Map(endpoints.map((endpoint, index) => [endpoint, parsed[index] ?? []]))
}

/** Connections to one database at the same time. */
const maxConnections = 4
/** Files in one question: few enough that all connections have some, many enough that a round trip does not count. */
const portionSize = 25
const connectTimeoutSeconds = 10

export interface AskOptions {
  /** Whether to ask for plans too. */
  readonly explain: boolean
  /** Whether the types of columns do not matter. */
  readonly isRough: boolean
  /** Told how many more files have been asked about. */
  readonly onAsked: (files: number) => void
}

export async function askAbout(
  datasource: Datasource,
  endpoints: readonly Endpoint[],
  options: AskOptions,
): Promise<Asked> {
  const size = Math.min(datasource.maxConnections, maxConnections)
  const database = await openDatabase({
    ...datasource,
    maxConnections: size,
    poolSize: size,
    acquireTimeoutSeconds: connectTimeoutSeconds,
  })
  const descriptions: Descriptions = new Map()
  const scans = new Map<Statement, readonly TableScan[]>()
  let names: CatalogNames | undefined
  let hindrance: string | undefined
  try {
    const portions = inPortions(endpoints, Math.min(portionSize, Math.ceil(endpoints.length / size))).values()
    const lanes = Array.from({ length: size }, async () => {
      for (const portion of portions) {
        await describePortion({ database, endpoints: portion, descriptions }, options)
        if (options.explain) await explainPortion({ database, endpoints: portion, descriptions }, scans)
        options.onAsked(portion.length)
      }
    })
    await Promise.all(lanes)
    // Names are only for cures: a catalogue that cannot be read ends no check.
    if (Array.from(descriptions.values()).some((each) => each.some(isAboutNames)))
      names = await database.names().catch(() => undefined)
  } catch (error) {
    hindrance = `datasource '${datasource.name}' (${maskUrl(datasource.url)}): ${reasonOf(error)}`
  } finally {
    await database.close()
  }
  return { descriptions, scans, names, hindrance }
}

function inPortions<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

type Descriptions = Map<Endpoint, readonly StatementDescription[]>

/** Files that are asked about together; `descriptions` gets what is said of them. */
interface Portion {
  readonly database: Database
  readonly endpoints: readonly Endpoint[]
  readonly descriptions: Descriptions
}

async function describePortion(
  { database, endpoints, descriptions }: Portion,
  { isRough }: Pick<AskOptions, 'isRough'>,
): Promise<void> {
  const scripts = endpoints.map((endpoint) => scriptOf(endpoint, database))
  const described = await database.describe(scripts, { isRough, looksUp: true })
  for (const [index, endpoint] of endpoints.entries()) descriptions.set(endpoint, described[index] ?? [])
}

async function explainPortion(
  { database, endpoints, descriptions }: Portion,
  into: Map<Statement, readonly TableScan[]>,
): Promise<void> {
  const statements = endpoints.flatMap((endpoint) =>
    scriptOf(endpoint, database).statements.filter(
      ({ effect }, index) =>
        (effect === 'read' || effect === 'write') && descriptions.get(endpoint)?.[index]?.outcome === 'described',
    ),
  )
  const plans = await database.plans(statements)
  const failures = new Map<Statement, StatementDescription>()
  for (const [index, statement] of statements.entries()) {
    const { scans = [], failure } = plans[index] ?? {}
    into.set(statement, scans)
    if (failure !== undefined) failures.set(statement, failure)
  }
  if (failures.size === 0) return
  for (const endpoint of endpoints) {
    const all = scriptOf(endpoint, database).statements
    const described = descriptions.get(endpoint) ?? []
    descriptions.set(
      endpoint,
      described.map((description, index) => failures.get(all[index] as Statement) ?? description),
    )
  }
}

/** Files are read for each dialect that some datasource has. */
function scriptOf({ scripts }: Endpoint, { dialect }: Database): Script {
  return scripts[dialect] as Script
}

function reasonOf(error: unknown): string {
  if (error instanceof Failure && (error.reason === 'datasource_unreachable' || error.reason === 'acquire_timeout')) {
    const { reason, cure } = explainLoss(error)
    return cure === undefined ? reason : `${reason}; ${cure}`
  }
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
