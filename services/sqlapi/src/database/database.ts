/**
 * How each kind of database is opened: a datasource's settings in, a `Database` out. The other facts about a kind are in
 * dialects.ts.
 */
import type { OfflineDescription } from '../description.ts'
import type { DatasourceMeter, Probe, ReachListener } from '../metering.ts'
import type { Database, Dialect, ResultShapes, Script, Work } from '../model.ts'
import { replicaName } from './postgres/replica-state.ts'
import { optionsOver } from './options-over.ts'
import type { FailureListener } from './statement-failure.ts'
import type { FileChangeReport, GivenUp } from './sqlite/sqlite.ts'

export interface DatasourceOptions {
  readonly name: string
  readonly dialect: Dialect
  /** Connection URL with the credentials. */
  readonly url: string
  /** As configured, for all processes together; shown in messages. */
  readonly maxConnections: number
  /** Most connections of this process. */
  readonly poolSize: number
  readonly acquireTimeoutSeconds: number
  /** PostgreSQL: for each address of a server. */
  readonly connectTimeoutSeconds?: number | undefined
  readonly keepaliveSeconds?: number | undefined
  readonly silenceTimeoutSeconds?: number | undefined
  /** PostgreSQL: connection URLs with the credentials. */
  readonly replicas?: readonly string[] | undefined
  readonly maxReplicaLagBytes?: number | undefined
  /** Longest time that a statement may run; 0 for no limit. */
  readonly statementTimeoutSeconds: number
  /** How some values are written; as specified where it is left out. */
  readonly results?: ResultShapes | undefined
  /** In which times with a zone are written and local ones are read: a name or an offset; UTC where it is left out. */
  readonly timeZone?: string | undefined
  /** Undefined where nobody measures. */
  readonly meter?: DatasourceMeter | undefined
  readonly reach?: ReachListener | undefined
  /** The same for each replica, by its name. */
  readonly meterOf?: ((replica: string) => DatasourceMeter | undefined) | undefined
  /** Called when a replica is no longer used, with the reason, and when it is again. */
  readonly onReplica?: ((report: { readonly replica: string; readonly reason: string | undefined }) => void) | undefined
  /** Called for each piece of stored code that costs every request a reset of its session, once. */
  readonly onSessionCode?: ((finding: { readonly code: string; readonly reason: string }) => void) | undefined
  /** PostgreSQL: whether a pooler in between keeps a connection for one transaction only. */
  readonly pooler?: 'none' | 'transaction' | undefined
  /** PostgreSQL: statements of sampled requests carry their place in the trace as a comment. */
  readonly sqlComment?: boolean | undefined
  /** Called once where such a pooler shows that `pooler` does not name, with the sign. */
  readonly onPooler?: ((sign: string) => void) | undefined
  /** Called for every statement that runs, when statements are logged. */
  readonly onStatement?: ((text: string, values: readonly unknown[], work: Work) => void) | undefined
  /** Called once for each time that the file of a SQLite database was deleted or replaced. */
  readonly onFileChange?: ((change: FileChangeReport) => void) | undefined
  /** Called when a database has refused a statement or given it up. */
  readonly onStatementFailure?: FailureListener
  /** Called when a server has refused to write, so that other ones are looked for. */
  readonly onDemotion?: ((report: { readonly server: string }) => void) | undefined
  /** Called for every statement that SQLite could not be made to end. */
  readonly onGivenUp?: ((report: GivenUp) => void) | undefined
  /** Called when an array parameter has no element type of its own and is sent as JSON. */
  readonly onArrayAsJson?: ((parameter: string, work: Work) => void) | undefined
}

/** Connects to nothing yet: the first request or the probe does. Does not load the code for other kinds of databases. */
export function openDatabase(options: DatasourceOptions): Promise<Database> {
  return openers[options.dialect](options)
}

const openers: Readonly<Record<Dialect, (options: DatasourceOptions) => Promise<Database>>> = {
  async postgres(options) {
    const { replicas = [], maxReplicaLagBytes = Infinity } = options
    if (replicas.length > 0) {
      const { ReplicatedDatabase } = await import('./postgres/replicated.ts')
      return new ReplicatedDatabase(optionsOver(options, { replicas, maxReplicaLagBytes }))
    }
    const { PostgresDatabase } = await import('./postgres/postgres.ts')
    return new PostgresDatabase(options)
  },
  async sqlite(options) {
    const { SqliteDatabase } = await import('./sqlite/sqlite.ts')
    return new SqliteDatabase(options)
  },
}

/** Asks nothing yet. Loads no more than asking takes: the process that does so may be one that serves nothing. */
export function openProbe(
  { dialect, url }: Pick<DatasourceOptions, 'dialect' | 'url'>,
  timeoutSeconds: number,
): Promise<Probe> {
  return probes[dialect]({ url, timeoutSeconds })
}

/** One question for each replica, whether it may take reads; with the names that replicas have everywhere. */
export async function openReplicaProbes(
  { name, url, replicas, maxReplicaLagBytes }: ReplicaSet,
  timeoutSeconds: number,
): Promise<readonly { readonly name: string; readonly probe: Probe }[]> {
  if (replicas.length === 0) return []
  const { ReplicaProbe } = await import('./postgres/replica-watch.ts')
  return replicas.map((replica, index) => {
    const options = { first: url, replica, maxLagBytes: maxReplicaLagBytes, timeoutSeconds }
    return { name: replicaName(name, index), probe: new ReplicaProbe(options) }
  })
}

export interface ReplicaSet {
  readonly name: string
  readonly url: string
  readonly replicas: readonly string[]
  readonly maxReplicaLagBytes: number
}

interface ProbeOptions {
  readonly url: string
  readonly timeoutSeconds: number
}

const probes: Readonly<Record<Dialect, (options: ProbeOptions) => Promise<Probe>>> = {
  async postgres(options) {
    const { PostgresProbe } = await import('./postgres/probe.ts')
    return new PostgresProbe(options)
  },
  async sqlite({ url }) {
    const { SqliteProbe } = await import('./sqlite/describe/probe.ts')
    const { readLocation } = await import('./sqlite/location.ts')
    return new SqliteProbe(readLocation(url))
  },
}

/** What is wrong with the files with which a datasource logs in, in words that hold nothing of them. Asks no database. */
export async function loginProblem({
  dialect,
  url,
}: Pick<DatasourceOptions, 'dialect' | 'url'>): Promise<string | undefined> {
  return logins[dialect](url)
}

const logins: Readonly<Record<Dialect, (url: string) => Promise<string | undefined>>> = {
  postgres: async (url) => (await import('./postgres/login.ts')).loginProblem(url),
  sqlite: () => Promise.resolve(undefined),
}

/** Whether the parsers of a kind of database can read the statements of scripts. Asks no database. */
export async function parseScripts(
  dialect: Dialect,
  scripts: readonly Script[],
): Promise<readonly (readonly OfflineDescription[])[]> {
  const parse = await parsers[dialect]()
  return parse(scripts)
}

type Parse = (scripts: readonly Script[]) => Promise<readonly (readonly OfflineDescription[])[]>

const parsers: Readonly<Record<Dialect, () => Promise<Parse>>> = {
  postgres: async () => (await import('./postgres/describe/parse.ts')).parseScripts,
  sqlite: async () => (await import('./sqlite/describe/parse.ts')).parseScripts,
}
