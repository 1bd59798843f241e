/**
 * The mock's throw-away certificates: a CA of its own, the server's certificate, and a client identity as PKCS12 for
 * the proxy under trial. In comes a folder, out go the paths of five files in it; a whole set that is still valid is
 * kept, so that a restart does not cut off proxies which loaded it. The key of the CA is never written. The only user
 * of node-forge.
 */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { makeFolder } from '@services/command-line'
import forge from 'node-forge'
import { ownCertificate } from '../boot/tls/own-certificate.ts'
import { StartupFailure } from '../errors.ts'

export interface PkiFiles {
  /** The CA that signed both certificates: `trust_ca_path` of the proxy. */
  readonly ca: string
  readonly serverCertificate: string
  readonly serverKey: string
  /** Key and certificate of the client: `keystore_path` of the proxy. */
  readonly keystore: string
  readonly clientCertificate: string
}

/** Password of the PKCS12 file. Fixed and public: the identity is worth nothing outside of the mock. */
export const keystorePassword = 'mock'

const validDays = 365
/** A set that ends sooner than this is made again, so that a mock started today works through the day. */
const renewBeforeMs = 86_400_000
/** Clocks of other machines and containers may be behind. */
const backdateMs = 86_400_000
const rsaBits = 2048
const caName = 'Mock Security Server CA'
const alwaysServed = ['localhost', '127.0.0.1', '::1']
/** What a certificate can name; an address with a zone, for one, cannot be in one. */
const servable = /^[\w-]+(?:\.[\w-]+)*$|^[0-9a-f:]+$/i

/**
 * `hosts`: further names and addresses that the server's certificate is to be valid for. `findKey` gives an RSA key of
 * 2048 bits as PEM (PKCS #1), another one each time.
 */
export function writePki(folder: string, hosts: readonly string[] = [], findKey: () => string = newKey): PkiFiles {
  const files = filesOf(folder)
  const served = [...new Set([...alwaysServed, ...hosts.filter((host) => servable.test(host))])]
  try {
    makeFolder(folder)
    if (isUsable(files, served)) return files
    refuseForeign(folder, files)
    writeAll(files, createSet(served, findKey))
  } catch (error) {
    if (error instanceof StartupFailure) throw error
    throw new StartupFailure(
      'invalid_configuration',
      `mock: ${folder} cannot hold the certificates: ${(error as Error).message}; --folder names another one`,
    )
  }
  return files
}

function filesOf(folder: string): PkiFiles {
  return {
    ca: join(folder, 'ca.pem'),
    serverCertificate: join(folder, 'server.pem'),
    serverKey: join(folder, 'server.key'),
    keystore: join(folder, 'client.p12'),
    clientCertificate: join(folder, 'client.pem'),
  }
}

/** Whether the files are one set, whole, valid long enough and for these hosts. */
function isUsable(files: PkiFiles, hosts: readonly string[]): boolean {
  try {
    const ca = new X509Certificate(readFileSync(files.ca))
    const server = new X509Certificate(readFileSync(files.serverCertificate))
    const client = new X509Certificate(readFileSync(files.clientCertificate))
    const pfx = readFileSync(files.keystore)
    const identity = createSecureContext({ pfx, passphrase: keystorePassword })
    return (
      [ca, server, client].every((certificate) => isCurrent(certificate) && certificate.verify(ca.publicKey)) &&
      server.checkPrivateKey(createPrivateKey(readFileSync(files.serverKey))) &&
      hosts.every((host) => (isIP(host) === 0 ? server.checkHost(host) : server.checkIP(host)) !== undefined) &&
      // Forge takes twenty times as long to open a keystore.
      ownCertificate(identity)?.raw.equals(client.raw) === true
    )
  } catch {
    return false
  }
}

function isCurrent({ validFrom, validTo }: X509Certificate): boolean {
  const now = Date.now()
  return Date.parse(validFrom) <= now && Date.parse(validTo) - renewBeforeMs > now
}

const clientAlias = 'mock client'

/** Files of these names that the mock did not write stay as they are: somebody's real identity may be among them. */
function refuseForeign(folder: string, files: PkiFiles): void {
  const present = Object.values(files).filter((path: string) => existsSync(path)) as string[]
  if (present.length === 0) return
  const issuers = new Set([files.ca, files.serverCertificate, files.clientCertificate].map(issuerOf))
  const isOurs = issuers.has('ours') && !issuers.has('foreign')
  if (isOurs) return
  const names = present.map((path) => path.slice(folder.length).replace(/^[\\/]/, '')).join(', ')
  throw new StartupFailure(
    'invalid_configuration',
    `mock: ${folder} holds ${names}, not written by the mock; choose another folder or delete them`,
  )
}

function issuerOf(path: string): 'ours' | 'foreign' | 'unknown' {
  try {
    const { issuer } = new X509Certificate(readFileSync(path))
    return issuer.split('\n').includes(`CN=${caName}`) ? 'ours' : 'foreign'
  } catch {
    return 'unknown'
  }
}

function createSet(hosts: readonly string[], findKey: () => string): Readonly<Record<keyof PkiFiles, string | Buffer>> {
  const [caKey, serverKey, clientKey] = [findKey(), findKey(), findKey()]
  const ca = createCertificate(caName, caKey, caKey, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ])
  const altNames = hosts.map((host) => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host }))
  const server = createCertificate('Mock Security Server', serverKey, caKey, [
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames },
  ])
  const client = createCertificate('Mock client', clientKey, caKey, [
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, critical: true },
    { name: 'extKeyUsage', clientAuth: true },
  ])
  // Without the CA: OpenSSL would trust servers by it, and a missing trust_ca_path would show only with a real server.
  const keystore = forge.pkcs12.toPkcs12Asn1(forge.pki.privateKeyFromPem(clientKey), [client], keystorePassword, {
    algorithm: 'aes256',
    friendlyName: clientAlias,
  })
  return {
    ca: forge.pki.certificateToPem(ca),
    serverCertificate: forge.pki.certificateToPem(server),
    serverKey,
    keystore: Buffer.from(forge.asn1.toDer(keystore).getBytes(), 'binary'),
    clientCertificate: forge.pki.certificateToPem(client),
  }
}

/** Made by the platform: forge would take seconds. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: rsaBits })
  return privateKey.export({ type: 'pkcs1', format: 'pem' })
}

function createCertificate(
  commonName: string,
  key: string,
  issuerKey: string,
  extensions: object[],
): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate()
  const { n, e } = forge.pki.privateKeyFromPem(key)
  certificate.publicKey = forge.pki.setRsaPublicKey(n, e)
  // The first digit keeps the number positive and of full length.
  certificate.serialNumber = `4${randomBytes(16).toString('hex').slice(1)}`
  const now = Date.now()
  certificate.validity.notBefore = new Date(now - backdateMs)
  certificate.validity.notAfter = new Date(now + validDays * 86_400_000)
  certificate.setSubject([{ name: 'commonName', value: commonName }])
  certificate.setIssuer([{ name: 'commonName', value: caName }])
  certificate.setExtensions(extensions)
  // By the platform as well.
  const content = (): Buffer => Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'binary')
  const signer = { sign: () => sign('sha256', content(), issuerKey).toString('binary') }
  certificate.sign(signer as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create())
  return certificate
}

const secretMode = 0o600
const publicMode = 0o644

/**
 * Each file appears whole or not at all; a set that was interrupted half-way does not count and is made again next
 * time.
 */
function writeAll(files: PkiFiles, contents: Readonly<Record<keyof PkiFiles, string | Buffer>>): void {
  for (const [key, path] of Object.entries(files) as [keyof PkiFiles, string][]) {
    const mode = key === 'serverKey' || key === 'keystore' ? secretMode : publicMode
    const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
    try {
      writeFileSync(draft, contents[key], { mode, flag: 'wx' })
      renameSync(draft, path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
  }
}
