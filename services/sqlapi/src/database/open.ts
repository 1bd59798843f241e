/**
 * How each kind of database is opened: a datasource's settings in, a `Database` out. The other facts about a kind are
 * in dialects.ts.
 */
import type { OfflineDescription } from '../description.ts'
import type { Probe } from '../metering.ts'
import type { Dialect, Script, Work } from '../model.ts'
import type { Database } from './database.ts'
import { optionsOver } from './options-over.ts'
import type { PostgresOptions } from './postgres/options.ts'
import { replicaName } from './postgres/replica-state.ts'
import type { ReplicaProbeOptions } from './postgres/replica-watch.ts'
import type { ReplicatedOptions } from './postgres/replicated.ts'
import type { SqliteOptions } from './sqlite/sqlite.ts'

/** What datasources of all kinds are opened with; each kind reads what is its own. */
export interface DatasourceOptions
  extends
    Omit<PostgresOptions, 'isReplica'>,
    SqliteOptions,
    Pick<ReplicatedOptions, 'meterOf' | 'isAway' | 'onReplica'> {
  readonly dialect: Dialect
  /** PostgreSQL: connection URLs with the credentials. */
  readonly replicas?: readonly string[] | undefined
  readonly maxReplicaLagBytes?: number | undefined
  /** Called for every statement that runs, when statements are logged. */
  readonly onStatement?: ((text: string, values: readonly unknown[], work: Work) => void) | undefined
}

/**
 * Connects to nothing yet: the first request or the probe does. Does not load the code for other kinds of databases.
 */
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
  { dialect, url, password }: Pick<DatasourceOptions, 'dialect' | 'url' | 'password'>,
  timeoutSeconds: number,
): Promise<Probe> {
  return probes[dialect]({ url, password, timeoutSeconds })
}

/** One question for each replica, whether it may take reads; with the names that replicas have everywhere. */
export async function openReplicaProbes(
  { name, dialect, url, password, replicas, maxReplicaLagBytes }: ReplicaSet,
  timeoutSeconds: number,
): Promise<readonly { readonly name: string; readonly probe: Probe }[]> {
  const probing = replicas.map(async (replica, index) => {
    const options = { first: url, replica, password, maxLagBytes: maxReplicaLagBytes, timeoutSeconds }
    return { name: replicaName(name, index), probe: await replicaProbes[dialect](options) }
  })
  return Promise.all(probing)
}

const replicaProbes: Readonly<Record<Dialect, (options: ReplicaProbeOptions) => Promise<Probe>>> = {
  async postgres(options) {
    const { ReplicaProbe } = await import('./postgres/replica-watch.ts')
    return new ReplicaProbe(options)
  },
  // The configuration refuses replicas of a file.
  sqlite: () => Promise.reject(new Error('a SQLite file has no replicas')),
}

export interface ReplicaSet {
  readonly name: string
  readonly dialect: Dialect
  readonly url: string
  readonly password?: DatasourceOptions['password']
  readonly replicas: readonly string[]
  readonly maxReplicaLagBytes: number
}

interface ProbeOptions {
  readonly url: string
  readonly password?: DatasourceOptions['password']
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

/**
 * What is wrong with the files with which a datasource logs in, in words that hold nothing of them. Asks no database.
 */
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
