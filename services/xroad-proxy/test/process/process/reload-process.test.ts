/**
 * SIGHUP as a process gets it: twice, before it serves, while it ends; what metrics and readiness say of a new
 * identity; what the doctor says of passwords in files.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { call, keepCalling, linesOf, newFolder, until, writeFiles } from '@services/testing'
import { issueClient, issueServer, makeAuthority, toPkcs12 } from '@services/testing/certificates'
import { samplesOf } from '@services/testing/prometheus'
import { answer, type MutualUpstream, startMutualUpstream } from '../../support/upstreams/mutual-upstream.ts'
import { type Running, spawnProxy, startProxy } from '../../support/process.ts'
import { restFile } from '../../support/soap-service.ts'

const withoutSignals = process.platform === 'win32' ? 'Windows has no signals' : false
const authority = makeAuthority('authority of clients')
const servers = makeAuthority('authority of servers')
let upstream: MutualUpstream

before(async () => {
  upstream = await startMutualUpstream(issueServer(servers), authority)
})
after(() => upstream.close())

function put(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

function putIdentity(folder: string, name: string): void {
  const { key, certificate } = issueClient(authority, { name })
  put(join(folder, 'client.p12'), toPkcs12(key, [certificate], name))
  put(join(folder, 'password'), `${name}\n`)
}

const files = { 'g/now.yml': restFile('GET', 'now'), 'g/held.yml': restFile('GET', 'held') }

async function start(config: object = {}): Promise<Running> {
  const folder = newFolder({ 'trust.pem': servers.certificate })
  putIdentity(folder, 'first')
  const server = { url: upstream.url, keystore_path: 'client.p12', keystore_password_file: 'password' }
  const security_server = { ...server, trust_ca_path: 'trust.pem' }
  return startProxy({ folder, files, config: { security_server, ...config } })
}

function eventsIn(running: Running, text: RegExp): number {
  return linesOf(running.stdout()).filter((line) => text.test(line)).length
}

const reloaded = /Files and settings were read anew/

describe('SIGHUP', { skip: withoutSignals }, () => {
  test('twice quickly: what was written before the last one is served [O3.1]', async (t) => {
    const running = await start()
    t.after(() => running.kill('SIGKILL'))
    for (let round = 0; round < 5; round++) {
      running.kill('SIGHUP')
      writeFiles(join(running.folder, 'DSL'), { [`g/n${round}.yml`]: restFile('GET', 'now') })
      running.kill('SIGHUP')
      await until(async () => (await call(running.port, `/g/n${round}`)).status === 200, 'the new file')
    }
    const { code, stdout } = await running.stop()
    strictEqual(code, 0)
    ok(!stdout.includes(' ERROR '), stdout)
  })

  test('while the service ends: a line says so, and calls under way are answered [O3.1]', async (t) => {
    const running = await start()
    t.after(() => running.kill('SIGKILL'))
    const held = call(running.port, '/g/held')
    await until(() => upstream.waiting() === 1, 'a call that waits')
    // One that has begun when the end comes may be done or given up.
    running.kill('SIGHUP')
    running.kill('SIGTERM')
    await running.line(/Shutting down/)
    running.kill('SIGHUP')
    match(await running.line(/not read anew/), / INFO .*reason="?the service is ending/)
    upstream.release()
    const { status, text } = await held
    deepStrictEqual([status, text], [200, answer])
    const { code, stderr } = await running.ended
    deepStrictEqual([code, stderr], [0, ''])
  })

  test('metrics and readiness follow a new identity, and it is ready all the time [O3.2]', async (t) => {
    const running = await start({ admin: { bind: '127.0.0.1:0' } })
    t.after(() => running.kill('SIGKILL'))
    const admin = Number(/:(\d+)"?$/.exec(await running.line(/Admin pages/))?.[1])
    const ready = async (): Promise<number> => (await call(admin, '/ready')).status
    const samples = async (): Promise<ReadonlyMap<string, number>> => samplesOf((await call(admin, '/metrics')).text)
    const certificates = async (): Promise<string[]> =>
      [...(await samples()).keys()].filter((series) => series.includes('certificate_expiry_seconds{certificate="own'))
    await until(async () => (await ready()) === 200, 'readiness')
    const callers = keepCalling(running.port, '/g/now', { count: 4, body: answer, pauseMs: 5 })
    const ending = new AbortController()
    const seen = new Set<number>()
    const watching = (async () => {
      while (!ending.signal.aborted) seen.add(await ready())
    })()
    putIdentity(running.folder, 'second')
    running.kill('SIGHUP')
    await running.line(reloaded)
    await until(
      () => upstream.connections.some(({ client, calls }) => client === 'second' && calls === 0),
      'a question of /ready',
    )
    deepStrictEqual(await certificates(), ['xroad_proxy_certificate_expiry_seconds{certificate="own CN=second"}'])
    strictEqual((await samples()).get('xroad_proxy_reload_total{outcome="ok"}'), 1)

    put(join(running.folder, 'client.p12'), 'no keystore')
    running.kill('SIGHUP')
    match(
      await running.line(/cannot be read anew/),
      / ERROR .*error=keystore_load_failed reason=.*client\.p12: is not a PKCS12 file/,
    )
    strictEqual((await samples()).get('xroad_proxy_reload_total{outcome="failed"}'), 1)
    ending.abort()
    await watching
    deepStrictEqual([...seen], [200])
    deepStrictEqual((await callers.stop()).wrong, [])
    strictEqual((await running.stop()).code, 0)
    strictEqual(eventsIn(running, reloaded), 1)
  })

  test('a configuration that is gone, or can be read once only, takes nothing away [O3.1]', async (t) => {
    const running = await start()
    t.after(() => running.kill('SIGKILL'))
    const path = join(running.folder, 'proxy.yaml')
    renameSync(path, `${path}.away`)
    running.kill('SIGHUP')
    match(await running.line(/proxy\.yaml is gone/), / ERROR .*cannot be read anew.*put it back, or restart/)
    execFileSync('mkfifo', [path])
    running.kill('SIGHUP')
    match(await running.line(/not a regular file/), / ERROR .*cannot be read anew.*proxy\.yaml is not a regular file/)
    strictEqual((await call(running.port, '/g/now')).text, answer)
    renameSync(`${path}.away`, path)
    running.kill('SIGHUP')
    await running.line(reloaded)
    strictEqual((await running.stop()).code, 0)
  })

  test('another delay of the end applies to the end that comes then [O3.1]', async (t) => {
    const running = await start({ shutdown: { delay_seconds: 3600 } })
    t.after(() => running.kill('SIGKILL'))
    writeFileSync(join(running.folder, 'proxy.yaml'), JSON.stringify({ host: '127.0.0.1', port: 0 }))
    running.kill('SIGHUP')
    await running.line(reloaded)
    strictEqual((await running.stop()).code, 0)
  })
})

describe('a password in a file', () => {
  const dsl = { 'DSL/g/now.yml': files['g/now.yml'] }
  const security_server = {
    url: 'https://127.0.0.1:1',
    keystore_path: 'client.p12',
    keystore_password_file: 'password',
  }

  for (const [title, password, said] of [
    [
      'is missing',
      undefined,
      /security_server\.keystore_password_file: the file \(what stands there is not shown.*\) does not exist/,
    ],
    ['is empty', '\n', /security_server\.keystore_password_file: file password is empty/],
    ['is wrong', 'third', /client\.p12: the password in the file password is wrong/],
  ] as const) {
    test(`${title}: the service does not start, and says so without it [O3.2]`, async () => {
      const folder = newFolder({
        ...dsl,
        'proxy.yaml': JSON.stringify({ host: '127.0.0.1', port: 0, security_server }),
      })
      putIdentity(folder, 'first')
      const path = join(folder, 'password')
      if (password === undefined) renameSync(path, `${path}.away`)
      else put(path, password)
      const { code, stdout } = await spawnProxy({ cwd: folder }).ended
      strictEqual(code, 1)
      match(stdout, /keystore_load_failed/)
      match(stdout, said)
      ok(!stdout.includes('third'))
      const doctor = await spawnProxy({ cwd: folder, args: ['doctor'] }).ended
      ok(doctor.code !== 0)
      match(doctor.stdout, said)
    })
  }
})
