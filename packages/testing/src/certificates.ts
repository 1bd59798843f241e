/**
 * Certificates for the tests: an authority, server and client identities it issues, and what is wrong with them on
 * purpose. Keys and signatures come from node:crypto (fast), certificates and PKCS12 files from node-forge, which knows
 * RSA only.
 */
import { generateKeyPairSync, randomBytes, sign as signBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import forge from 'node-forge'
import { keptFolder } from './process/kept.ts'

/** PEM texts. */
export interface Issued {
  readonly key: string
  readonly certificate: string
}

export interface ServerOptions {
  /** DNS names and IPv4 addresses; those of the loopback unless given. */
  readonly names?: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
  readonly key?: string
}

const dayMs = 86_400_000
const address = /^\d+\.\d+\.\d+\.\d+$/
const loopback = ['127.0.0.1', 'localhost']

const usualBits = 2048
/** As many keys are kept for later runs: each takes a tenth of a second to find. */
const keptKeys = 12
let taken = 0

/** No other key of this process. */
export function makeKey(bits: number = usualBits): string {
  if (bits !== usualBits || taken === keptKeys) return findKey(bits)
  const folder = keptFolder('test-keys', (unfinished) => {
    for (let i = 0; i < keptKeys; i++) writeFileSync(join(unfinished, `${i}.pem`), findKey(usualBits))
  })
  return readFileSync(join(folder, `${taken++}.pem`), 'utf8')
}

function findKey(bits: number): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return privateKey.export({ type: 'pkcs1', format: 'pem' })
}

/** Most identities share a key: what matters here is who signed. */
const sharedKey = makeKey()

export function makeAuthority(name: string = 'test authority'): Issued {
  const key = makeKey()
  return { key, certificate: sign({ key, name, issuer: { key, name }, extensions: authorityExtensions }) }
}

/** An authority below another one. */
export function makeIntermediate(above: Issued, name: string = 'test intermediate'): Issued {
  const key = makeKey()
  return { key, certificate: sign({ key, name, issuer: issuerOf(above), extensions: authorityExtensions }) }
}

export function issueServer(authority: Issued, options: ServerOptions = {}): Issued {
  const { names = loopback, key = sharedKey, ...dates } = options
  return {
    key,
    certificate: sign({
      key,
      name: 'server',
      issuer: issuerOf(authority),
      extensions: [alternatives(names)],
      ...dates,
    }),
  }
}

export interface ClientOptions extends Omit<ServerOptions, 'names'> {
  /** Its common name; `client` unless given. */
  readonly name?: string
}

export function issueClient(authority: Issued, options: ClientOptions = {}): Issued {
  const { key = sharedKey, name = 'client', ...dates } = options
  return { key, certificate: sign({ key, name, issuer: issuerOf(authority), extensions: [], ...dates }) }
}

/** As a Security Server makes its own: no authority involved. */
export function makeSelfSigned(options: ServerOptions = {}): Issued {
  const { names = loopback, key = sharedKey, ...dates } = options
  const issuer = { key, name: 'server' }
  return { key, certificate: sign({ key, name: 'server', issuer, extensions: [alternatives(names)], ...dates }) }
}

/** A PKCS12 file. `certificates` starts with the identity's own; without a key it is a trust store. */
export function toPkcs12(
  key: string | undefined,
  certificates: readonly string[],
  password: string,
  algorithm: 'aes256' | '3des' = 'aes256',
): Buffer {
  const container = forge.pkcs12.toPkcs12Asn1(
    key === undefined ? null : forge.pki.privateKeyFromPem(key),
    // The types demand a certificate, the library does not.
    (certificates.length === 0
      ? null
      : certificates.map((pem) => forge.pki.certificateFromPem(pem))) as forge.pki.Certificate[],
    password,
    { algorithm, generateLocalKeyId: certificates.length > 0 },
  )
  return Buffer.from(forge.asn1.toDer(container).getBytes(), 'latin1')
}

export function toDer(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64')
}

interface Issuer {
  readonly key: string
  readonly name: string
}

interface Content {
  readonly key: string
  readonly name: string
  readonly issuer: Issuer
  readonly extensions: readonly object[]
  readonly notBefore?: Date
  readonly notAfter?: Date
}

const authorityExtensions = [
  { name: 'basicConstraints', cA: true, critical: true },
  { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
]

function issuerOf({ key, certificate }: Issued): Issuer {
  const name = forge.pki.certificateFromPem(certificate).subject.getField('CN') as { value: string }
  return { key, name: name.value }
}

function alternatives(names: readonly string[]): object {
  return {
    name: 'subjectAltName',
    altNames: names.map((name) => (address.test(name) ? { type: 7, ip: name } : { type: 2, value: name })),
  }
}

function sign({ key, name, issuer, extensions, notBefore, notAfter }: Content): string {
  const certificate = forge.pki.createCertificate()
  const { n, e } = forge.pki.privateKeyFromPem(key)
  certificate.publicKey = forge.pki.setRsaPublicKey(n, e)
  // The first bit stays clear: a serial number is a positive integer.
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}`
  certificate.validity.notBefore = notBefore ?? new Date(Date.now() - dayMs)
  certificate.validity.notAfter = notAfter ?? new Date(Date.now() + dayMs)
  certificate.setSubject([{ name: 'commonName', value: name }])
  certificate.setIssuer([{ name: 'commonName', value: issuer.name }])
  certificate.setExtensions([...extensions])
  // By the platform: with its own key forge would compute for as long as the rest takes.
  const toSign = (): Buffer => Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'latin1')
  const signer = { sign: () => signBytes('sha256', toSign(), issuer.key).toString('latin1') }
  certificate.sign(signer as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create())
  return forge.pki.certificateToPem(certificate)
}
