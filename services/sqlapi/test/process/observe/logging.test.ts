/**
 * Log lines of the running service, judged over whole lives, one of them that of a process. They contain no parameter
 * value, password or raw control character, but statements with their parameters if the configuration asks for them.
 * log.test.ts tries the format itself.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { call, linesOf, send, until } from '@services/testing'
import { type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { type Served, startInside } from '../../support/inside.ts'
import { type Setting, startSqlapi } from '../../support/process.ts'

/** Stands in every value that a request carries. */
const secret = 'Secret-Value-4711'
const number = 471147114711
const password = 'hunter2@:/'

const statements = {
  'GET/echo.sql': 'SELECT :x AS x',
  'POST/echo.sql': 'SELECT :x AS x, :y AS y',
  'POST/missing.sql': 'SELECT :absent AS x, :x AS y',
  'POST/table.sql': 'SELECT * FROM nowhere WHERE x = :x',
  'POST/syntax.sql': 'SELEC :x',
  'POST/cast.sql': 'SELECT cast(:x AS integer) + cast(cast(:x AS text) AS integer) AS n FROM nowhere',
  'POST/duplicate.sql': `INSERT INTO names VALUES (:x); INSERT INTO names VALUES (:x)`,
  'POST/marked.sql': '-- @transactional\nINSERT INTO names VALUES (:x); INSERT INTO names VALUES (:x)',
  'POST/setup.sql': 'CREATE TABLE names (x text PRIMARY KEY)',
  'POST/list.sql': 'SELECT :xs AS xs',
}

let postgres: ThrowawayPostgres

before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

function start(env: Record<string, string> = {}, logging: Record<string, string> = {}): Promise<Served> {
  return startInside(settingOf(env, logging))
}

function settingOf(env: Record<string, string>, logging: Record<string, string>): Setting {
  const files = Object.fromEntries(
    ['pg', 'lite'].flatMap((project) => Object.entries(statements).map(([path, text]) => [`${project}/${path}`, text])),
  )
  const host = `127.0.0.1:${postgres.port}`
  return {
    files,
    env: { SECRET: password, ...env },
    config: {
      logging,
      datasources: [
        { name: 'pg', url: postgres.url },
        { name: 'lite', url: 'sqlite::memory:' },
        { name: 'wrong', url: `postgres://${host}/postgres`, username: 'postgres', password_env: 'SECRET' },
        {
          name: 'down',
          url: `postgres://u:${encodeURIComponent(password)}@127.0.0.1:1/db?sslmode=require&sslpassword=hunter2`,
        },
      ],
    },
  }
}

/** Every way to fail that there is, each with values in it. */
async function failInEveryWay({ port }: Served): Promise<number> {
  const values = { x: secret, y: number, xs: [secret, [secret]] }
  const answers = []
  for (const datasource of ['pg', 'lite', 'wrong', 'down']) {
    const headers = { 'x-datasource': datasource }
    for (const path of Object.keys(statements)) {
      const url = `/pg/${path.slice(path.indexOf('/') + 1, -'.sql'.length)}`
      answers.push(await call(port, url, { headers, body: values }))
      answers.push(await call(port, `${url}/batch`, { headers, body: { queries: [values, { x: secret }] } }))
      answers.push(await call(port, `${url}?x=${secret}&y=${number}`, { headers }))
    }
  }
  for (const body of [`{"x":"${secret}"`, `"${secret}"`, `[${number}]`, `{"queries":"${secret}"}`]) {
    answers.push(await call(port, '/pg/echo', { body }), await call(port, '/pg/echo/batch', { body }))
  }
  answers.push(await call(port, '/pg/echo', { body: { x: secret, y: '1'.repeat(40) } }))
  answers.push(await call(port, '/pg/echo', { body: `{"x":"${secret}","pad":"${'x'.repeat(1_100_000)}"}` }))
  answers.push(await call(port, `/pg/none?x=${secret}`), await call(port, `/pg/echo?x=${secret}%zz`))
  answers.push(await call(port, '/pg/echo', { method: 'DELETE', headers: { 'x-token': secret, cookie: secret } }))
  return answers.filter(({ status }) => status !== 200).length
}

describe('a run with many requests that fail', { concurrency: true }, () => {
  const levels: Record<string, Record<string, string>> = {
    'the default': {},
    'everything below sqlx=debug': { SQLAPI_LOG: 'trace,sqlx=info' },
  }
  for (const [what, env] of Object.entries(levels)) {
    for (const format of ['text', 'json']) {
      test(`no parameter value and no password is in the log: ${what}, ${format} [D6.8] [S-config.logging.level]`, async () => {
        const running = await start(env, { format, requests: 'all' })
        await call(running.port, '/lite/setup', { body: {} })
        const failed = await failInEveryWay(running)
        const { stdout } = await running.stop()
        for (const value of [secret, String(number), 'hunter2', encodeURIComponent(password), 'p@ss', 'p%40ss']) {
          const where = linesOf(stdout).find((line) => line.includes(value))
          strictEqual(where, undefined)
        }
        const refused = linesOf(stdout).filter((line) => line.includes('Request refused'))
        strictEqual(refused.length, failed)
        ok(failed > 80, `${failed}`)
        ok(!stdout.includes('InternalError') && !stdout.includes('Internal error'), stdout)
      })
    }
  }
})

test('no raw control character of a request reaches the log [D6.8]', async () => {
  const running = await start()
  const escapes = [
    '%0a',
    '%0d%0a2026-07-01T00:00:00.000Z%20ERROR%20sqlapi:%20forged',
    '%1b[31m',
    '%00',
    '%C2%85',
    '%E2%80%A8',
    '%E2%80%AE',
  ]
  for (const escape of escapes) {
    await call(running.port, `/pg/${escape}`)
    await call(running.port, `/${escape}/x`)
    await call(running.port, '/pg/echo?x=1', { headers: { 'x-datasource': decodeURIComponent('a%C2%9Bb') } })
  }
  await send(running.port, 'GET /pg/\x1b[31m HTTP/1.1\r\nHost: x\r\n\r\n')
  await send(running.port, Buffer.from('GET /pg/\u0085\u2028 HTTP/1.1\r\nHost: x\r\n\r\n'))
  const { stdout } = await running.stop()
  for (const line of linesOf(stdout)) {
    doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z +[A-Z]+ \w+: /)
  }
  ok(!linesOf(stdout).some((line) => / ERROR /.test(line) && !line.includes('Request refused')), stdout)
})

test('a path in a log line is cut to 256 whole characters, as in the answer [S14]', async () => {
  const running = await start({}, { format: 'json' })
  const paths = [
    `/pg/${'a'.repeat(20_000)}`,
    `/pg/${'%C3%B5'.repeat(400)}`,
    `/${'b'.repeat(255)}`,
    `/pg/${'c/'.repeat(3000)}?x=1`,
  ]
  for (const path of paths) {
    await call(running.port, path)
    await call(running.port, path, { body: {} })
  }
  const { stdout } = await running.stop()
  const logged = linesOf(stdout)
    .map((line) => JSON.parse(line) as Record<string, string>)
    .filter(({ event }) => event === 'requestFailed')
    .map(({ path }) => path)
  deepStrictEqual(
    logged,
    paths.flatMap((path) => [path.slice(0, 256), path.slice(0, 256)]),
  )
})

describe('statements in the log', { concurrency: true }, () => {
  function statementsOf({ stdout }: { readonly stdout: string }): Record<string, string>[] {
    const events = linesOf(stdout).map((line) => JSON.parse(line) as Record<string, string>)
    return events.filter(({ target }) => target === 'sqlx')
  }

  test('SQLAPI_LOG=sqlx=debug logs each statement with its parameters, and warns of it [D6.8] [S-config.logging.level]', async () => {
    const running = await start({ SQLAPI_LOG: 'info,sqlx=debug' }, { format: 'json', level: 'error' })
    await call(running.port, `/lite/echo?x=${secret}`)
    await call(running.port, `/pg/echo?x=${secret}`)
    await call(running.port, '/pg/echo', { body: { x: secret, y: 9007199254740993n.toString() } })
    await call(running.port, '/lite/setup', { body: {} })
    await call(running.port, '/lite/marked', { body: { x: secret } })
    const end = await running.stop()
    const statements = statementsOf(end)
    for (const datasource of ['lite', 'pg']) {
      const first = statements.find((event) => event['datasource'] === datasource)
      match(first?.['sql'] ?? '', /^SELECT (?:\$1|\?1)(?:::text)? AS x$/)
      deepStrictEqual(JSON.parse(first?.['parameters'] ?? ''), [secret])
      strictEqual(first?.['level'], 'debug')
    }
    strictEqual(statements.filter(({ sql }) => sql?.startsWith('INSERT')).length, 2)
    const warnings = linesOf(end.stdout).filter(
      (line) => line.includes('"level":"warn"') && line.includes('parameters'),
    )
    strictEqual(warnings.length, 1)
  })

  test('sqlx=debug alone has the same effect, and still no password is told [D6.8]', async () => {
    const running = await start({ SQLAPI_LOG: 'sqlx=debug' }, { format: 'json' })
    await failInEveryWay(running)
    const end = await running.stop()
    ok(statementsOf(end).some(({ parameters }) => parameters?.includes(secret)))
    for (const value of ['hunter2', encodeURIComponent(password), 'p@ss', 'p%40ss'])
      ok(!end.stdout.includes(value), value)
  })

  test('an array that is bound as JSONB is one debug entry, with its name and without its values [S-arrays.3] [D6.8]', async () => {
    const running = await start({}, { format: 'json' })
    const native = [
      ['a', 'b'],
      [1, 2],
      [1, 2.5],
      [true, null],
    ]
    for (const xs of native) await call(running.port, '/pg/list', { body: { xs } })
    const json = [[], [null], [secret, 1], [[secret]], [{ a: secret }]]
    for (const xs of json) await call(running.port, '/pg/list', { body: { xs } })
    await call(running.port, '/lite/list', { body: { xs: [secret, 1] } })
    const { stdout } = await running.stop()
    const entries = linesOf(stdout)
      .filter((line) => line.includes('arrayAsJson'))
      .map((line) => JSON.parse(line) as Record<string, string>)
    strictEqual(entries.length, json.length, stdout)
    for (const { level, target, endpoint, parameter } of entries) {
      deepStrictEqual([level, target, endpoint, parameter], ['debug', 'sqlapi', '/pg/list', 'xs'])
    }
    ok(!stdout.includes(secret))
  })

  test('at info neither of them is there [D6.8]', async () => {
    const running = await start({ SQLAPI_LOG: 'info' })
    await call(running.port, '/pg/list', { body: { xs: [] } })
    const { stdout } = await running.stop()
    ok(!stdout.includes(' DEBUG '), stdout)
  })
})

test('the log of a whole life, in order [D6.8] [D6.4]', async () => {
  const running = await startSqlapi(settingOf({}, { format: 'json' }))
  const isDone = (): boolean => linesOf(running.stdout()).filter((line) => line.includes('Unreachable')).length === 2
  await until(isDone, 'two databases that cannot be reached')
  await failInEveryWay(running)
  const { code, stdout, stderr } = await running.stop()
  deepStrictEqual([code, stderr], [0, ''])
  const events = linesOf(stdout).map((line) => JSON.parse(line) as Record<string, unknown>)
  const named = events.filter(({ requestId }) => requestId === undefined).map(({ event }) => event)
  const unreachable = ['datasourceUnreachable', 'datasourceUnreachable']
  deepStrictEqual(named, ['started', 'datasourceHeader', 'listening', ...unreachable, 'shuttingDown', 'stopped'])
  for (const event of events) {
    for (const key of ['time', 'level', 'target', 'event', 'message']) strictEqual(typeof event[key], 'string', key)
  }
})
