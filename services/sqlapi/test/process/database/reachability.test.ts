/**
 * A database that is lost, and that comes back: a line in the log for each, however many requests there are between,
 * and of several processes.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, linesOf, newFolder, until } from '@services/testing'
import { Failure } from '../../../src/errors.ts'
import type { Events } from '../../../src/events.ts'
import { explainLoss, Reachability } from '../../../src/reachability.ts'
import { createDatabase, sharedPostgres } from '../../support/databases.ts'
import { startForwarder } from '../../support/forwarder.ts'
import { type Served, startInside } from '../../support/inside.ts'
import { childrenOf, type Running, type Setting, startSqlapi, withoutChildren } from '../../support/process.ts'

const one = { 'crm/GET/one.sql': 'SELECT 1 AS one' }

test('the line about a loss says what to do, where the reason alone does not [O2.4]', () => {
  const cureOf = (code: string): unknown => {
    const emitted: { readonly cure?: string }[] = []
    const events = { emit: (_: string, fields: object) => void emitted.push(fields) } as unknown as Events
    const cause = Object.assign(new Error('no'), { code })
    new Reachability(events, 'crm', 'postgres://db/crm').unreachable(
      new Failure('datasource_unreachable', 'No', { cause }),
    )
    return emitted[0]?.cure
  }
  match(String(cureOf('ECONNREFUSED')), /^nothing listens there; correct host or port/)
  match(String(cureOf('ENOTFOUND')), /correct it in the url$/)
  match(String(cureOf('28P01')), /password_env or password_file/)
  match(String(cureOf('3D000')), /or create it$/)
  strictEqual(cureOf('57P03'), undefined)
})

test('a message whose code says too little has a cure too [F11]', () => {
  const cureOf = (reason: string, code?: string): string => {
    const cause = Object.assign(new Error(reason), { code })
    return explainLoss(new Failure('datasource_unreachable', 'No', { cause })).cure ?? ''
  }
  match(cureOf('role "appp" does not exist', '28000'), /^correct the user in the url or username, or create the role$/)
  match(cureOf('no pg_hba.conf entry for host "127.0.0.1", user "app"', '28000'), /pg_hba\.conf of the server$/)
  match(cureOf('The server does not support SSL connections'), /sslmode=disable/)
  match(cureOf('file is not a database'), /^correct the path in the url/)
  strictEqual(cureOf('role "a" does not exist, says a trigger'), '')
})

type Line = Readonly<Record<string, unknown>>

/** Lines that tell of losses and returns. */
function tellings({ stdout }: Pick<Served, 'stdout'>): Line[] {
  const events = linesOf(stdout()).map((line) => JSON.parse(line) as Line)
  return events.filter(({ event }) => /^datasource(Unreachable|Reached)$|^fileChanged$/.test(String(event)))
}

/** Asks meanwhile: the first failure may be that of a broken connection, and only the next request opens one. */
function told(running: Served, count: number): Promise<void> {
  const isTold = (): boolean => tellings(running).length >= count
  return until(async () => isTold() || (await ask(running).then(isTold)), `${count} lines about the database`)
}

/** That it was away, and that it is back, and nothing else. */
async function toldOfReturn(running: Served): Promise<void> {
  await told(running, 2)
  deepStrictEqual(tellings(running).map(({ event }) => event), ['datasourceUnreachable', 'datasourceReached']) // prettier-ignore
}

async function ask({ port }: Served, times = 1): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, () => call(port, '/crm/one')))
  return answers.map(({ status }) => status)
}

/** Asks until it is so, because connections that have broken show that with a request. */
async function untilStatus(running: Served, status: number): Promise<void> {
  await until(async () => (await ask(running))[0] === status, `status ${status}`)
}

/** A database, its URL and that by way of a forwarder, which can refuse connections. */
async function throughForwarder() {
  const database = await createDatabase('postgres')
  const forwarder = await startForwarder((await sharedPostgres()).port)
  const url = database.url.replace(/:\d+(?=\/[^/]*$)/, `:${forwarder.port}`)
  const remove = async (): Promise<void> => {
    await forwarder.close()
    await database.remove()
  }
  return { direct: database.url, url, forwarder, remove }
}

/** One file on this datasource, with a log to be read. */
function serving(datasource: object, workers = 1) {
  return { files: one, config: { server: { workers }, logging: { format: 'json' }, datasources: [datasource] } }
}

/** Only workers need a process. */
function start(setting: Setting, workers = 1): Promise<Served> {
  return workers === 1 ? startInside(setting) : startSqlapi(setting)
}

/** Kills both, and waits for those that take their places. */
async function replaceWorkers({ pid }: Running): Promise<void> {
  const before = childrenOf(pid)
  for (const child of before) process.kill(child, 'SIGKILL')
  await until(() => childrenOf(pid).filter((child) => !before.includes(child)).length === 2, 'others')
}

for (const workers of [1, 2]) {
  test(`a server that goes and comes back is one WARN and one INFO each time, with ${workers} workers [O2.4]`, async () => {
    const { url, forwarder, remove } = await throughForwarder()
    const running = await start(serving({ name: 'crm', url }, workers), workers)
    await untilStatus(running, 200)
    for (const round of [1, 2]) {
      forwarder.refuse()
      await untilStatus(running, 400)
      await told(running, 2 * round - 1)
      for (const status of await ask(running, 20)) strictEqual(status, 400)
      forwarder.pass()
      await untilStatus(running, 200)
      await told(running, 2 * round)
      deepStrictEqual(await ask(running, 5), [200, 200, 200, 200, 200])
    }
    const lines = tellings(running)
    deepStrictEqual(lines.map(({ event, level, datasource }) => [event, level, datasource]), [1, 2].flatMap(() => [['datasourceUnreachable', 'warn', 'crm'], ['datasourceReached', 'info', 'crm']])) // prettier-ignore
    for (const { url: shown } of lines) match(String(shown), /^postgres(ql)?:\/\//)
    ok(lines.every(({ event, ms }) => (event === 'datasourceReached') === (typeof ms === 'number')))
    await running.stop()
    await remove()
  })
}

test('a database that is down at the start is told once, and once when it is there [O2.4]', async () => {
  const { url, forwarder, remove } = await throughForwarder()
  forwarder.refuse()
  const running = await start(serving({ name: 'crm', url }))
  await told(running, 1)
  for (const status of await ask(running, 10)) strictEqual(status, 400)
  forwarder.pass()
  await untilStatus(running, 200)
  await toldOfReturn(running)
  await running.stop()
  await remove()
})

for (const workers of [1, 2]) {
  test(`a reload while the database is away takes nothing from the line about its return, with ${workers} workers [O2.4] [O3.1]`, async () => {
    const { url, forwarder, remove } = await throughForwarder()
    const running = await start(serving({ name: 'crm', url }, workers), workers)
    await untilStatus(running, 200)
    forwarder.refuse()
    await told(running, 1)
    running.hangUp()
    await running.line(/"event":"reloaded"/)
    await untilStatus(running, 400)
    forwarder.pass()
    await untilStatus(running, 200)
    await toldOfReturn(running)
    await running.stop()
    await remove()
  })
}

test(
  'workers that are replaced while the database is away tell of its return [O2.4]',
  { skip: withoutChildren },
  async () => {
    const { url, forwarder, remove } = await throughForwarder()
    const running = await startSqlapi(serving({ name: 'crm', url }, 2))
    await untilStatus(running, 200)
    forwarder.refuse()
    await told(running, 1)
    await replaceWorkers(running)
    forwarder.pass()
    await until(() => ask(running).then(([status]) => status === 200, () => false), 'status 200') // prettier-ignore
    await toldOfReturn(running)
    await running.stop()
    await remove()
  },
)

test(
  'workers that are replaced while a replica is away tell that it is back [O2.4] [O4.2]',
  { skip: withoutChildren },
  async () => {
    const { direct: url, url: replica, forwarder, remove } = await throughForwarder()
    // The first server stands in for its replica.
    const replicas = [replica]
    const running = await startSqlapi(serving({ name: 'crm', url, replicas }, 2))
    const changes = (): string[] => linesOf(running.stdout()).flatMap((line) => /"event":"(replica\w+)"/.exec(line)?.[1] ?? []) // prettier-ignore
    await untilStatus(running, 200)
    forwarder.refuse()
    await until(() => changes().length === 1, 'a replica that is away')
    await replaceWorkers(running)
    forwarder.pass()
    await until(() => changes().length === 2, 'a replica that is back')
    deepStrictEqual(changes(), ['replicaAway', 'replicaBack'])
    await running.stop()
    await remove()
  },
)

for (const workers of [1, 2]) {
  test(`a SQLite file that is gone is told as such, and its return once, each time, with ${workers} workers [O2.4] [S13]`, async () => {
    const folder = newFolder()
    const running = await start({ folder, ...serving({ name: 'crm', url: 'sqlite:crm.db' }, workers) }, workers)
    await untilStatus(running, 200)
    // The second time it is the same file.
    for (const times of [1, 2]) {
      // Each process has it open: one that has not would make a new one.
      await ask(running, 10)
      renameSync(join(folder, 'crm.db'), join(folder, 'moved.db'))
      await untilStatus(running, 400)
      for (const status of await ask(running, 10)) strictEqual(status, 400)
      renameSync(join(folder, 'moved.db'), join(folder, 'crm.db'))
      await untilStatus(running, 200)
      await told(running, 2 * times)
    }
    const once = ['fileChanged', 'datasourceReached']
    deepStrictEqual(
      tellings(running).map(({ event }) => event),
      [...once, ...once],
    )
    await running.stop()
  })
}
