/**
 * How long the certificates hold that calls to the Security Server need: our own, and those that the server is verified
 * with. Settings that are loaded in, dates and words out; the code that reports them provides the time. The chain above
 * our own certificate does not count: a Security Server compares the certificate with the copy that it was given.
 */
import type { X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import { type KeystoreSettings, placeOf } from './keystore.ts'
import { ownCertificate } from './own-certificate.ts'
import { trustedCertificates } from './trust.ts'

export interface Dates {
  readonly validFrom: Date
  readonly validTo: Date
}

export interface DatedCertificate extends Dates {
  readonly kind: 'own' | 'trusted'
  /** Field and path, as messages of the start have them. */
  readonly place: string
  /** `C=EE, O=.., CN=..` */
  readonly subject: string
}

export type Validity = 'good' | 'not_yet_valid' | 'expiring' | 'expired'

const dayMs = 86_400_000
/** A certificate is reported from this many days before its end on. */
export const expiringDays = 30

export function validityOf({ validFrom, validTo }: Dates, now: Date, days: number = expiringDays): Validity {
  if (now > validTo) return 'expired'
  if (now < validFrom) return 'not_yet_valid'
  return validTo.getTime() - now.getTime() <= days * dayMs ? 'expiring' : 'good'
}

/** Whole days; negative when the day has passed. */
export function daysLeft({ validTo }: Dates, now: Date): number {
  return Math.floor((validTo.getTime() - now.getTime()) / dayMs)
}

/** Of the certificate that a Security Server is shown; none where the settings hold no identity. */
export function ownDates(
  settings: Pick<KeystoreSettings, 'keystorePath' | 'section'>,
  identity: SecureContext,
): readonly DatedCertificate[] {
  const own = ownCertificate(identity)
  return own === undefined ? [] : [toDated('own', `${placeOf(settings)} ${settings.keystorePath}`, own)]
}

/** Of the system's authorities nothing is said: they are many, and others look after them. */
export function trustedDates(trustCaPath: string | undefined): readonly DatedCertificate[] {
  if (trustCaPath === undefined) return []
  const place = `security_server.trust_ca_path ${trustCaPath}`
  return trustedCertificates(trustCaPath).map((certificate) => toDated('trusted', place, certificate))
}

function toDated(kind: DatedCertificate['kind'], place: string, certificate: X509Certificate): DatedCertificate {
  const { validFrom, validTo, subject } = certificate
  return { kind, place, subject: joinNames(subject), validFrom: new Date(validFrom), validTo: new Date(validTo) }
}

/** The names stand on lines of their own; a certificate without any has none. */
export function joinNames(names: string | undefined): string {
  return (names ?? '').split('\n').filter(Boolean).join(', ')
}

const remedies: Readonly<Record<DatedCertificate['kind'], Readonly<Record<Exclude<Validity, 'good'>, string>>>> = {
  own: {
    expired: 'a Security Server refuses it: make a new one, upload it there, change the keystore and reload',
    expiring: 'make a new one, upload it to the Security Server beside the old one, change the keystore and reload',
    not_yet_valid: 'check the clock of this machine, or make a certificate that is valid now',
  },
  trusted: {
    expired: 'a server that is verified with it is not trusted any more: put its new certificate there and reload',
    expiring: 'put the new certificate of the Security Server, or of its issuer, there beside the old one and reload',
    not_yet_valid: 'check the clock of this machine; until then a server that is verified with it is not trusted',
  },
}

/** A warning in words; undefined while there is nothing to tell. */
export function tellDates(certificate: DatedCertificate, now: Date): string | undefined {
  const { kind, place, subject, validFrom, validTo } = certificate
  const validity = validityOf(certificate, now)
  if (validity === 'good') return undefined
  const name = `${kind === 'own' ? 'the client certificate' : 'the certificate'} ${subject || 'without a name'}`
  const states = {
    expired: `has expired on ${dayOf(validTo)}`,
    expiring: `expires on ${dayOf(validTo)}, ${timeLeft(certificate, now)}`,
    not_yet_valid: `is valid only from ${validFrom.toISOString()} on`,
  }
  return `${place}: ${name} ${states[validity]}; ${remedies[kind][validity]}`
}

/** `in 12 days` */
export function timeLeft(dates: Dates, now: Date): string {
  const days = daysLeft(dates, now)
  if (days === 0) return 'in less than a day'
  return days === 1 ? 'in 1 day' : `in ${days} days`
}

export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
