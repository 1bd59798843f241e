/**
 * Makes the TLS settings of outgoing connections, once: with our identity (a PKCS12 file) for the Security Server,
 * without one for direct calls. Parsing a keystore and some hundred authorities takes milliseconds that no connection
 * should pay again. Whatever is wrong with a file is reported in words with the way out, never with the password.
 */
import { createHash, X509Certificate } from 'node:crypto'
import {
  checkServerIdentity,
  createSecureContext,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls'
import type { Environment } from '@services/config-file'
import { isCertificate, isJks, isPkcs12 } from './formats.ts'
import { type NamedFile, readFile, refuse } from './named-file.ts'
import { type Password, type PasswordSettings, readPassword } from './password.ts'
import { readTrust, systemTrust } from './trust.ts'

export interface KeystoreSettings extends PasswordSettings {
  readonly keystorePath: string
  /** PEM file that takes the place of the system's authorities. */
  readonly trustCaPath?: string | undefined
}

const minVersion = 'TLSv1.2'

/** As whom connections are opened, and whom they are opened to. Nothing of it is read again. */
export interface ClientIdentity {
  /** The same for the same keystore, password and authorities. */
  readonly digest: string
  readonly secureContext: SecureContext
  readonly checkServer: ServerCheck
}

/**
 * Gives the one of `known` where nothing has changed: what the TLS library makes of a keystore takes its time and its
 * memory.
 */
export function openIdentity(
  settings: KeystoreSettings,
  env: Environment,
  known: readonly ClientIdentity[] = [],
): ClientIdentity {
  const files = readFiles(settings, env)
  const hash = createHash('sha256').update(JSON.stringify([files.password.text, files.trust]))
  const digest = hash.update(files.pfx).digest('hex')
  return (
    known.find((identity) => identity.digest === digest) ?? {
      digest,
      secureContext: toContext(files),
      checkServer: toServerCheck(files.trust ?? systemTrust()),
    }
  )
}

export function createClientContext(settings: KeystoreSettings, env: Environment): SecureContext {
  return toContext(readFiles(settings, env))
}

/** To look into a keystore: no authorities are read for it, so it is for no connection. */
export function openKeystore(settings: KeystoreSettings, env: Environment): SecureContext {
  return toContext(readFiles({ ...settings, trustCaPath: undefined }, env), {})
}

interface IdentityFiles {
  readonly place: NamedFile
  readonly pfx: Buffer
  readonly password: Password
  /** Undefined for the system's authorities. */
  readonly trust: readonly string[] | undefined
}

function readFiles(settings: KeystoreSettings, env: Environment): IdentityFiles {
  const { keystorePath: path, trustCaPath } = settings
  const field = placeOf(settings)
  const place: NamedFile = { code: 'keystore_load_failed', label: `${field} ${path}`, field }
  const pfx = readFile(path, place)
  if (pfx.length === 0) refuse(place, 'is empty')
  const password = readPassword(settings, env)
  return { place, pfx, password, trust: trustCaPath === undefined ? undefined : readTrust(trustCaPath) }
}

function toContext({ place, pfx, password, trust }: IdentityFiles, authorities = toAuthorities(trust)): SecureContext {
  try {
    return createSecureContext({ ...authorities, pfx, passphrase: password.text, minVersion })
  } catch (error) {
    return refuse(place, explain(error, pfx, password))
  }
}

/** A file of authorities trusts each of them, also one that is itself issued by another. */
function toAuthorities(trust: IdentityFiles['trust']): SecureContextOptions {
  return trust === undefined ? { ca: systemTrust() } : { ca: [...trust], allowPartialTrustChain: true }
}

/** The field with the path of the keystore. */
export function placeOf({ section = 'security_server' }: Pick<KeystoreSettings, 'section'>): string {
  return `${section}.keystore_path`
}

/** As of node:tls: what is wrong with the server, or nothing. */
export type ServerCheck = (host: string, certificate: PeerCertificate) => Error | undefined

/**
 * The TLS library trusts authorities inside the keystore like those that were given. This check keeps to the latter:
 * the server's chain must lead to one of them. The authorities are read here and kept: the file may be gone by the
 * first call.
 */
export function createServerCheck({ trustCaPath }: Pick<KeystoreSettings, 'trustCaPath'>): ServerCheck {
  return toServerCheck(trustCaPath === undefined ? systemTrust() : readTrust(trustCaPath))
}

function toServerCheck(trust: readonly string[]): ServerCheck {
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

function explain(error: unknown, file: Buffer, { text, place }: Password): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (wrongPassword.has(message)) {
    const hint = text === text.trim() ? '' : ' (it begins or ends with white space, perhaps a line break)'
    return `the password in ${place} is wrong${hint}`
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

/** What is given instead of PKCS12 most often. */
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
      'is a PEM file, expected PKCS12 (PEM is for trust_ca_path); convert it: ' +
      '`openssl pkcs12 -export -in certificate.pem -inkey key.pem -out new.p12`',
  },
  { matches: isCertificate, problem: 'is a certificate (DER) without a private key, expected PKCS12 with both' },
  {
    matches: (file) => /^\s*MI[A-Za-z0-9+/\s]+=*\s*$/.test(file.toString('latin1')),
    problem: 'is base64 text, expected the bytes themselves: decode it with `base64 -d`',
  },
]
