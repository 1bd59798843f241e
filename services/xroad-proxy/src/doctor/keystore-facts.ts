/**
 * TLS settings with an identity in -> what the certificate of that identity says, in the words of the report.
 */
import type { X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import { inOneLine, ownCertificate } from '../boot/tls/certificates.ts'

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
    subject: inOneLine(certificate.subject),
    issuer: inOneLine(certificate.issuer),
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
