/** Certificates that have expired, are not valid yet or will expire soon: what the log has of them, and when. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { issueClient, makeAuthority, makeSelfSigned, toPkcs12 } from '@services/testing/certificates'
import { type Clock, watchCertificates } from '../../../src/certificate-watch.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { type DatedCertificate, validityOf } from '../../../src/boot/tls/certificates.ts'
import { startLanes } from '../../support/lanes.ts'

const dayMs = 86_400_000
const start = new Date('2026-03-01T12:00:00Z')
const inDays = (days: number, from = start): Date => new Date(from.getTime() + days * dayMs)

const own: DatedCertificate = {
  kind: 'own',
  place: 'security_server.keystore_path client.p12',
  subject: 'CN=client',
  validFrom: inDays(-100),
  validTo: inDays(33),
}

/** A clock that a test moves by days. */
function stoppedClock(): Clock & { pass(days: number): void; readonly isWatched: boolean } {
  let now = start
  let daily: (() => void) | undefined
  return {
    now: () => now,
    eachDay(run) {
      daily = run
      return () => (daily = undefined)
    },
    pass(days) {
      for (let day = 0; day < days; day++) {
        now = inDays(1, now)
        daily?.()
      }
    },
    get isWatched() {
      return daily !== undefined
    },
  }
}

function watch(certificates: readonly DatedCertificate[], clock: Clock): { messages: string[]; stop: () => void } {
  const messages: string[] = []
  const stop = watchCertificates(
    certificates,
    { emit: (_event, fields) => void messages.push((fields as { message: string }).message) },
    clock,
  )
  return { messages, stop }
}

describe('the watch over certificates [X3]', () => {
  test('from 30 days before the end on each day has one WARN, also after the end', () => {
    const clock = stoppedClock()
    const { messages } = watch([own], clock)
    clock.pass(2)
    deepStrictEqual(messages, [])
    clock.pass(1)
    match(
      messages[0]!,
      /^security_server\.keystore_path client\.p12: the client certificate CN=client expires on 2026-04-03, in 30 days; /,
    )
    clock.pass(29)
    strictEqual(messages.length, 30)
    match(messages[29]!, /expires on 2026-04-03, in 1 day; make a new one, upload it/)
    clock.pass(3)
    strictEqual(messages.length, 33)
    match(messages[32]!, /has expired on 2026-04-03; a Security Server refuses it/)
  })

  test('a certificate that ends soon is told at once at start', () => {
    const expired = { ...own, validTo: inDays(-1) }
    const early = { ...own, validFrom: inDays(1), validTo: inDays(400) }
    const anchor = {
      ...own,
      kind: 'trusted' as const,
      place: 'security_server.trust_ca_path ca.pem',
      validTo: inDays(-1),
    }
    const { messages } = watch([expired, early, anchor, { ...own, validTo: inDays(31) }], stoppedClock())
    strictEqual(messages.length, 3)
    match(messages[0]!, /has expired on 2026-02-28; /)
    match(messages[1]!, /is valid only from 2026-03-02T12:00:00\.000Z on; check the clock/)
    match(
      messages[2]!,
      /^security_server\.trust_ca_path ca\.pem: the certificate CN=client has expired on 2026-02-28; a server/,
    )
  })

  test('ends with the service, and without certificates there is none', () => {
    const clock = stoppedClock()
    const { stop } = watch([own], clock)
    strictEqual(clock.isWatched, true)
    stop()
    strictEqual(clock.isWatched, false)
    watch([], clock)
    strictEqual(clock.isWatched, false)
  })

  test('the limits of days hold to the millisecond', () => {
    const at = (validFrom: number, validTo: number): string =>
      validityOf(
        { validFrom: new Date(start.getTime() + validFrom), validTo: new Date(start.getTime() + validTo) },
        start,
      )
    const month = 30 * dayMs
    deepStrictEqual(
      [at(0, month + 1), at(0, month), at(0, 0), at(0, -1), at(1, month), at(1, -1)],
      ['good', 'expiring', 'expiring', 'expired', 'not_yet_valid', 'expired'],
    )
  })

  test('does not keep the process alive', async () => {
    const script = `
      const { watchCertificates } = await import(process.argv[1])
      const validTo = new Date(Date.now() + 1e9)
      watchCertificates([{ kind: 'own', place: 'p', subject: '', validFrom: new Date(0), validTo }], { emit: (_, { message }) => console.log(message) })
    `
    const module = new URL('../../../src/certificate-watch.ts', import.meta.url).href
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, module])
    // Ends by itself, or the test runs out of time.
    match(await text(child.stdout), /^p: the client certificate without a name expires on .*, in 11 days; /)
  })
})

describe('a start with a certificate that is no good [X3]', () => {
  const authority = makeAuthority()
  const folder = newFolder()
  const now = new Date()
  const rest =
    'kind: rest\nmethod: GET\ntarget: {member_class: GOV, member_code: "1", subsystem_code: s, service_code: c}\n'
  const direct = 'method: POST\nservice: https://service.example.org/\nenvelope: <a/>\n'

  async function warningsWith(
    dates: { notBefore?: Date; notAfter?: Date },
    trust?: string,
    dsl: string = rest,
  ): Promise<string[]> {
    const { key, certificate } = issueClient(authority, { notAfter: inDays(90, now), ...dates })
    const keystore = join(folder, 'client.p12')
    writeFileSync(keystore, toPkcs12(key, [certificate], keystorePassword))
    const bundle = join(folder, 'trust.pem')
    if (trust !== undefined) writeFileSync(bundle, trust)
    const security_server = { keystore_path: keystore, ...(trust === undefined ? {} : { trust_ca_path: bundle }) }
    const lanes = await startLanes({ dsl: { 'g/s.yml': dsl }, config: { security_server } })
    const warnings = lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => String(message))
    await lanes.close()
    return warnings.map((warning) => warning.replaceAll(`${folder}/`, ''))
  }

  const cases: readonly (readonly [string, Parameters<typeof warningsWith>, readonly RegExp[]])[] = [
    ['one that is good', [{ notAfter: inDays(32, now) }], []],
    ['expired', [{ notAfter: inDays(-1, now) }], [/^security_server\.keystore_path client\.p12: .* has expired on /]],
    ['not valid yet', [{ notBefore: inDays(1, now) }], [/keystore_path client\.p12: .* is valid only from /]],
    ['about to expire', [{ notAfter: inDays(29.5, now) }], [/expires on .*, in 29 days; /]],
    ['expired, but no endpoint needs it', [{ notAfter: inDays(-1, now) }, undefined, direct], []],
    [
      'trusted certificates that have expired or will soon',
      [
        {},
        makeSelfSigned({ notAfter: inDays(-1, now) }).certificate +
          makeSelfSigned({ notAfter: inDays(3.5, now) }).certificate +
          makeSelfSigned({ notAfter: inDays(90, now) }).certificate,
      ],
      [/^security_server\.trust_ca_path trust\.pem: .* has expired on /, /trust_ca_path trust\.pem: .* in 3 days; /],
    ],
  ]
  for (const [name, given, expected] of cases) {
    test(name, async () => {
      const warnings = await warningsWith(...given)
      strictEqual(warnings.length, expected.length, warnings.join('\n'))
      for (const [index, pattern] of expected.entries()) match(warnings[index]!, pattern)
    })
  }
})
