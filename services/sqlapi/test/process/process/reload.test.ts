/**
 * Files and settings read anew while the service runs: SIGHUP, a watch, and the set that takes the place of another. A
 * process runs only if the moment of its signal counts. Locks of the database and bodies that have not come hold
 * requests; nothing waits for a time.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { call, type Files, keepCalling, linesOf, newFolder, until, Wire, writeFiles } from '@services/testing'
import { makeAuthority } from '@services/testing/certificates'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import pg from 'pg'
import { startWithAdmin } from '../../support/admin.ts'
import { configure, type Served, startInside } from '../../support/inside.ts'
import { spawnSqlapi, startSqlapi } from '../../support/process.ts'

const lite = { name: 'lite', url: 'sqlite:lite.db' }
const one: Files = { 'lite/GET/one.sql': 'SELECT 1 AS one' }

let postgres: ThrowawayPostgres

before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

function write({ folder }: Served, files: Files): void {
  writeFiles(join(folder, 'sql'), files)
}

function told({ stdout }: Pick<Served, 'stdout'>, words: string): string[] {
  return linesOf(stdout()).filter((line) => line.includes(words))
}

const done = 'Files and settings were read anew'
const failed = 'cannot be read anew'

/** Has it read everything anew, and gives the line of what came of it. */
async function reload(running: Served): Promise<string> {
  const before = told(running, 'read anew').length
  running.hangUp()
  await until(() => told(running, 'read anew').length > before, 'the end of a reload')
  return told(running, 'read anew').at(-1) as string
}

async function reloadWell(running: Served): Promise<void> {
  const line = await reload(running)
  ok(line.includes(done), line)
}

async function textOf({ port }: Served, path: string, headers = {}): Promise<string> {
  return (await call(port, path, { headers })).text
}

/** The sessions of a name, as the server knows them. */
async function sessions(name: string): Promise<number[]> {
  const rows = await postgres.query(`SELECT pid FROM pg_stat_activity WHERE application_name = '${name}'`)
  return rows.map(({ pid }) => pid as number)
}

/** Holds whoever asks for the lock, until it is released. */
async function holdLock(key: number): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('SELECT pg_advisory_lock($1)', [key])
  return () => client.end()
}

function untilHeld(name: string, count: number): Promise<void> {
  const query = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = '${name}' AND wait_event = 'advisory'`
  return until(async () => (await postgres.query(query))[0]?.['n'] === count, `${count} that are held`)
}

describe('SIGHUP', { concurrency: 2 }, () => {
  test('new, changed and removed files are served; one line tells it [O3.1]', async () => {
    const running = await startInside({
      files: { ...one, 'lite/GET/two.sql': 'SELECT 2 AS two' },
      config: { datasources: [lite] },
    })
    write(running, { 'lite/GET/one.sql': 'SELECT 11 AS one', 'lite/POST/new.sql': 'SELECT :x AS x' })
    rmSync(join(running.folder, 'sql/lite/GET/two.sql'))
    strictEqual(await textOf(running, '/lite/one'), '[{"one":1}]')
    match(await reload(running), / INFO .*were read anew trigger=SIGHUP endpoints=2 ms=\d+$/)
    strictEqual(await textOf(running, '/lite/one'), '[{"one":11}]')
    strictEqual((await call(running.port, '/lite/new', { body: { x: 5 } })).text, '[{"x":5}]')
    match(await textOf(running, '/lite/two'), /does not exist/)
    await running.stop()
  })

  test('limits, levels, CORS, formats of errors and pages are those of the new configuration [O3.1]', async () => {
    const running = await startInside({
      files: { 'lite/POST/echo.sql': 'SELECT :x AS x', 'lite/GET/bad.sql': 'SELECT nothing' },
      config: { datasources: [lite] },
    })
    const echo = (x: string): ReturnType<typeof call> => call(running.port, '/lite/echo', { body: { x } })
    strictEqual((await echo('x'.repeat(100))).status, 200)
    match(await textOf(running, '/openapi.json'), /does not exist/)
    configure(running, {
      datasources: [lite, { name: 'other', url: 'sqlite:other.db' }],
      server: { max_body_bytes: 50 },
      cors: { allowed_origins: 'https://a.example' },
      errors: 'full',
      openapi: true,
      logging: { level: 'info,sqlx=debug', format: 'json' },
      allow_datasource_header: false,
    })
    await reloadWell(running)
    strictEqual((await echo('x'.repeat(100))).status, 413)
    const { headers, text } = await echo('x')
    strictEqual(text, '[{"x":"x"}]')
    strictEqual(headers['access-control-allow-origin'], undefined)
    ok('position' in (JSON.parse(await textOf(running, '/lite/bad')) as object))
    const { paths } = JSON.parse(await textOf(running, '/openapi.json')) as { paths: object }
    ok('/lite/echo' in paths)
    strictEqual((await call(running.port, '/docs')).status, 200)
    deepStrictEqual(
      (JSON.parse(await textOf(running, '/datasources')) as { name: string }[]).map(({ name }) => name),
      ['lite', 'other'],
    )
    await until(() => told(running, '"parameters":"[\\"x\\"]"').length === 1, 'the statement in the log')
    await running.stop()
  })

  test('what a start would refuse changes nothing, with one ERROR in its words; mended, it is served [O3.1]', async () => {
    const config = { datasources: [lite] }
    const running = await startInside({ files: one, config, env: { EMPTY: '' } })
    const broken: [make: () => void, mend: () => void, reason: RegExp][] = [
      [
        () => write(running, { 'lite/GET/empty.sql': ' ' }),
        () => rmSync(join(running.folder, 'sql/lite/GET/empty.sql')),
        /error=InvalidQueryException reason="file lite\/GET\/empty\.sql is empty; write a statement or remove the file"/,
      ],
      [
        () => write(running, { 'lite/GET/ONE.sql': 'SELECT 2' }),
        () => rmSync(join(running.folder, 'sql/lite/GET/ONE.sql')),
        /ONE\.sql and lite\/GET\/one\.sql give the same endpoint/,
      ],
      [
        () => configure(running, { ...config, server: { max_body_bites: 1 } }),
        () => configure(running, config),
        /error=InvalidConfigurationException reason=".*sqlapi\.yaml:1: server\.max_body_bites: .*did you mean max_body_bytes/,
      ],
      [
        () => writeFileSync(join(running.folder, 'sqlapi.yaml'), '{'),
        () => configure(running, config),
        /error=InvalidConfigurationException reason=.*sqlapi\.yaml:1/,
      ],
      [
        () => configure(running, { datasources: [{ ...lite, username: 'me', password_env: 'NOBODY_SETS_IT' }] }),
        () => configure(running, config),
        /environment variable NOBODY_SETS_IT is not set/,
      ],
      [
        () => configure(running, { datasources: [{ ...lite, username: 'me', password_env: 'EMPTY' }] }),
        () => configure(running, config),
        /datasources\[0\]\.password_env: environment variable EMPTY is empty; set it to the password/,
      ],
      [
        () => renameSync(join(running.folder, 'sql'), join(running.folder, 'gone')),
        () => renameSync(join(running.folder, 'gone'), join(running.folder, 'sql')),
        /error=InvalidDirectoryException reason="\S+sqlapi\.yaml:1: sql_dir '\S+sql' .* does not exist/,
      ],
      [
        () => symlinkSync('/etc/hostname', join(running.folder, 'sql/lite/GET/out.sql')),
        () => rmSync(join(running.folder, 'sql/lite/GET/out.sql')),
        /out\.sql is a symbolic link that leads out of sql_dir/,
      ],
    ]
    for (const [index, [make, mend, reason]] of broken.entries()) {
      make()
      const line = await reload(running)
      match(line, / ERROR .*those from before are still served trigger=SIGHUP /)
      match(line, reason)
      strictEqual(await textOf(running, '/lite/one'), `[{"one":${index + 1}}]`)
      strictEqual(told(running, ' ERROR ').length, index + 1)
      mend()
      write(running, { 'lite/GET/one.sql': `SELECT ${index + 2} AS one` })
      await reloadWell(running)
      strictEqual(await textOf(running, '/lite/one'), `[{"one":${index + 2}}]`)
    }
    await running.stop()
  })

  const root = process.getuid?.() === 0 ? 'root may read everything' : false
  test('a file that cannot be read changes nothing [O3.1]', { skip: root }, async () => {
    const running = await startInside({ files: one, config: { datasources: [lite] } })
    const path = join(running.folder, 'sql/lite/GET/one.sql')
    chmodSync(path, 0)
    match(await reload(running), /one\.sql cannot be read \(EACCES\)/)
    strictEqual(await textOf(running, '/lite/one'), '[{"one":1}]')
    chmodSync(path, 0o600)
    await reloadWell(running)
    await running.stop()
  })

  test('what a start would tell is told again, and what it would refuse with checks: refuse is refused [O3.1]', async () => {
    const running = await startInside({ files: one, config: { datasources: [lite] } })
    write(running, { 'lite/GET/write.sql': 'DELETE FROM t', 'odd/GET/x.sql': 'SELECT 1' })
    await reloadWell(running)
    strictEqual(told(running, 'Project without a datasource').length, 1)
    ok(told(running, 'lite/GET/write.sql').length > 0)
    configure(running, { datasources: [lite], checks: 'refuse' })
    match(
      await reload(running),
      / ERROR .*in the files, and checks is refuse: .*sql\/odd\/GET\/x\.sql:1:1: datasource:/,
    )
    await running.stop()
  })

  test('fields that cannot change are a WARN each, and the rest applies [O3.1]', async () => {
    const server = { bind: '127.0.0.1:0', workers: 1, fast_reader: true }
    const running = await startInside({ files: one, config: { datasources: [lite], server } })
    configure(running, {
      datasources: [lite],
      server: { bind: '127.0.0.1:1', workers: 3, fast_reader: false, max_body_bytes: 7, max_pipelined_requests: 1 },
      admin: { bind: '127.0.0.1:0' },
    })
    write(running, { 'lite/GET/one.sql': 'SELECT 2 AS one', 'lite/POST/echo.sql': 'SELECT :x AS x' })
    await reloadWell(running)
    strictEqual(await textOf(running, '/lite/one'), '[{"one":2}]')
    strictEqual((await call(running.port, '/lite/echo', { body: { x: 1 } })).status, 200)
    strictEqual((await call(running.port, '/lite/echo', { body: { x: 1234567 } })).status, 413)
    const warned = told(running, 'cannot change while the service runs').map((line) => {
      return / WARN .*field=(\S+) origin=\S+sqlapi\.yaml:1 configured=(\S+) runs=(\S+) cure="restart/
        .exec(line)
        ?.slice(1, 4)
    })
    deepStrictEqual(warned, [
      ['server.bind', '127.0.0.1:1', '127.0.0.1:0'],
      ['server.workers', '3', '1'],
      ['server.fast_reader', 'false', 'true'],
      ['admin.bind', '127.0.0.1:0', 'none'],
    ])
    // What is as it was is not told.
    configure(running, { datasources: [lite], server })
    await reloadWell(running)
    strictEqual(told(running, 'cannot change while the service runs').length, 4)
    await running.stop()
  })

  test('one that comes while another is under way is done afterwards, and the end takes precedence [O3.1]', async () => {
    const running = await startSqlapi({ files: one, config: { datasources: [lite] } })
    write(
      running,
      Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`lite/GET/f${n}.sql`, `SELECT ${n} AS n`])),
    )
    running.kill('SIGHUP')
    write(running, { 'lite/GET/one.sql': 'SELECT 2 AS one' })
    running.kill('SIGHUP')
    await until(async () => (await textOf(running, '/lite/one')) === '[{"one":2}]', 'the last state')
    // A request holds the end up, and what comes in that time is not read.
    const wire = await Wire.open(running.port)
    wire.write('POST /lite/none HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n')
    await wire.answer({ bodiless: true })
    running.kill('SIGHUP')
    running.kill('SIGTERM')
    await running.line(/Shutting down/)
    running.kill('SIGHUP')
    match(await running.line(/are not read anew/), / INFO .*signal=SIGHUP reason="the service is ending"$/)
    wire.write('{}')
    strictEqual((await running.ended).code, 0)
    deepStrictEqual(told(running, ' ERROR '), [])
  })

  test('one that comes before the service runs is done when it does [O3.1]', async () => {
    const files = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`sql/lite/GET/f${n}.sql`, `SELECT ${n}`]))
    const config = { sql_dir: 'sql', server: { bind: '127.0.0.1:0' }, datasources: [lite], logging: { level: 'debug' } }
    const spawned = spawnSqlapi({ cwd: newFolder({ ...files, 'sqlapi.yaml': JSON.stringify(config) }) })
    // Its listeners for signals are there before it tells that it has read its files.
    await spawned.line(/Configuration and SQL files read/)
    spawned.kill('SIGHUP')
    match(await spawned.line(/read anew/), / INFO .*were read anew trigger=SIGHUP endpoints=500 /)
    spawned.kill('SIGTERM')
    strictEqual((await spawned.ended).code, 0)
  })
})

describe('requests under way', { concurrency: 2 }, () => {
  test('finish with the set that they began with, also one whose body is still to come [O3.1]', async () => {
    const name = 'reload-under-way'
    const datasource = { name: 'pg', url: `${postgres.url}?application_name=${name}`, max_connections: 3 }
    const running = await startInside({
      files: {
        'pg/POST/held.sql': "SELECT 'old' AS set FROM pg_advisory_xact_lock(:key)",
        'pg/POST/gone.sql': 'SELECT :x AS x',
      },
      config: { datasources: [datasource] },
    })
    const release = await holdLock(1001)
    const held = call(running.port, '/pg/held', { body: { key: 1001 } })
    await untilHeld(name, 1)
    const wire = await Wire.open(running.port)
    wire.write('POST /pg/gone HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 7\r\n\r\n')
    strictEqual((await wire.answer({ bodiless: true })).status, 100)
    // Other settings: the pool is another one, and the one of before is still needed.
    configure(running, { datasources: [{ ...datasource, acquire_timeout_seconds: 7 }] })
    write(running, { 'pg/POST/held.sql': "SELECT 'new' AS set, :key AS key" })
    rmSync(join(running.folder, 'sql/pg/POST/gone.sql'))
    await reloadWell(running)
    strictEqual((await call(running.port, '/pg/held', { body: { key: 1 } })).text, '[{"set":"new","key":1}]')
    match((await call(running.port, '/pg/gone', { body: { x: 1 } })).text, /does not exist/)
    wire.write('{"x":5}')
    strictEqual((await wire.answer()).text, '[{"x":5}]')
    await release()
    strictEqual((await held).text, '[{"set":"old"}]')
    // The old pool goes with the last of them.
    await until(async () => (await sessions(name)).length === 1, 'one session')
    await running.stop()
  })

  test('a pool whose settings did not change stays, with its sessions; others go [O3.1]', async () => {
    const [kept, changed] = ['reload-kept', 'reload-changed']
    const urlOf = (name: string): string => `${postgres.url}?application_name=${name}`
    const files = {
      'kept/GET/pid.sql': 'SELECT pg_backend_pid() AS pid',
      'changed/GET/pid.sql': 'SELECT pg_backend_pid() AS pid',
      'lite/GET/one.sql': 'SELECT 1 AS one',
    }
    const running = await startInside({
      files,
      config: { datasources: [{ name: 'kept', url: urlOf(kept) }, { name: 'changed', url: urlOf(changed) }, lite] },
    })
    for (const path of ['/kept/pid', '/changed/pid', '/lite/one'])
      strictEqual((await call(running.port, path)).status, 200)
    const before = { kept: await sessions(kept), changed: await sessions(changed) }
    configure(running, {
      // `optional` is about readiness only.
      datasources: [
        { name: 'kept', url: urlOf(kept), optional: true },
        { name: 'changed', url: urlOf(changed), time_zone: '+02:00' },
        { name: 'added', url: 'sqlite:added.db' },
      ],
    })
    write(running, { 'added/GET/one.sql': 'SELECT 5 AS five' })
    await reloadWell(running)
    for (const path of ['/kept/pid', '/changed/pid', '/added/one'])
      strictEqual((await call(running.port, path)).status, 200)
    match(await textOf(running, '/lite/one'), /Datasource 'lite' is not configured/)
    deepStrictEqual(await sessions(kept), before.kept)
    await until(async () => (await sessions(changed)).every((pid) => !before.changed.includes(pid)), 'other sessions')
    await running.stop()
  })

  test('a password and certificates that were rotated: new connections use them, no call fails [O3.2] [S-config.datasources.password_file]', async () => {
    const folder = newFolder({ 'secret.txt': 'first\n' })
    await postgres.query(`CREATE ROLE rotated LOGIN PASSWORD 'first'`)
    const url = new URL(`${postgres.url}?application_name=reload-rotated&sslmode=prefer`)
    url.username = ''
    url.password = ''
    const authority = makeAuthority()
    const ca = join(folder, 'ca.pem')
    writeFileSync(ca, authority.certificate)
    url.searchParams.set('sslmode', 'prefer')
    const datasource = { name: 'pg', url: url.href, username: 'rotated', password_file: join(folder, 'secret.txt') }
    const config = { datasources: [datasource] }
    const running = await startInside({ folder, files: { 'pg/GET/who.sql': 'SELECT current_user AS who' }, config })
    const callers = keepCalling(running.port, '/pg/who', { count: 4, body: '[{"who":"rotated"}]', pauseMs: 5 })
    await until(() => callers.soFar().right > 20, 'answers')
    const before = await sessions('reload-rotated')
    await postgres.query(`ALTER ROLE rotated PASSWORD 'second'`)
    writeFileSync(join(folder, 'secret.txt'), 'second')
    await reloadWell(running)
    await until(async () => {
      const now = await sessions('reload-rotated')
      return now.length > 0 && now.every((pid) => !before.includes(pid))
    }, 'other sessions')
    writeFileSync(join(folder, 'secret.txt'), '')
    match(await reload(running), / ERROR .*datasources\[0\]\.password_file: file .*secret\.txt is empty/)
    // A pipe that nobody writes to: reading it would hold up all callers.
    rmSync(join(folder, 'secret.txt'))
    execFileSync('mkfifo', [join(folder, 'secret.txt')])
    match(await reload(running), / ERROR .*datasources\[0\]\.password_file: file .*secret\.txt is not a regular file/)
    rmSync(join(folder, 'secret.txt'))
    // Trust anchors: broken ones are refused before a connection needs them.
    writeFileSync(join(folder, 'secret.txt'), 'second')
    writeFileSync(ca, 'no certificate')
    configure(running, { datasources: [{ ...datasource, url: `${url.href}&sslrootcert=${ca}` }] })
    match(
      await reload(running),
      / ERROR .*datasources\[0\]: the files with which pg logs in cannot be used: sslrootcert: /,
    )
    rmSync(ca)
    match(await reload(running), / ERROR .*the files with which pg logs in cannot be used: .*ENOENT/)
    execFileSync('mkfifo', [ca])
    match(await reload(running), / ERROR .*cannot be used: .*ca\.pem is not a regular file/)
    configure(running, config)
    await reloadWell(running)
    deepStrictEqual((await callers.stop()).wrong, [])
    doesNotMatch(running.stdout(), /first|second/)
    await running.stop()
  })

  test('a database in memory stays, whatever its settings become, with a WARN [O3.1]', async () => {
    const memory = { name: 'lite', url: 'sqlite::memory:' }
    const files = { 'lite/POST/make.sql': 'CREATE TABLE t AS SELECT 7 AS x', 'lite/GET/t.sql': 'SELECT x FROM t' }
    const running = await startInside({ files, config: { datasources: [memory] } })
    strictEqual((await call(running.port, '/lite/make', { body: {} })).status, 200)
    await reloadWell(running)
    strictEqual(told(running, ' WARN ').length, 0)
    configure(running, { datasources: [{ ...memory, acquire_timeout_seconds: 9 }] })
    await reloadWell(running)
    strictEqual(await textOf(running, '/lite/t'), '[{"x":7}]')
    match(told(running, ' WARN ').join('\n'), /field=datasources\[0\] origin=\S+sqlapi\.yaml:1 .*in memory/)
    await running.stop()
  })

  test('none fails under load while files, pools and limits change again and again [O3.1]', async () => {
    const datasource = { name: 'pg', url: `${postgres.url}?application_name=reload-load`, max_connections: 4 }
    const files = { 'pg/GET/one.sql': 'SELECT 1 AS one', ...one }
    const running = await startInside({ files, config: { datasources: [datasource, lite] } })
    const callers = [
      keepCalling(running.port, '/pg/one', { count: 6, body: '[{"one":1}]', pauseMs: 5 }),
      keepCalling(running.port, '/lite/one', { count: 4, body: '[{"one":1}]', pauseMs: 5 }),
    ]
    const answered = (): number => callers.reduce((sum, caller) => sum + caller.soFar().right, 0)
    for (let round = 1; round <= 8; round++) {
      const enough = answered() + 50
      configure(running, {
        datasources: [
          { ...datasource, acquire_timeout_seconds: 5 + (round % 3) },
          { ...lite, statement_timeout_seconds: round % 2 },
        ],
        server: { max_body_bytes: 1000 + round },
      })
      write(running, { 'lite/GET/one.sql': `SELECT 1 AS one -- ${round}`, [`pg/GET/new-${round}.sql`]: 'SELECT 1' })
      await reloadWell(running)
      await until(() => answered() > enough, 'answers of the new set')
    }
    const calls = await Promise.all(callers.map((caller) => caller.stop()))
    deepStrictEqual(
      calls.flatMap(({ wrong }) => wrong),
      [],
    )
    await until(async () => (await sessions('reload-load')).length <= 4, 'the sessions of one pool')
    await running.stop()
  })
})

describe('reload: watch', { concurrency: 2 }, () => {
  test('files are served soon after they change; a broken state is one ERROR until it is mended [O3.1] [S-config.reload]', async () => {
    const config = { datasources: [lite], reload: 'watch' }
    const running = await startInside({ files: one, config })
    write(running, { 'lite/GET/one.sql': 'SELECT 2 AS one' })
    await until(async () => (await textOf(running, '/lite/one')) === '[{"one":2}]', 'the new file')
    write(running, { 'lite/GET/broken.sql': ' ' })
    match(await running.line(/ ERROR /), /cannot be read anew.* trigger=watch .*broken\.sql is empty/)
    write(running, { 'lite/GET/broken.sql': 'SELECT 3 AS three' })
    await until(async () => (await textOf(running, '/lite/broken')) === '[{"three":3}]', 'the mended file')
    configure(running, { ...config, errors: 'full' })
    await until(() => told(running, done).length === 3, 'the configuration')
    strictEqual(told(running, failed).length, 1)
    configure(running, { ...config, reload: 'off' })
    await until(() => told(running, done).length === 4, 'the last that is seen')
    await running.stop()
  })

  test('a ConfigMap that is mounted: its links change all at once [O3.1]', async () => {
    const folder = newFolder()
    const root = join(folder, 'sql')
    const version = (number: number): void => {
      writeFiles(join(root, `..version-${number}`), { 'lite/GET/one.sql': `SELECT ${number} AS one` })
      symlinkSync(`..version-${number}`, join(root, '..data_tmp'))
      renameSync(join(root, '..data_tmp'), join(root, '..data'))
    }
    mkdirSync(root)
    version(1)
    symlinkSync(join('..data', 'lite'), join(root, 'lite'))
    const running = await startInside({ folder, files: {}, config: { datasources: [lite], reload: 'watch' } })
    strictEqual(await textOf(running, '/lite/one'), '[{"one":1}]')
    version(2)
    rmSync(join(root, '..version-1'), { recursive: true })
    await until(async () => (await textOf(running, '/lite/one')) === '[{"one":2}]', 'the second version')
    deepStrictEqual(told(running, ' ERROR '), [])
    await running.stop()
  })
})

describe('the admin listener', () => {
  test('readiness and metrics follow the datasources; reloads are counted [O3.1] [O1.2] [O1.3]', async () => {
    const admin = { bind: '127.0.0.1:0' }
    const pgSource = { name: 'pg', url: postgres.url }
    const running = await startWithAdmin({ files: one, config: { datasources: [lite, pgSource] } })
    await running.untilReady('ready')
    strictEqual((await call(running.port, '/lite/one')).status, 200)
    const down = { name: 'down', url: 'postgres://127.0.0.1:1/none' }
    configure(running, { datasources: [lite, down], admin })
    await reloadWell(running)
    await running.untilReady('not_ready')
    const partsNow = async (): Promise<string[]> =>
      (await running.ready()).parts.map(({ name, state, optional }) => `${name} ${state} ${optional}`)
    deepStrictEqual(await partsNow(), ['lite up false', 'down down false'])
    configure(running, { datasources: [lite, { ...down, optional: true }], admin })
    await reloadWell(running)
    await running.untilReady('ready')
    deepStrictEqual(await partsNow(), ['lite up false', 'down down true'])
    write(running, { 'lite/GET/empty.sql': '' })
    match(await reload(running), / ERROR /)
    strictEqual((await call(running.port, '/lite/one')).status, 200)
    const samples = await running.samples()
    strictEqual(samples.get('sqlapi_reload_total{outcome="ok"}'), 2)
    strictEqual(samples.get('sqlapi_reload_total{outcome="failed"}'), 1)
    const names = [...samples.keys()]
    ok(names.some((name) => name.startsWith('sqlapi_connections{datasource="lite"')))
    ok(names.some((name) => name.startsWith('sqlapi_connections{datasource="down"')))
    ok(!names.some((name) => name.startsWith('sqlapi_connections{datasource="pg"')))
    const requests = 'sqlapi_http_requests_total{endpoint="/lite/one",method="GET",status="200",error=""}'
    strictEqual(samples.get(requests), 2)
    await running.stop()
  })
})
