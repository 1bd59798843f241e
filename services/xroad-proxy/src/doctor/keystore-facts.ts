/**
 * TLS settings with an identity in -> what the certificate of that identity says. The TLS library chooses the certificate
 * that belongs to the private key, so this is the very one that a Security Server will be shown, whatever else is inside.
 */
import type { X509Certificate } from 'node:crypto'
import { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'

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
  const certificate = certificateOf(secureContext)
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

/** A connection knows its own certificate before it is one: nothing is opened here. */
function certificateOf(secureContext: SecureContext): X509Certificate | undefined {
  const socket = new TLSSocket(new Socket(), { secureContext })
  try {
    return socket.getX509Certificate()
  } finally {
    socket.destroy()
  }
}

/** The names stand on lines of their own; a certificate without any has none. */
function inOneLine(names: string | undefined): string {
  return (names ?? '').split('\n').filter(Boolean).join(', ')
}

function keyTypeOf({ publicKey }: X509Certificate): string {
  const { asymmetricKeyType = 'unknown', asymmetricKeyDetails = {} } = publicKey
  const { namedCurve, modulusLength } = asymmetricKeyDetails
  const name = asymmetricKeyType.toUpperCase()
  if (namedCurve !== undefined) return `${name} ${namedCurve}`
  return modulusLength === undefined ? name : `${name} ${modulusLength} bits`
}
