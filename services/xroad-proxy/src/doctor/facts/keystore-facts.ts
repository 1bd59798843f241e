/**
 * What is known of files that only this service may read: each keystore, what the certificate in it says, and the audit
 * file. The configuration comes in, facts go out; nothing is opened for writing.
 */
import type { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import type { SecureContext } from 'node:tls'
import { type Environment, shownVariable } from '@services/config-file'
import { auditFileProblem } from '../../audit/open-file.ts'
import { type ClientKeystore, keystoreOf, namesOf } from '../../boot/config/client-identity.ts'
import type { Config } from '../../boot/config/schema.ts'
import { type DatedCertificate, joinNames, trustedDates } from '../../boot/tls/certificates.ts'
import { createClientContext, type KeystoreSettings, openKeystore } from '../../boot/tls/keystore.ts'
import { ownCertificate } from '../../boot/tls/own-certificate.ts'
import { readPassword } from '../../boot/tls/password.ts'
import { StartupFailure } from '../../errors.ts'
import type { Endpoint } from '../../model.ts'

export interface KeystoreIdentity {
  /** `C=EE, O=.., CN=..` */
  readonly subject: string
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
  /** `RSA 2048 bits`, `EC prime256v1` */
  readonly keyType: string
  /** Of the certificate, in pairs of digits. */
  readonly sha256: string
  /** The certificate alone, what is uploaded to a Security Server. */
  readonly pem: string
}

/** Undefined where the settings hold no identity. */
export function readIdentity(secureContext: SecureContext): KeystoreIdentity | undefined {
  const certificate = ownCertificate(secureContext)
  if (certificate === undefined) return undefined
  return {
    subject: joinNames(certificate.subject),
    issuer: joinNames(certificate.issuer),
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
    keyType: keyTypeOf(certificate),
    sha256: certificate.fingerprint256,
    pem: certificate.toString(),
  }
}

function keyTypeOf({ publicKey }: X509Certificate): string {
  const { asymmetricKeyType = 'unknown', asymmetricKeyDetails = {} } = publicKey
  const { namedCurve, modulusLength } = asymmetricKeyDetails
  const name = asymmetricKeyType.toUpperCase()
  if (namedCurve !== undefined) return `${name} ${namedCurve}`
  return modulusLength === undefined ? name : `${name} ${modulusLength} bits`
}

export interface AuditFacts {
  readonly file: string
  readonly required: boolean
  /** Why it cannot be written. */
  readonly problem: string | undefined
  /**
   * Name of the variable with the key, as it may be shown, and the length of the key in bytes; -1 where it is not set.
   */
  readonly key: { readonly variable: string; readonly length: number } | undefined
}

export interface KeystoreFacts {
  /** Its section of the configuration: `security_server`, or `clients.<name>`. */
  readonly section: string
  /** Whether an endpoint calls with it. */
  readonly isNeeded: boolean
  readonly path: string
  /** As it may be shown. */
  readonly variable: string
  readonly password: 'set' | 'empty' | 'missing' | 'file' | 'unreadable'
  /** The file that is to hold it. */
  readonly passwordFile: string | undefined
  /** Why it cannot be read there. */
  readonly passwordProblem: string | undefined
  readonly exists: boolean
  /** By its mode; a system without such modes says no. */
  readonly isOpenToOthers: boolean
  /** Undefined when it cannot be opened. */
  readonly identity: KeystoreIdentity | undefined
  /** Why it cannot be opened, where the file and the password are there. */
  readonly problem: string | undefined
  readonly trustProblem: string | undefined
  /** Those of `trust_ca_path`. */
  readonly trusted: readonly DatedCertificate[]
  /**
   * Identity and trust together, for those who connect. Made when it is asked for: with the authorities of the system
   * it takes longer than all else that is found out.
   */
  readonly connecting: () => SecureContext | undefined
}

/** A configuration, and the fields that are wrong in it. */
interface Checked {
  readonly settings: Config
  readonly problems: readonly { readonly field: string }[]
}

export function gatherKeystores(
  { settings, problems }: Checked,
  endpoints: readonly Endpoint[],
  env: Environment,
): readonly KeystoreFacts[] {
  const wrong = new Set(problems.map(({ field }) => field))
  return [undefined, ...namesOf(settings)].flatMap((name) => {
    const keystore = keystoreOf(settings, name)
    const through = endpoints.filter((endpoint) => endpoint.kind === 'rest' || endpoint.url === undefined)
    const isNeeded = through.some(({ client }) => client === name)
    const facts = keystore && gatherKeystore(keystore, wrong, env)
    return facts === undefined ? [] : [{ ...facts, isNeeded }]
  })
}

function gatherKeystore(
  keystore: ClientKeystore,
  wrong: ReadonlySet<string>,
  env: Environment,
): Omit<KeystoreFacts, 'isNeeded'> | undefined {
  const { section, keystorePath: path, keystorePasswordEnv: name, keystorePasswordFile: passwordFile } = keystore
  if (wrong.has(`${section}.keystore_password_env`)) return undefined
  const word = env[name]
  const variable = word === undefined ? shownVariable(name) : name
  // Of a path that is wrong itself the configuration tells.
  const isPath = !wrong.has(`${section}.keystore_path`)
  const exists = !isPath || isThere(path)
  const closed = {
    section,
    path,
    variable,
    exists,
    passwordFile,
    passwordProblem: undefined,
    isOpenToOthers: isPath && isOpenToOthers(path),
    ...nothingInside,
  }
  if (passwordFile === undefined && !word) return { ...closed, password: word === undefined ? 'missing' : 'empty' }
  const { problem: passwordProblem } = attempt(() => readPassword(keystore, env))
  if (passwordProblem !== undefined) return { ...closed, password: 'unreadable', passwordProblem }
  const facts = { ...closed, password: passwordFile === undefined ? 'set' : 'file' } as const
  return isPath && exists ? { ...facts, ...lookInside(keystore, env) } : facts
}

const nothingInside = {
  identity: undefined,
  problem: undefined,
  trustProblem: undefined,
  trusted: [],
  connecting: () => undefined,
}

function lookInside(settings: KeystoreSettings, env: Environment): typeof nothingInside | Opened {
  const bare = attempt(() => openKeystore(settings, env))
  if (bare.value === undefined) return { ...nothingInside, problem: bare.problem }
  const identity = readIdentity(bare.value)
  const connect = (): ReturnType<typeof attempt<SecureContext>> => attempt(() => createClientContext(settings, env))
  const trusted = attempt(() => trustedDates(settings.trustCaPath)).value ?? []
  // The system's authorities are no file of ours that could be wrong.
  if (settings.trustCaPath === undefined) {
    return { identity, problem: undefined, trustProblem: undefined, trusted, connecting: () => connect().value }
  }
  const full = connect()
  return { identity, problem: undefined, trustProblem: full.problem, trusted, connecting: () => full.value }
}

type Opened = Pick<KeystoreFacts, keyof typeof nothingInside>

function attempt<Value>(make: () => Value): { readonly value?: Value; readonly problem: string | undefined } {
  try {
    return { value: make(), problem: undefined }
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    return { problem: error.message }
  }
}

export function gatherAudit({ settings, problems }: Checked, env: Environment): AuditFacts | undefined {
  const { audit } = settings
  if (audit === undefined || problems.some(({ field }) => field === 'audit.file')) return undefined
  const { file, required, hashKeyEnv: name } = audit
  const word = name === undefined ? undefined : env[name]
  const variable = word === undefined ? shownVariable(name ?? '') : (name ?? '')
  const key = name === undefined ? undefined : { variable, length: word === undefined ? -1 : Buffer.byteLength(word) }
  return { file, required, problem: auditFileProblem(file), key }
}

const readableByOthers = 0o004

function isOpenToOthers(path: string): boolean {
  try {
    const status = statSync(path)
    return process.platform !== 'win32' && status.isFile() && (status.mode & readableByOthers) !== 0
  } catch {
    return false
  }
}

/** Whatever else keeps a path from being read is told by those who read it. */
export function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}
