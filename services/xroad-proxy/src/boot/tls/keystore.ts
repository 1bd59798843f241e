/**
 * Makes the TLS settings of outgoing connections, once: with our identity (a PKCS12 file) for the Security Server,
 * without one for direct calls. Parsing a keystore and some hundred authorities takes milliseconds that no connection
 * should pay again. Whatever is wrong with a file is told in words with the way out, never with the password.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import {
  checkServerIdentity,
  createSecureContext,
  type DetailedPeerCertificate,
  getCACertificates,
  type PeerCertificate,
  type SecureContext,
} from 'node:tls'
import { StartupFailure, type StartupFailureCode } from '../../errors.ts'

export interface KeystoreSettings {
  /** Where it stands in the configuration: `security_server` unless given. */
  readonly section?: string | undefined
  readonly keystorePath: string
  /** Name of the environment variable with the password. */
  readonly keystorePasswordEnv: string
  /** PEM file that takes the place of the system's authorities. */
  readonly trustCaPath?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const minVersion = 'TLSv1.2'
/** More is a wrong file; a device or an image would fill the memory. */
const maxFileBytes = 16 * 1024 * 1024

export function createClientContext(settings: KeystoreSettings, env: Environment): SecureContext {
  const { keystorePath: path, keystorePasswordEnv, trustCaPath } = settings
  const identity: NamedFile = { code: 'keystore_load_failed', label: `${placeOf(settings)} ${path}` }
  const pfx = readFile(path, identity)
  if (pfx.length === 0) refuse(identity, 'is empty')
  const passphrase = readPassword(keystorePasswordEnv, env)
  // Whoever lists authorities trusts each of them, also one that is itself issued by another.
  const trust =
    trustCaPath === undefined ? { ca: systemTrust() } : { ca: readTrust(trustCaPath), allowPartialTrustChain: true }
  try {
    return createSecureContext({ ...trust, pfx, passphrase, minVersion })
  } catch (error) {
    return refuse(identity, explain(error, pfx, passphrase, keystorePasswordEnv))
  }
}

/** The field with the path of the keystore. */
export function placeOf({ section = 'security_server' }: Pick<KeystoreSettings, 'section'>): string {
  return `${section}.keystore_path`
}

/** As of node:tls: what is wrong with the server, or nothing. */
export type ServerCheck = (host: string, certificate: PeerCertificate) => Error | undefined

/**
 * The TLS library trusts authorities inside the keystore like those that were given. This check keeps to the latter: the
 * server's chain must lead to one of them. The authorities are read here and kept: the file may be gone by the first call.
 */
export function createServerCheck({ trustCaPath }: Pick<KeystoreSettings, 'trustCaPath'>): ServerCheck {
  const trust = trustCaPath === undefined ? systemTrust() : readTrust(trustCaPath)
  let anchors: ReadonlySet<string> | undefined
  return (host, certificate) => {
    const problem = checkServerIdentity(host, certificate)
    if (problem !== undefined) return problem
    anchors ??= new Set(trust.map(toFingerprint))
    if (leadsTo(anchors, certificate)) return undefined
    return Object.assign(new Error('the issuer is trusted by the keystore only'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })
  }
}

function toFingerprint(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256
}

function leadsTo(anchors: ReadonlySet<string>, certificate: Partial<DetailedPeerCertificate>): boolean {
  let current = certificate
  while (current.fingerprint256 !== undefined && !anchors.has(current.fingerprint256)) {
    const { issuerCertificate: issuer } = current
    // The last one is its own issuer.
    if (issuer === undefined || issuer === current) return false
    current = issuer
  }
  return current.fingerprint256 !== undefined
}

let publicContext: SecureContext | undefined

/** System trust, no identity of ours. The same for every caller. */
export function createPublicContext(): SecureContext {
  publicContext ??= createSecureContext({ ca: systemTrust(), minVersion })
  return publicContext
}

let trusted: string[] | undefined

/**
 * The system's authorities, and those that come with Node or NODE_EXTRA_CA_CERTS: a slim container has no store of its
 * own. The system's list names certificates once for each file and link that holds them.
 */
function systemTrust(): string[] {
  trusted ??= [...new Set([...getCACertificates('system'), ...getCACertificates('default')])]
  return trusted
}

/** The file that a failure is about, and what the failure is called. */
interface NamedFile {
  readonly code: StartupFailureCode
  readonly label: string
}

function refuse({ code, label }: NamedFile, problem: string): never {
  throw new StartupFailure(code, `${label}: ${problem}`)
}

const readProblems: Readonly<Record<string, string>> = {
  ENOENT: 'file does not exist',
  ENOTDIR: 'file does not exist (a part of its path is not a directory)',
  EACCES: 'may not be read by the user of this process',
  EPERM: 'may not be read by the user of this process',
  ELOOP: 'is a symbolic link that leads to itself',
}

function readFile(path: string, place: NamedFile): Buffer {
  try {
    const stats = statSync(path)
    if (stats.isDirectory()) {
      refuse(place, 'is a directory, expected a file (a container mount of a file that does not exist makes one)')
    }
    if (!stats.isFile()) refuse(place, 'is not a regular file')
    if (stats.size > maxFileBytes) refuse(place, `is larger than ${maxFileBytes} bytes, which no such file is`)
    return readFileSync(path)
  } catch (error) {
    if (error instanceof StartupFailure) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return refuse(place, readProblems[code] ?? `cannot be read (${code})`)
  }
}

function readPassword(name: string, env: Environment): string {
  const password = env[name]
  if (password) return password
  const problem = `${password === undefined ? 'is not set' : 'is empty'}, expected the password of the keystore`
  return refuse({ code: 'keystore_load_failed', label: `environment variable ${name}` }, problem)
}

const reexport =
  'export it again: `openssl pkcs12 -legacy -in old.p12 -nodes -out all.pem`, then ' +
  '`openssl pkcs12 -export -in all.pem -out new.p12`, and delete all.pem, it holds the private key'

/** What the TLS library says of a file that is PKCS12. */
const pkcs12Problems: Readonly<Record<string, string>> = {
  'Unsupported PKCS12 PFX data': `uses a cipher that the TLS library rejects (such as RC2-40); ${reexport}`,
  'Unable to load private key from PFX data':
    'holds no private key, only certificates; export the identity with its key',
  'Unable to load certificate from PFX data':
    'holds no certificate that belongs to its private key; export both together',
  'ee key too small':
    'its key is too short for TLS, expected RSA of 2048 bits or more; it needs a new key and certificate',
  'ca key too small': 'holds an authority whose key is too short for TLS, expected RSA of 2048 bits or more',
  'ca md too weak': 'holds a certificate signed with a digest that is too weak for TLS, expected SHA-256',
}

const wrongPassword: ReadonlySet<string> = new Set(['mac verify failure', 'bad decrypt'])

function explain(error: unknown, file: Buffer, password: string, variable: string): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (wrongPassword.has(message)) {
    const hint = password === password.trim() ? '' : ' (it begins or ends with white space, perhaps a line break)'
    return `the password in the environment variable ${variable} is wrong${hint}`
  }
  const known = pkcs12Problems[message]
  if (known !== undefined) return known
  const format = formats.find(({ matches }) => matches(file))
  if (format !== undefined) return format.problem
  return isPkcs12(file) ? `is a PKCS12 file that is cut off or damaged (${code ?? message})` : notPkcs12
}

const notPkcs12 = 'is not a PKCS12 file (nor JKS, PEM or DER), expected a file that usually ends in .p12 or .pfx'

interface Format {
  readonly matches: (file: Buffer) => boolean
  readonly problem: string
}

/** What is given in the place of PKCS12 most often. */
const formats: readonly Format[] = [
  {
    matches: isJks,
    problem:
      'is a Java keystore (JKS), expected PKCS12; convert it: ' +
      '`keytool -importkeystore -srckeystore old.jks -destkeystore new.p12 -deststoretype PKCS12`',
  },
  {
    matches: (file) => file.includes('-----BEGIN '),
    problem:
      'is a PEM file, expected PKCS12; convert it: ' +
      '`openssl pkcs12 -export -in certificate.pem -inkey key.pem -out new.p12`',
  },
  { matches: isCertificate, problem: 'is a certificate (DER) without a private key, expected PKCS12 with both' },
  {
    matches: (file) => /^\s*MI[A-Za-z0-9+/\s]+=*\s*$/.test(file.toString('latin1')),
    problem: 'is base64 text, expected the bytes themselves: decode it with `base64 -d`',
  },
]

/** JKS or its sibling JCEKS. */
function isJks(file: Buffer): boolean {
  return file.length >= 4 && [0xfeedfeed, 0xcececece].includes(file.readUInt32BE(0))
}

function isCertificate(file: Buffer): boolean {
  try {
    return new X509Certificate(file).raw.length > 0
  } catch {
    return false
  }
}

/** A sequence, of any way to write its length, that starts with version 3. */
function isPkcs12(file: Buffer): boolean {
  if (file[0] !== 0x30 || file[1] === undefined) return false
  const start = file[1] > 0x80 ? 2 + (file[1] & 0x7f) : 2
  return file.subarray(start, start + 3).equals(Buffer.from([2, 1, 3]))
}

/** Blocks of a PEM file; OpenSSL writes TRUSTED where it adds what a certificate is trusted for. */
const certificateBlock =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g
const certificateStart = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/g

export function trustedCertificates(path: string): readonly X509Certificate[] {
  return readTrust(path).map((certificate) => new X509Certificate(certificate))
}

/** Every certificate of the file. The TLS library would stop at the first broken one without a word. */
function readTrust(path: string): string[] {
  const place: NamedFile = { code: 'trust_ca_load_failed', label: `security_server.trust_ca_path ${path}` }
  const file = readFile(path, place)
  const text = file.toString('latin1')
  const blocks = text.match(certificateBlock) ?? []
  const starts = text.match(certificateStart)?.length ?? 0
  if (starts === 0) refuse(place, `${explainNoCertificate(file, text)}, expected PEM with at least one certificate`)
  const certificates = blocks.map((block) => toCertificate(block))
  const broken = certificates.indexOf(undefined)
  if (broken !== -1) refuse(place, `certificate ${broken + 1} of ${starts} is damaged`)
  if (blocks.length < starts) refuse(place, `a certificate is cut off: ${starts} begin and ${blocks.length} end`)
  return [...new Set(certificates.filter((certificate) => certificate !== undefined))]
}

function toCertificate(block: string): string | undefined {
  try {
    return new X509Certificate(block).toString()
  } catch {
    return undefined
  }
}

function explainNoCertificate(file: Buffer, text: string): string {
  if (file.length === 0) return 'is empty'
  if (isCertificate(file)) return 'is a DER file (convert it: `openssl x509 -inform der -in ca.der -out ca.pem`)'
  if (isPkcs12(file)) return 'is a PKCS12 file (convert it: `openssl pkcs12 -in ca.p12 -nokeys -out ca.pem`)'
  if (isJks(file))
    return 'is a Java keystore (export from it: `keytool -exportcert -rfc -keystore ca.jks -file ca.pem`)'
  if (text.includes('-----BEGIN PKCS7-----')) {
    return 'is a PKCS7 file (convert it: `openssl pkcs7 -print_certs -in ca.p7b -out ca.pem`)'
  }
  return text.includes('-----BEGIN ') ? 'holds keys or other PEM blocks but no certificate' : 'holds no certificate'
}
