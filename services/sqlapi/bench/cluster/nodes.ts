/**
 * A PostgreSQL cluster under Patroni (Debian's packages patroni, etcd-server, postgresql): one etcd and three nodes,
 * each a process of its own on the loopback, in a folder that goes with them. PostgreSQL refuses to run as root, so for
 * root all of it runs as `nobody`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, freePort, newFolder, until } from '@services/testing'
import pg from 'pg'

const etcd = '/usr/bin/etcd'
const patroni = '/usr/bin/patroni'
const binariesRoot = '/usr/lib/postgresql'

/** Packages of Debian that are missing here. */
export function missingPackages(): string[] {
  const wanted = { 'etcd-server': etcd, patroni, postgresql: binariesRoot, haproxy: '/usr/sbin/haproxy' }
  return Object.entries(wanted).flatMap(([name, path]) => (existsSync(path) ? [] : [name]))
}

export interface Node {
  readonly name: string
  readonly port: number
  /** Ends Patroni and PostgreSQL of this node at once, as a machine does that loses its power. */
  kill(): void
}

export interface Cluster {
  readonly version: string
  readonly nodes: readonly Node[]
  /** With all nodes, for whoever follows the leader. */
  readonly url: string
  /** Which node leads, as Patroni says; undefined while none does. */
  leader(): Promise<Node | undefined>
  /** Rows of a query on the leader. */
  query(sql: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

const user = 'postgres'
const password = 'cluster'

/** Seconds. Patroni's least: the key of a leader that is gone stands for so long. */
export const leaderSeconds = 20

export async function startCluster({ isSynchronous }: { readonly isSynchronous: boolean }): Promise<Cluster> {
  const folder = newFolder()
  const identity = identityOf()
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const version = newestVersion()
  const started: ChildProcess[] = []
  const start = (name: string, program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const environment = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: folder }
    const child = spawn(program, args, { ...identity, cwd: folder, env: environment, stdio: ['ignore', log, log] })
    started.push(child)
    return child
  }
  process.once('exit', () => {
    for (const child of started) child.kill('SIGKILL')
  })

  const [etcdPort, peerPort] = [await freePort(), await freePort()]
  const own = (port: number): string => `http://127.0.0.1:${port}`
  const etcdFlags = {
    name: 'etcd',
    'data-dir': join(folder, 'etcd'),
    logger: 'zap',
    'listen-client-urls': own(etcdPort),
    'advertise-client-urls': own(etcdPort),
    'listen-peer-urls': own(peerPort),
    'initial-advertise-peer-urls': own(peerPort),
    'initial-cluster': `etcd=${own(peerPort)}`,
  }
  start(
    'etcd',
    etcd,
    Object.entries(etcdFlags).map(([name, value]) => `--${name}=${value}`),
  )
  await until(() => answers(etcdPort, '/health'), 'etcd')

  const nodes: (Node & { readonly restPort: number; readonly folder: string })[] = []
  for (const name of ['one', 'two', 'three']) {
    const [port, restPort] = [await freePort(), await freePort()]
    const data = join(folder, name)
    mkdirSync(data, { mode: 0o700 })
    if (identity !== undefined) chownSync(data, identity.uid, identity.gid)
    const config = join(folder, `${name}.yml`)
    const settings = { name, port, restPort, etcdPort, data: join(data, 'data'), folder: data, version, isSynchronous }
    writeFileSync(config, JSON.stringify(configOf(settings)))
    const child = start(name, patroni, [config])
    nodes.push({ name, port, restPort, folder: data, kill: () => killNode(child, join(data, 'data')) })
    // The first makes the data that the others copy.
    await until(() => isRunning(restPort), `node ${name}; see ${folder}/${name}.log`)
  }
  const leader = async (): Promise<Node | undefined> => {
    for (const node of nodes) if (await answers(node.restPort, '/leader')) return node
    return undefined
  }
  return {
    version,
    nodes,
    url: `postgres://${user}:${password}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`,
    leader,
    async query(sql) {
      const port = (await leader())?.port
      const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'postgres' })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows
      } finally {
        await client.end()
      }
    },
    async stop() {
      for (const child of started.toReversed()) await end(child)
    },
  }
}

interface NodeSettings {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly etcdPort: number
  readonly data: string
  readonly folder: string
  readonly version: string
  readonly isSynchronous: boolean
}

/** JSON is YAML. */
function configOf({ name, port, restPort, etcdPort, data, folder, version, isSynchronous }: NodeSettings): object {
  const login = (username: string): object => ({ username, password })
  return {
    scope: 'cluster',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: leaderSeconds,
        loop_wait: 2,
        retry_timeout: 5,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: isSynchronous,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_log_hints: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: join(binariesRoot, version, 'bin'),
      pgpass: join(folder, 'pgpass'),
      pg_hba: [
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
        'local all all trust',
      ],
      authentication: { superuser: login(user), replication: login('replicator'), rewind: login('rewinder') },
      parameters: { unix_socket_directories: folder, password_encryption: 'scram-sha-256' },
    },
  }
}

function newestVersion(): string {
  const versions = readdirSync(binariesRoot).filter((name) => existsSync(join(binariesRoot, name, 'bin/postgres')))
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  if (newest === undefined) throw new Error(`no PostgreSQL below ${binariesRoot}`)
  return newest
}

function identityOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Patroni answers 200 for what is true. */
function answers(port: number, path: string): Promise<boolean> {
  return call(port, path).then(
    ({ status }) => status === 200,
    () => false,
  )
}

function isRunning(restPort: number): Promise<boolean> {
  return call(restPort, '/patroni').then(
    ({ text }) => (JSON.parse(text) as { state?: string }).state === 'running',
    () => false,
  )
}

/** Patroni first, because it would start PostgreSQL again. */
function killNode(child: ChildProcess, data: string): void {
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  child.kill('SIGKILL')
  process.kill(postmaster, 'SIGKILL')
}

/** In order Patroni stops its PostgreSQL. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  await ended
  clearTimeout(timer)
}
