/** What the doctor reads out of a keystore. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { issueClient, makeAuthority, makeIntermediate, makeKey, toDer, toPkcs12 } from '@services/testing/certificates'
import { readIdentity } from '../../../src/doctor/facts/keystore-facts.ts'
import { examine, inDays, server, trust } from '../../support/doctor.ts'

function read(pfx: Buffer, passphrase: string) {
  const identity = readIdentity(createSecureContext({ pfx, passphrase }))
  ok(identity)
  return identity
}

const sha256 = (pem: string): string => createHash('sha256').update(toDer(pem)).digest('hex').toUpperCase()

test('RSA: names, dates, key, digest and the certificate itself [S-doctor.info-keystore-identity]', () => {
  const authority = makeAuthority('the authority')
  const dates = { notBefore: inDays(-3), notAfter: inDays(40) }
  const { key, certificate } = issueClient(authority, { key: makeKey(3072), ...dates })
  const identity = read(toPkcs12(key, [certificate], 'word'), 'word')
  const { subject, issuer, keyType, validFrom, validTo, pem } = identity
  deepStrictEqual(
    { subject, issuer, keyType, validFrom, validTo },
    {
      subject: 'CN=client',
      issuer: 'CN=the authority',
      keyType: 'RSA 3072 bits',
      validFrom: dates.notBefore,
      validTo: dates.notAfter,
    },
  )
  strictEqual(identity.sha256.replaceAll(':', ''), sha256(certificate))
  ok(new X509Certificate(pem).raw.equals(new X509Certificate(certificate).raw))
})

test('a key on an elliptic curve is told [S-doctor.info-keystore-identity]', () => {
  const text = readFileSync(join(import.meta.dirname, '../../fixtures/ec.p12.base64'), 'latin1')
  const { subject, issuer, keyType, pem } = read(Buffer.from(text, 'base64'), 'fixture')
  deepStrictEqual([subject, issuer, keyType], ['CN=client-ec', 'CN=client-ec', 'EC prime256v1'])
  strictEqual(new X509Certificate(pem).subject, 'CN=client-ec')
})

test('the leaf, wherever it stands among its authorities [S-doctor.info-keystore-identity]', () => {
  const root = makeAuthority()
  const middle = makeIntermediate(root)
  const { key, certificate } = issueClient(middle, { key: makeKey() })
  for (const others of [
    [middle.certificate, root.certificate],
    [root.certificate, middle.certificate],
  ]) {
    const { sha256: digest } = read(toPkcs12(key, [certificate, ...others], 'word'), 'word')
    strictEqual(digest.replaceAll(':', ''), sha256(certificate))
  }
})

test('settings without an identity have none', () => {
  strictEqual(readIdentity(createSecureContext({ ca: trust })), undefined)
})

test('the finding tells it all and holds the certificate to upload [S-doctor.info-keystore-identity D6.1]', () => {
  const found = examine({ config: { security_server: server } }).find(({ code }) => code === 'info-keystore-identity')
  match(found?.headline ?? '', /CN=client, issued by CN=test authority, key RSA 2048 bits, valid until \d{4}-\d\d-\d\d/)
  match(found?.headline ?? '', /\(90 days left\), SHA-256 (?:[\dA-F]{2}:){31}[\dA-F]{2}$/)
  const [pem = ''] = /-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n/.exec(found?.recovery ?? '') ?? []
  strictEqual(new X509Certificate(pem).subject, 'CN=client')
  ok(!/PRIVATE/.test(found?.recovery ?? ''))
})
