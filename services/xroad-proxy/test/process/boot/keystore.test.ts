import { deepStrictEqual, fail, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  connect,
  createServer,
  type PeerCertificate,
  type SecureContext,
  type SecureVersion,
  type TlsOptions,
  type TLSSocket,
} from 'node:tls'
import { promisify } from 'node:util'
import { newFolder } from '@services/testing'
import {
  type Issued,
  issueClient,
  issueServer,
  makeAuthority,
  makeIntermediate,
  makeKey,
  makeSelfSigned,
  toDer,
  toPkcs12,
} from '@services/testing/certificates'
import fc from 'fast-check'
import { createClientContext, createPublicContext, createServerCheck } from '../../../src/boot/tls/keystore.ts'
import { StartupFailure } from '../../../src/errors.ts'

const folder = newFolder()

const password = 'S3cret word/1'
const variable = 'KEYSTORE_PASSWORD_OF_TEST'
const authority = makeAuthority()
const stranger = makeAuthority('another authority')
const server = issueServer(authority)
const client = issueClient(authority)
const good = write('good.p12', toPkcs12(client.key, [client.certificate], password))
const trust = write('trust.pem', authority.certificate)

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function fixture(name: string): Buffer {
  return Buffer.from(readFileSync(join(import.meta.dirname, '../../fixtures', `${name}.base64`), 'latin1'), 'base64')
}

interface Changes {
  readonly keystore?: string
  readonly trustCaPath?: string | undefined
  readonly word?: string | undefined
}

function create(changes: Changes = {}): SecureContext {
  const { keystore = good, trustCaPath = trust } = changes
  const word = 'word' in changes ? changes.word : password
  return createClientContext(
    { keystorePath: keystore, keystorePasswordEnv: variable, trustCaPath },
    { [variable]: word },
  )
}

/** The failure in words; whatever it says, it must not say the password. */
function failure(code: string, changes: Changes): string {
  try {
    create(changes)
  } catch (error) {
    ok(error instanceof StartupFailure, String(error))
    strictEqual(error.code, code)
    for (const secret of [password, 'fixture', changes.word]) ok(!secret || !error.message.includes(secret))
    return error.message
  }
  return fail(`expected ${code}`)
}

interface Met {
  /** What the server saw of the client. */
  readonly client: PeerCertificate
  readonly version: string | null
}

/** A handshake with a real server: both sides' view of it. */
async function meet(
  context: SecureContext,
  identity: Issued,
  options: TlsOptions = {},
  trustCaPath?: string,
): Promise<Met> {
  const seen = Promise.withResolvers<PeerCertificate>()
  const listener = createServer({ key: identity.key, cert: identity.certificate, requestCert: true, ...options })
  listener.on('secureConnection', (socket: TLSSocket) => {
    seen.resolve(socket.getPeerCertificate())
    socket.on('error', () => {})
    socket.end()
  })
  listener.on('tlsClientError', () => {})
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const check = trustCaPath === undefined ? {} : { checkServerIdentity: createServerCheck({ trustCaPath }) }
  const socket = connect({ host: '127.0.0.1', port, secureContext: context, rejectUnauthorized: true, ...check })
  try {
    await once(socket, 'secureConnect')
    return { client: await seen.promise, version: socket.getProtocol() }
  } finally {
    socket.destroy()
    listener.close()
  }
}

const anyClient = { rejectUnauthorized: false }

describe('identities that load and reach the server [S-auth.2 S-config.security_server.keystore_path]', () => {
  const strict = { ca: authority.certificate, rejectUnauthorized: true }

  for (const algorithm of ['aes256', '3des'] as const) {
    test(`RSA in PKCS12 with ${algorithm}`, async () => {
      const keystore = write(`${algorithm}.p12`, toPkcs12(client.key, [client.certificate], password, algorithm))
      const met = await meet(create({ keystore }), server, strict)
      strictEqual(met.client.subject.CN, 'client')
    })
  }

  test('under a password outside ASCII', async () => {
    const word = 'sõna €'
    const keystore = write('word.p12', toPkcs12(client.key, [client.certificate], word, '3des'))
    strictEqual((await meet(create({ keystore, word }), server, strict)).client.subject.CN, 'client')
  })

  test('a key on an elliptic curve is taken', async () => {
    const keystore = write('ec.p12', fixture('ec.p12'))
    const met = await meet(create({ keystore, word: 'fixture' }), server, anyClient)
    strictEqual(met.client.subject.CN, 'client-ec')
  })

  test('with the chain of its issuers, which is sent along', async () => {
    const middle = makeIntermediate(authority)
    const below = issueClient(middle)
    const chain = [below.certificate, middle.certificate, authority.certificate]
    const keystore = write('chain.p12', toPkcs12(below.key, chain, password))
    strictEqual((await meet(create({ keystore }), server, strict)).client.issuer.CN, 'test intermediate')
  })

  test('expired: whether that matters is for the server to say', async () => {
    const old = issueClient(authority, { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') })
    const keystore = write('expired.p12', toPkcs12(old.key, [old.certificate], password))
    const met = await meet(create({ keystore }), server, anyClient)
    ok(new Date(met.client.valid_to) < new Date())
  })

  test('behind a symbolic link, as mounted secrets are', () => {
    const link = join(folder, 'link.p12')
    symlinkSync(good, link)
    ok(create({ keystore: link }))
  })
})

describe('versions of TLS [D2.7 S-auth.2]', () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const satisfies readonly SecureVersion[]) {
    test(`${version} is enough`, async () => {
      const met = await meet(create(), server, { ...anyClient, minVersion: version, maxVersion: version })
      strictEqual(met.version, version)
    })
  }

  test('less is refused, by a server that would take it', async () => {
    const old: TlsOptions = { ...anyClient, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' }
    await rejects(meet(create(), server, old), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
    await rejects(meet(createPublicContext(), server, old), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
  })
})

describe('what is wrong with a keystore, in words [D1.5 S-error.keystore_load_failed S-startup]', () => {
  const other = makeKey()
  const weakKey = makeKey(1024)
  const weak = issueClient(authority, { key: weakKey })
  const whole = toPkcs12(client.key, [client.certificate], password)
  const files: readonly [string, Buffer | string, RegExp][] = [
    ['empty', '', /: is empty$/],
    ['JKS', fixture('client.jks'), /Java keystore.*`keytool -importkeystore .* -deststoretype PKCS12`/],
    ['JCEKS', Buffer.from('cececece0000000200000001', 'hex'), /Java keystore/],
    ['PEM', client.key + client.certificate, /PEM file.*`openssl pkcs12 -export /],
    ['PEM after other text', `Bag Attributes\n${client.certificate}`, /PEM file/],
    ['DER certificate', toDer(client.certificate), /certificate \(DER\) without a private key/],
    ['DER key', toDer(client.key), /is not a PKCS12 file/],
    ['base64', whole.toString('base64'), /base64 text.*`base64 -d`/],
    ['garbage', Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) % 251)), /is not a PKCS12 file/],
    ['one byte', '0', /is not a PKCS12 file/],
    ['cut off', whole.subarray(0, 900), /cut off or damaged/],
    ['cut off in its head', whole.subarray(0, 7), /cut off or damaged/],
    ['no private key', toPkcs12(undefined, [client.certificate], password), /holds no private key/],
    ['no certificate', toPkcs12(client.key, [], password), /no certificate that belongs to its private key/],
    [
      'key of another',
      toPkcs12(other, [client.certificate], password),
      /no certificate that belongs to its private key/,
    ],
    ['weak key', toPkcs12(weakKey, [weak.certificate], password), /key is too short.*2048/],
  ]
  for (const [name, content, words] of files) {
    test(name, () => {
      const keystore = write(`${name}.bad`, content)
      const message = failure('keystore_load_failed', { keystore })
      match(message, words)
      ok(message.startsWith(`security_server.keystore_path ${keystore}: `), message)
    })
  }

  test('a cipher that the TLS library rejects, with the commands that export it again', () => {
    const message = failure('keystore_load_failed', {
      keystore: write('rc2.p12', fixture('rc2-40.p12')),
      word: 'fixture',
    })
    match(message, /cipher that the TLS library rejects/)
    match(message, /`openssl pkcs12 -legacy -in old\.p12 -nodes -out all\.pem`/)
    match(message, /`openssl pkcs12 -export -in all\.pem -out new\.p12`/)
  })

  test('a wrong password wins over the cipher', () => {
    const message = failure('keystore_load_failed', { keystore: join(folder, 'rc2.p12'), word: 'other-word' })
    match(message, /password .* is wrong$/)
  })

  test('missing, a directory, a device, below a file, a link to itself', () => {
    const keystores: readonly [string, RegExp][] = [
      [join(folder, 'none.p12'), /file does not exist$/],
      [folder, /is a directory/],
      ['/dev/null', /is not a regular file/],
      [join(good, 'deeper.p12'), /does not exist \(a part of its path is not a directory\)/],
      [join(folder, 'loop.p12'), /link that leads to itself/],
    ]
    symlinkSync('loop.p12', join(folder, 'loop.p12'))
    for (const [keystore, words] of keystores) match(failure('keystore_load_failed', { keystore }), words)
  })

  test('a file larger than any keystore is refused', () => {
    const keystore = write('large.p12', Buffer.alloc(16 * 1024 * 1024 + 1))
    match(failure('keystore_load_failed', { keystore }), /larger than 16777216 bytes/)
  })

  test(
    'a file that may not be read is refused',
    { skip: process.getuid?.() === 0 && 'the administrator may read every file' },
    () => {
      const keystore = write('locked.p12', whole)
      chmodSync(keystore, 0)
      match(failure('keystore_load_failed', { keystore }), /may not be read by the user/)
    },
  )

  test('damaged anywhere: loads or fails in words, and the password stays out of them', () => {
    const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), length: fc.nat(whole.length) })
    fc.assert(
      fc.property(change, ({ at, byte, length }) => {
        const damaged = Buffer.from(length % 4 === 0 ? whole.subarray(0, length) : whole)
        if (at < damaged.length) damaged[at] = byte
        try {
          create({ keystore: write('damaged.p12', damaged) })
        } catch (error) {
          ok(error instanceof StartupFailure)
          ok(!error.message.includes(password))
        }
      }),
      { numRuns: 150 },
    )
  })
})

describe('the password [D1.5 S-env.PROXY_KEYSTORE_PASSWORD S-config.security_server.keystore_password_env]', () => {
  test('the variable is not set, or empty: there is no default', () => {
    match(
      failure('keystore_load_failed', { word: undefined }),
      /^environment variable KEYSTORE_PASSWORD_OF_TEST: is not set/,
    )
    match(failure('keystore_load_failed', { word: '' }), /^environment variable KEYSTORE_PASSWORD_OF_TEST: is empty/)
  })

  test('wrong: the variable is named, nothing of its value', () => {
    const short = failure('keystore_load_failed', { word: 'x-x' })
    strictEqual(failure('keystore_load_failed', { word: 'y'.repeat(200) }), short)
    match(short, /the password in the environment variable KEYSTORE_PASSWORD_OF_TEST is wrong$/)
  })

  test('wrong because of a line break at its end', () => {
    match(failure('keystore_load_failed', { word: `${password}\n` }), /is wrong \(it begins or ends with white space/)
  })
})

describe('whom the Security Server is verified with [D2.7 S-config.security_server.trust_ca_path]', () => {
  test('several certificates, in any order, with text and line ends of any kind around them', async () => {
    const text = `\ufeff# ours\r\n${stranger.certificate}\nSubject: x\r\n${authority.certificate}${stranger.certificate}`
    const bundle = write('bundle.pem', text)
    await meet(create({ trustCaPath: bundle }), server, anyClient, bundle)
    await meet(create({ trustCaPath: bundle }), issueServer(stranger), anyClient, bundle)
  })

  test('the certificate itself, self-signed or not, and an intermediate authority are enough', async () => {
    const middle = makeIntermediate(authority)
    const below = issueServer(middle)
    const itself = makeSelfSigned()
    const pairs: readonly [Issued, Issued][] = [
      [itself, itself],
      [server, server],
      [middle, below],
    ]
    for (const [trusted, identity] of pairs) {
      const trustCaPath = write('one.pem', trusted.certificate)
      strictEqual((await meet(create({ trustCaPath }), identity, anyClient, trustCaPath)).client.subject.CN, 'client')
    }
  })

  test('an authority inside the keystore is not one to trust [S-auth.2]', async () => {
    const other = issueServer(stranger)
    const keystore = write('chain.p12', toPkcs12(client.key, [client.certificate, stranger.certificate], password))
    const context = create({ keystore })
    strictEqual((await meet(context, server, anyClient, trust)).client.subject.CN, 'client')
    await rejects(meet(context, other, anyClient, trust), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })
    // Unless it is named as well.
    const both = write('both.pem', authority.certificate + stranger.certificate)
    strictEqual(
      (await meet(create({ keystore, trustCaPath: both }), other, anyClient, both)).client.subject.CN,
      'client',
    )
    // The name is compared as ever.
    const misnamed = issueServer(authority, { names: ['other.example'] })
    await rejects(meet(context, misnamed, anyClient, trust), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })

  test('another authority is refused', async () => {
    await rejects(meet(create(), issueServer(stranger), anyClient), { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' })
  })

  const files: readonly [string, Buffer | string, RegExp][] = [
    ['empty', '', /: is empty, expected PEM/],
    ['DER', toDer(authority.certificate), /is a DER file.*`openssl x509 -inform der /],
    ['PKCS12', readFileSync(good), /is a PKCS12 file.*-nokeys/],
    ['JKS', fixture('client.jks'), /Java keystore.*-exportcert/],
    ['PKCS7', '-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n', /is a PKCS7 file.*-print_certs/],
    ['only a key', client.key, /but no certificate/],
    ['garbage', 'hello', /holds no certificate/],
    [
      'second damaged',
      `${stranger.certificate}${authority.certificate.replace('MII', 'AAA')}`,
      /certificate 2 of 2 is damaged/,
    ],
    ['last cut off', `${stranger.certificate}${authority.certificate.slice(0, 300)}`, /cut off: 2 begin and 1 end/],
  ]
  for (const [name, content, words] of files) {
    test(`${name}: told in words`, () => {
      const trustCaPath = write(`${name}.ca`, content)
      const message = failure('trust_ca_load_failed', { trustCaPath })
      match(message, words)
      ok(message.startsWith(`security_server.trust_ca_path ${trustCaPath}: `), message)
    })
  }

  test('missing, a directory: told in words', () => {
    match(failure('trust_ca_load_failed', { trustCaPath: join(folder, 'none.pem') }), /file does not exist$/)
    match(failure('trust_ca_load_failed', { trustCaPath: folder }), /is a directory/)
  })
})

/** Connects in a process of its own: what the system trusts is settled by the environment at its start. */
const probe = `
  import { connect } from 'node:tls'
  import { createClientContext, createPublicContext, createServerCheck } from ${JSON.stringify(new URL('../../../src/boot/tls/keystore.ts', import.meta.url).href)}
  const [port, kind, keystorePath, trustCaPath] = process.argv.slice(1)
  const settings = { keystorePath, keystorePasswordEnv: 'KEYSTORE_PASSWORD_OF_TEST', trustCaPath }
  const secureContext = kind === 'public' ? createPublicContext() : createClientContext(settings, process.env)
  const socket = connect({ host: '127.0.0.1', port: Number(port), secureContext }, () => {
    process.stdout.write('trusted')
    socket.destroy()
  })
  socket.on('error', ({ code }) => process.stdout.write(code))
`

async function probeTrust(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> {
  const listener = createServer({ key: server.key, cert: server.certificate }, (socket) => socket.on('error', () => {}))
  listener.on('tlsClientError', () => {})
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  try {
    const command = ['--no-warnings', '--input-type=module', '-e', probe, '--', String(port), ...args]
    const ended = await promisify(execFile)(process.execPath, command, { env: { ...env, [variable]: password } })
    return ended.stdout
  } finally {
    listener.close()
  }
}

describe('the system trust store [D2.7 S-auth.2]', () => {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const others = { PATH, NODE_COMPILE_CACHE }

  test('is what stands in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS, with an identity and without', async () => {
    for (const name of ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']) {
      const env = { ...others, [name]: trust }
      deepStrictEqual(
        [await probeTrust(env, 'client', good), await probeTrust(env, 'public')],
        ['trusted', 'trusted'],
        name,
      )
    }
    strictEqual(await probeTrust(others, 'client', good), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })

  test('trust_ca_path takes its place', async () => {
    const env = { ...others, SSL_CERT_FILE: trust, NODE_EXTRA_CA_CERTS: trust }
    const elsewhere = write('elsewhere.pem', stranger.certificate)
    strictEqual(await probeTrust(env, 'client', good, elsewhere), 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY')
  })

  test('of a machine that has none is the one that comes with Node', async () => {
    const env = { ...others, SSL_CERT_FILE: join(folder, 'none.pem'), SSL_CERT_DIR: join(folder, 'none') }
    strictEqual(await probeTrust(env, 'public'), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })

  test('makes the settings of direct calls, once and without an identity', async () => {
    strictEqual(createPublicContext(), createPublicContext())
    await rejects(meet(createPublicContext(), server, anyClient), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  })
})
