/** Which of several real servers a connection goes to: a primary, a standby, and what is no server at all. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { freePort, newFolder, until } from '@services/testing'
import { preparePostgres } from '../../../src/database/postgres/copies.ts'
import { PostgresProbe } from '../../../src/database/postgres/probe.ts'
import { type DriverOptions, NoServer, openSocket } from '../../../src/database/postgres/wire/servers.ts'
import { ServerOrder } from '../../../src/database/postgres/wire/server-order.ts'
import { findingsOf } from '../../support/check.ts'
import { startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import { type Pair, startReplication, urlOf } from '../../support/replication.ts'
import { startTestService } from '../../support/service.ts'

/** A server that takes connections and never says a word. */
async function startSilent(): Promise<{ port: number; connections: () => number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket.on('error', () => undefined))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The name of the server that a connection goes to. */
async function serverOf(url: string, options: Partial<DriverOptions> = {}): Promise<string> {
  const opened = await openSocket({ url, connectTimeoutSeconds: 120, ...options })
  opened.leave()
  return opened.server
}

describe('of several servers', () => {
  let pair: Pair
  let primary: number
  let standby: number
  const folder = newFolder()
  before(async () => {
    chmodSync(folder, 0o777)
    pair = await startReplication({ unix_socket_directories: folder })
    primary = pair.primary.port
    standby = pair.standby.port
  })
  after(() => pair.remove())
  afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))

  /** What the test at hand has opened. */
  const open: { close(): Promise<void> }[] = []
  async function opened<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
    const one = await opening
    open.push(one)
    return one
  }

  const url = (ports: readonly number[], query = ''): string => urlOf(ports, pair.primary, query)
  const at = (port: number): string => `127.0.0.1:${port}`

  test('the first that is what target_session_attrs asks for is taken [O4.1]', async () => {
    const both = [
      [primary, standby],
      [standby, primary],
    ]
    for (const ports of both) {
      strictEqual(await serverOf(url(ports)), at(ports[0] as number))
      for (const target of ['read-write', 'primary']) {
        strictEqual(await serverOf(url(ports, `?target_session_attrs=${target}`)), at(primary), target)
      }
      for (const target of ['read-only', 'standby', 'prefer-standby']) {
        strictEqual(await serverOf(url(ports, `?target_session_attrs=${target}`)), at(standby), target)
      }
    }
    const dead = await freePort()
    strictEqual(await serverOf(url([dead, standby, primary])), at(standby))
    strictEqual(await serverOf(url([dead, primary], '?target_session_attrs=prefer-standby')), at(primary))
  })

  test('none is taken that is something else; the message names each server and its reason, and no password [O4.1]', async () => {
    const dead = await freePort()
    await rejects(serverOf(url([dead, standby], '?target_session_attrs=read-write')), (error: Error) => {
      ok(error instanceof NoServer)
      match(
        error.message,
        new RegExp(`^${at(dead)} cannot be connected \\(.*ECONNREFUSED.*\\); ${at(standby)} only reads, as a standby$`),
      )
      ok(!error.message.includes('p@ss') && !error.message.includes('p%40ss'))
      return true
    })
    await rejects(serverOf(url([primary], '?target_session_attrs=standby')), /is a primary$/)
    await rejects(serverOf(url([primary], '?target_session_attrs=read-only')), /takes writes$/)
    await rejects(serverOf(url([standby], '?target_session_attrs=primary')), /is a standby$/)
  })

  test('a name with several addresses, IPv6 in brackets and Unix sockets lead to theirs [O4.1]', async () => {
    const { url: own } = pair.primary
    const hosts = (text: string): string => own.replace(/[^@]*$/, `${text}/postgres?target_session_attrs=primary`)
    strictEqual(await serverOf(hosts(`[::1]:${primary},localhost:${primary}`)), `localhost:${primary}`)
    const socket = encodeURIComponent(folder)
    strictEqual(await serverOf(hosts(`no-such-host.invalid:1,${socket}:${primary}`)), `${folder}:${primary}`)
    const listed = own.replace(/[^@]*$/, `/postgres?host=127.0.0.1,${folder}&port=${standby},${primary}`)
    strictEqual(await serverOf(`${listed}&target_session_attrs=primary`), `${folder}:${primary}`)
  })

  test('load_balance_hosts=random takes each of them [O4.1]', async () => {
    const seen = new Set<string>()
    await until(async () => {
      seen.add(await serverOf(url([primary, standby], '?load_balance_hosts=random')))
      return seen.size === 2
    }, 'both servers')
  })

  test('one that is silent costs its time once, and comes last for a while [O4.1]', async () => {
    const silent = await opened(startSilent())
    const order = new ServerOrder(Infinity)
    // The other one may also run out of so short a time on a machine that is busy.
    await until(async () => {
      const server = await serverOf(url([silent.port, primary]), { order, hostTimeoutSeconds: 1 }).catch(
        () => undefined,
      )
      return server === at(primary)
    }, 'the primary')
    const [first] = order.sort(
      [
        { host: '127.0.0.1', port: silent.port },
        { host: 'another', port: 1 },
      ],
      false,
    )
    strictEqual(first?.host, 'another')
    const known = new ServerOrder(Infinity)
    known.noteSilent(at(silent.port))
    const before = silent.connections()
    strictEqual(await serverOf(url([silent.port, primary]), { order: known }), at(primary))
    strictEqual(silent.connections(), before)
  })

  test('connect_timeout_seconds is for one address; without it servers share acquire_timeout_seconds [O4.1]', async () => {
    const silent = await opened(startSilent())
    const files = { 'demo/GET/port.sql': `SELECT current_setting('port') AS port` }
    for (const times of [
      { acquire_timeout_seconds: 3600, connect_timeout_seconds: 1 },
      { acquire_timeout_seconds: 2 },
    ]) {
      const datasource = { url: url([silent.port, primary]), ...times }
      const service = await opened(startTestService({ kind: 'postgres', files, datasource }))
      await until(async () => (await service.get('/demo/port')).text === `[{"port":"${primary}"}]`, 'the primary')
    }
  })

  test('a login that one refuses is tried with no other [O4.1]', async () => {
    const other = await opened(startSilent())
    const wrong = url([primary, other.port]).replace(/:[^:@]*@/, ':wrong@')
    await rejects(serverOf(wrong), { code: '28P01' })
    strictEqual(other.connections(), 0)
  })

  test('one behind a pooler is asked what it is [O4.1]', { skip: withoutPgbouncer ?? false }, async () => {
    const pooler = await startPgbouncer(pair.standby.url, {})
    const ports = [pooler.port, primary]
    strictEqual(await serverOf(url(ports)), at(pooler.port))
    strictEqual(await serverOf(url(ports, '?target_session_attrs=read-write')), at(primary))
    strictEqual(await serverOf(url(ports, '?target_session_attrs=standby')), at(pooler.port))
    await pooler.stop()
  })

  test('readiness, and databases for tests, follow the same rules [O4.1]', async () => {
    const dead = await freePort()
    const ask = (ports: readonly number[], query: string): Promise<void> =>
      new PostgresProbe({ url: url(ports, query), timeoutSeconds: 120 }).ask(new AbortController().signal)
    await ask([dead, standby, primary], '?target_session_attrs=read-write')
    await rejects(ask([dead, standby], '?target_session_attrs=read-write'), /only reads/)
    const prepared = await preparePostgres(
      url([standby, primary], '?target_session_attrs=primary'),
      'CREATE TABLE t (x int)',
    )
    match(prepared.where, new RegExp(`on ${at(standby)}, ${at(primary)}$`))
    const copy = await prepared.copy()
    strictEqual(await serverOf(copy.url), at(primary))
    await copy.remove()
    await prepared.remove()
  })

  test('sqlapi check asks the server that is wanted, with plans, and names no password where there is none [O4.1] [O4.2]', async () => {
    await pair.primary.query('CREATE TABLE IF NOT EXISTS seen (x int)')
    const files = { 'demo/GET/seen.sql': 'SELECT x FROM seen', 'demo/GET/wrong.sql': 'SELECT y FROM seen' }
    const found = async (own: string): Promise<readonly string[]> => {
      const datasources = [{ name: 'demo', url: own, replicas: [pair.standby.url] }]
      const { findings, stderr } = await findingsOf({ files, config: { datasources }, args: ['--explain'] })
      ok(!/p@ss|p%40ss/.test(stderr + JSON.stringify(findings)))
      return findings.length > 0 ? findings.map(({ code, file }) => `${code} ${file}`) : [stderr]
    }
    const dead = await freePort()
    deepStrictEqual(await found(url([dead, standby, primary], '?target_session_attrs=primary')), [
      'unknown-column sql/demo/GET/wrong.sql',
    ])
    const [refusal] = await found(url([dead, primary], '?target_session_attrs=standby'))
    match(refusal ?? '', new RegExp(`${at(primary)} is a primary`))
  })

  test('a write that a standby refuses is answered, and the next goes to the primary [O4.1]', async () => {
    await pair.primary.query('CREATE TABLE note (x int)')
    const files = {
      'demo/POST/add.sql': 'INSERT INTO note VALUES (CAST(:x AS int))',
      'demo/GET/port.sql': `SELECT current_setting('port') AS port`,
    }
    const datasource = { url: url([standby, primary]), acquire_timeout_seconds: 600 }
    const service = await opened(startTestService({ kind: 'postgres', files, datasource }))
    strictEqual((await service.get('/demo/port')).text, `[{"port":"${standby}"}]`)
    await until(
      async () => (await pair.standby.query('SELECT FROM note').catch(() => undefined)) !== undefined,
      'the table',
    )
    const refused = await service.post('/demo/add', { x: 1 })
    strictEqual(refused.status, 400)
    match(refused.text, /25006/)
    strictEqual((await service.post('/demo/add', { x: 2 })).status, 200)
    strictEqual((await service.get('/demo/port')).text, `[{"port":"${primary}"}]`)
    await until(
      async () =>
        (await pair.standby.query(`SELECT FROM pg_stat_activity WHERE application_name = 'sqlapi'`)).length === 0,
      'the connections to the standby to end',
    )
    deepStrictEqual(await pair.primary.query('SELECT x FROM note'), [{ x: 2 }])
    const log = service.log.filter((line) => line.includes('refused to write'))
    strictEqual(log.length, 1)
    ok(log[0]?.includes(at(standby)))
    ok(!service.log.join('\n').match(/p@ss|p%40ss/))
  })

  test('a file that asks for a transaction that only reads moves nobody [O4.1]', async () => {
    const files = {
      'demo/POST/only-read.sql': 'BEGIN READ ONLY; CREATE TABLE never (x int); COMMIT',
      'demo/GET/pid.sql': 'SELECT pg_backend_pid() AS pid',
    }
    const datasource = {
      url: url([primary, standby], '?target_session_attrs=read-write'),
      max_connections: 1,
      acquire_timeout_seconds: 600,
    }
    const service = await opened(startTestService({ kind: 'postgres', files, datasource }))
    const before = (await service.get('/demo/pid')).text
    match((await service.post('/demo/only-read')).text, /25006/)
    strictEqual((await service.get('/demo/pid')).text, before)
  })
})
