/**
 * What shows a pooler in transaction mode, and what does not: database/postgres/pooler/pooler-watch.ts,
 * settings/call-settings.ts.
 */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { CallSettings } from '../../../src/database/postgres/settings/call-settings.ts'
import { PoolerWatch, type Watched } from '../../../src/database/postgres/pooler/pooler-watch.ts'
import { pooledProblems } from '../../../src/boot/config/url.ts'

interface Fake extends Watched {
  backend: number
  isLost: boolean
}

function connection(announced: number, backend: number): Fake {
  const fake: Fake = {
    announced,
    backend,
    isLost: false,
    askBackend: () => (fake.isLost ? Promise.reject(new Error('lost')) : Promise.resolve(fake.backend)),
  }
  return fake
}

function watch(): { watcher: PoolerWatch; signs: string[] } {
  const signs: string[] = []
  return { watcher: new PoolerWatch((sign) => signs.push(sign)), signs }
}

test('a connection without a pooler is asked once, and no error of it is a sign [O4.3]', async () => {
  const { watcher, signs } = watch()
  const direct = connection(7, 7)
  await watcher.look(direct, { isFirst: true })
  direct.backend = 8
  await watcher.look(direct)
  watcher.refused(direct, '26000')
  watcher.refused(direct, '42P05')
  deepStrictEqual(signs, [])
})

test('a process that changes is a sign, once [O4.3]', async () => {
  const { watcher, signs } = watch()
  const pooled = connection(7, 100)
  await watcher.look(pooled, { isFirst: true })
  await watcher.look(pooled)
  deepStrictEqual(signs, [])
  pooled.backend = 101
  await watcher.look(pooled)
  pooled.backend = 102
  await watcher.look(pooled, { isFirst: true })
  watcher.refused(pooled, '26000')
  watcher.mixedUp()
  deepStrictEqual(signs, ['the process behind a connection has changed (pg_backend_pid)'])
})

test('two connections with one process are a sign, unless one of them has ended [O4.3]', async () => {
  const { watcher, signs } = watch()
  const gone = connection(7, 100)
  await watcher.look(gone, { isFirst: true })
  gone.isLost = true
  await watcher.look(connection(8, 100), { isFirst: true })
  deepStrictEqual(signs, [])
  await watcher.look(connection(9, 101), { isFirst: true })
  const forgotten = connection(10, 102)
  await watcher.look(forgotten, { isFirst: true })
  watcher.forget(forgotten)
  await watcher.look(connection(11, 102), { isFirst: true })
  deepStrictEqual(signs, [])
  await watcher.look(connection(12, 101), { isFirst: true })
  deepStrictEqual(signs, ['two connections have one process behind them (pg_backend_pid)'])
})

for (const code of ['26000', '42P05']) {
  test(`${code} behind a pooler is a sign, other errors are none [O4.3]`, async () => {
    const { watcher, signs } = watch()
    const pooled = connection(7, 100)
    await watcher.look(pooled, { isFirst: true })
    for (const other of ['42601', '23505', undefined]) watcher.refused(pooled, other)
    deepStrictEqual(signs, [])
    watcher.refused(pooled, code)
    strictEqual(signs.length, 1)
    match(signs.join(), new RegExp(code))
  })
}

test('what the pooler confirms is left to it, the rest goes ahead of each flight [O4.3]', () => {
  const reported = new Map([
    ['timezone', 'Europe/Tallinn'],
    ['datestyle', 'ISO, DMY'],
    ['client_encoding', 'UTF8'],
    ['standard_conforming_strings', 'on'],
    ['application_name', 'crm'],
    ['search_path', 'crm, public'],
  ])
  const settings = new CallSettings('europe/tallinn', 0, reported)
  settings.take([{ name: 'application_name', value: 'crm' }])
  strictEqual(settings.ahead, undefined)
  strictEqual(settings.aheadOfReads, `SELECT pg_catalog.set_config(E'transaction_read_only', E'on', true)`)
  settings.take([
    { name: 'application_name', value: 'other' },
    { name: 'search_path', value: 'crm, public' },
    { name: 'work_mem', value: "1'MB\\" },
  ])
  strictEqual(
    settings.ahead,
    `SELECT pg_catalog.set_config(E'application_name', E'other', true), pg_catalog.set_config(E'work_mem', E'1''MB\\\\', true)`,
  )
  settings.take([])
  strictEqual(settings.limit(30), '')
  strictEqual(settings.ahead, `SELECT pg_catalog.set_config(E'statement_timeout', E'30s', true)`)
  settings.limitLocks(50)
  match(String(settings.ahead), /set_config\(E'lock_timeout', E'50', true\)/)
  settings.limitLocks(undefined)
  settings.limit()
  strictEqual(settings.ahead, undefined)
})

test('a pooler that confirms nothing has everything sent [O4.3]', () => {
  const settings = new CallSettings('UTC', 5, new Map())
  settings.take([])
  deepStrictEqual(
    settings.sent.map(({ name }) => name),
    ['TimeZone', 'DateStyle', 'client_encoding', 'standard_conforming_strings', 'statement_timeout'],
  )
  // What goes ahead is another one behind each transaction.
  strictEqual(settings.isAsSet('TimeZone', 'Asia/Tokyo'), true)
  strictEqual(new CallSettings('UTC', 5, new Map([['timezone', 'UTC']])).isAsSet('TimeZone', 'Asia/Tokyo'), false)
})

const options: readonly (readonly [options: string, settings: readonly string[]])[] = [
  ['-c search_path=crm', []],
  ['-c default_transaction_read_only=on', ['default_transaction_read_only']],
  ['--default-transaction-isolation=serializable', ['default_transaction_isolation']],
  [
    '-cwork_mem=1MB -cidle_session_timeout=5 -c Default_Transaction_Deferrable=on',
    ['idle_session_timeout', 'default_transaction_deferrable'],
  ],
  ['-c transaction_read_only=on', []],
]
for (const [text, expected] of options) {
  test(`options ${text}: ${expected.length === 0 ? 'nothing is' : `${expected.join(', ')} is`} refused behind a pooler [O4.3]`, () => {
    const url = `postgres://h/d?options=${encodeURIComponent(text)}`
    deepStrictEqual(pooledProblems({ url, pooler: 'none' }, 0), [])
    const problems = pooledProblems({ url, pooler: 'transaction' }, 0)
    deepStrictEqual(
      problems.map(({ message }) => /sets (\w+),/.exec(message)?.[1]),
      expected,
    )
  })
}
