/**
 * A keystore, its password and the authorities of the Security Server that change while calls are under way: real
 * mutual TLS, and a server that keeps who showed which certificate.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type Callers, keepCalling, newFolder, until } from '@services/testing'
import { issueClient, issueServer, makeAuthority, toPkcs12 } from '@services/testing/certificates'
import { restFile } from '../../support/soap-service.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { answer, type MutualUpstream, startMutualUpstream } from '../../support/upstreams/mutual-upstream.ts'

const authority = makeAuthority('authority of clients')
const serverAuthority = makeAuthority('first authority of servers')
const otherAuthority = makeAuthority('second authority of servers')
const folder = newFolder()
const keystore = join(folder, 'client.p12')
const passwordFile = join(folder, 'password')
const trust = join(folder, 'trust.pem')

/** As who rotates secrets does: each file whole, none of them at the same moment as the other. */
function put(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

function putIdentity(name: string): void {
  const { key, certificate } = issueClient(authority, { name })
  put(keystore, toPkcs12(key, [certificate], `password of ${name}`))
}

function putPassword(name: string): void {
  put(passwordFile, `password of ${name}\n`)
}

const dsl = { 'g/now.yml': restFile('GET', 'now'), 'g/held.yml': restFile('GET', 'held') }

describe('under load', () => {
  let upstream: MutualUpstream
  let lanes: Lanes
  let callers: Callers

  before(async () => {
    upstream = await startMutualUpstream(issueServer(serverAuthority), authority)
  })
  after(() => upstream.close())

  beforeEach(() => {
    putIdentity('first')
    putPassword('first')
    put(trust, serverAuthority.certificate)
  })

  // For a test that has failed.
  afterEach(async () => {
    await callers.stop()
    await lanes.close()
  })

  async function start(): Promise<void> {
    const server = { url: upstream.url, keystore_path: keystore, keystore_password_file: passwordFile }
    lanes = await startLanes({ dsl, config: { security_server: { ...server, trust_ca_path: trust } } })
    callers = keepCalling(lanes.port, '/g/now', { count: 8, body: answer })
    await untilCalls(20)
  }

  function untilCalls(more: number): Promise<void> {
    const { right } = callers.soFar()
    return until(() => callers.soFar().right >= right + more || callers.soFar().wrong.length > 0, 'calls')
  }

  async function stop(): Promise<void> {
    const { right, wrong } = await callers.stop()
    deepStrictEqual(wrong, [])
    ok(right > 0)
  }

  const open = (client: string): number =>
    upstream.connections.filter((connection) => connection.isOpen && connection.client === client).length

  test('new connections use the new identity, old ones end when idle, a call under way keeps its own, and none fails [O3.2]', async () => {
    await start()
    const held = lanes.call('/g/held')
    await until(() => upstream.waiting() === 1, 'a call that waits')
    putIdentity('second')
    putPassword('second')
    strictEqual((await lanes.hangUp())['event'], 'reloaded')
    await until(() => open('first') === 1, 'all but one of the old connections to end')
    // Whoever began before may still have called as the first one.
    await untilCalls(50)
    const from = upstream.callers.length
    await untilCalls(50)
    deepStrictEqual([...new Set(upstream.callers.slice(from))], ['second'])
    upstream.release()
    const { status, text } = await held
    deepStrictEqual([status, text], [200, answer])
    await until(() => open('first') === 0, 'the last of the old connections to end')
    await stop()
  })

  test('again and again, with and without a change: connections stay where nothing has changed [O3.2]', async () => {
    await start()
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      putIdentity(name)
      putPassword(name)
      strictEqual((await lanes.hangUp())['event'], 'reloaded')
      await untilCalls(20)
      await until(
        () => upstream.connections.every(({ isOpen, client }) => !isOpen || client === name),
        'old ones to end',
      )
      await untilCalls(8)
      const opened = upstream.connections.length
      await lanes.hangUp()
      await untilCalls(20)
      strictEqual(upstream.connections.length, opened)
    }
    await stop()
  })

  test('a keystore whose password is not there yet changes nothing, and the log says so; then it does [O3.2]', async () => {
    await start()
    putIdentity('second')
    const { event, error, reason, level } = await lanes.hangUp()
    deepStrictEqual([event, error, level], ['reloadFailed', 'keystore_load_failed', 'error'])
    match(String(reason), /client\.p12: the password in the file .*password is wrong/)
    ok(!String(reason).includes('password of'))
    await untilCalls(20)
    strictEqual(open('second'), 0)
    putPassword('second')
    strictEqual((await lanes.hangUp())['event'], 'reloaded')
    await until(() => open('first') === 0 && open('second') > 0, 'the new identity')
    await stop()
  })

  test('authorities change with the certificate of the server, and no call fails [O3.2]', async () => {
    await start()
    put(trust, serverAuthority.certificate + otherAuthority.certificate)
    strictEqual((await lanes.hangUp())['event'], 'reloaded')
    upstream.present(issueServer(otherAuthority))
    await untilCalls(20)
    put(trust, otherAuthority.certificate)
    const opened = upstream.connections.length
    strictEqual((await lanes.hangUp())['event'], 'reloaded')
    await until(() => upstream.connections.slice(0, opened).every(({ isOpen }) => !isOpen), 'old connections to end')
    await untilCalls(20)
    await stop()
  })
})
