/** The checks of the identity: password, file, what the certificate inside says, and whom the service trusts. */
import {
  type DatedCertificate,
  dayOf,
  daysLeft,
  expiringDays,
  timeLeft,
  type Validity,
  validityOf,
} from '../boot/tls/certificates.ts'
import type { Facts, KeystoreFacts } from './facts.ts'
import { type Check, type Hit, hitIf } from './finding.ts'
import type { KeystoreIdentity } from './keystore-facts.ts'

/** Both files are read at start, but not when nothing needs them. */
const atStart = {
  FATAL: 'The service reads it at start, because endpoints go through the Security Server, and does not start.',
  WEAK: 'The service starts, because no endpoint goes through the Security Server; with the first one it will not.',
}

export const keystoreChecks: readonly Check[] = [
  {
    code: 'fatal-keystore-env-missing',
    severity: 'FATAL',
    field: 'security_server.keystore_password_env',
    when: ({ keystore }) => hitIf(keystore?.password === 'missing', keystore?.variable),
    headline: 'The environment variable % with the password of the keystore is not set.',
    rationale: 'There is no default password, and the service does not start without one.',
    recovery: 'Set the variable for the process of the service, or name another one in keystore_password_env.',
  },
  {
    code: 'fatal-keystore-env-empty',
    severity: 'FATAL',
    field: 'security_server.keystore_password_env',
    when: ({ keystore }) => hitIf(keystore?.password === 'empty', keystore?.variable),
    headline: 'The environment variable % with the password of the keystore is empty.',
    rationale: 'An empty password is almost certainly a mistake, so the service does not start with one.',
    recovery: 'Set the variable to the password of the keystore; a secret that is not filled in leaves it empty.',
  },
  {
    code: 'info-keystore-env-present',
    severity: 'INFO',
    field: 'security_server.keystore_password_env',
    when: ({ keystore }) => hitIf(keystore?.password === 'set', keystore?.variable),
    headline: 'The environment variable % holds a password.',
    rationale: 'It is read at start and never written anywhere.',
    recovery: '',
  },
  {
    code: 'fatal-keystore-file-missing',
    severity: 'FATAL',
    field: 'security_server.keystore_path',
    when: ({ keystore }) => hitIf(keystore?.exists === false, keystore?.path),
    headline: 'The keystore does not exist: %',
    rationale: 'Without its client certificate the service cannot reach the Security Server.',
    recovery: 'Put the PKCS12 file there or correct keystore_path; relative paths count from the working directory.',
  },
  ...(['FATAL', 'WEAK'] as const).flatMap((severity): Check[] => [
    {
      code: `${severity.toLowerCase()}-keystore-unreadable`,
      severity,
      field: 'security_server.keystore_path',
      when: (facts) => onUnreadable(facts, severity, facts.keystore?.problem),
      headline: 'The keystore cannot be used: %',
      rationale: atStart[severity],
      recovery: 'Do what the message says, and try with: openssl pkcs12 -in FILE -noout -info',
    },
    {
      code: `${severity.toLowerCase()}-trust-ca-unreadable`,
      severity,
      field: 'security_server.trust_ca_path',
      when: (facts) => onUnreadable(facts, severity, facts.keystore?.trustProblem),
      headline: 'The authorities for the Security Server cannot be used: %',
      rationale: atStart[severity],
      recovery: 'Name a PEM file with the certificate of the Security Server or of its issuer.',
    },
  ]),
  {
    code: 'weak-keystore-open-to-others',
    severity: 'WEAK',
    field: 'security_server.keystore_path',
    when: ({ keystore }) => hitIf(keystore?.isOpenToOthers === true, keystore?.path),
    headline: 'Every user of this machine may read the keystore: %',
    rationale: 'It holds the private key of the service; only its password stands between the key and them.',
    recovery: 'Let only the user of the service read it: chmod 600 FILE; for a mounted secret set its defaultMode.',
  },
  {
    code: 'fatal-keystore-expired',
    severity: 'FATAL',
    field: 'security_server.keystore_path',
    when: (facts) => onIdentity(facts, 'expired', ({ validTo }) => dayOf(validTo)),
    headline: 'The certificate in the keystore expired on %.',
    rationale:
      'The service starts and warns each day, but a Security Server that checks the dates of its clients refuses it.',
    recovery: 'Make a new certificate, put it into the keystore and upload it to the Security Server.',
  },
  {
    code: 'weak-keystore-not-yet-valid',
    severity: 'WEAK',
    field: 'security_server.keystore_path',
    when: (facts) => onIdentity(facts, 'not_yet_valid', ({ validFrom }) => dayOf(validFrom)),
    headline: 'The certificate in the keystore is not valid until %.',
    rationale: 'A Security Server that checks the dates of its clients refuses it until then.',
    recovery: 'Check the clock of this machine, or make a certificate that is valid now.',
  },
  {
    code: 'weak-keystore-expiring',
    severity: 'WEAK',
    field: 'security_server.keystore_path',
    when: (facts) => onIdentity(facts, 'expiring', (dates) => `${dayOf(dates.validTo)}, ${timeLeft(dates, facts.now)}`),
    headline: 'The certificate in the keystore expires on %.',
    rationale: `No more than ${expiringDays} days are left to make a new one and have it uploaded.`,
    recovery:
      'Make a new certificate and upload it to the Security Server beside the old one, then change the keystore.',
  },
  ...(['FATAL', 'WEAK'] as const).map((severity): Check => ({
    code: `${severity.toLowerCase()}-trust-ca-expired`,
    severity,
    field: 'security_server.trust_ca_path',
    when: (facts) => onExpiredTrust(facts, severity),
    headline: 'A certificate that the Security Server is verified with has expired: %',
    rationale:
      severity === 'FATAL'
        ? 'All of the file have, so no server is trusted any more and no call succeeds.'
        : 'A server that is verified with it is not trusted any more; the others of the file still hold.',
    recovery: 'Put the new certificate of the Security Server, or of its issuer, into the file and remove the old one.',
  })),
  {
    code: 'weak-trust-ca-expiring',
    severity: 'WEAK',
    field: 'security_server.trust_ca_path',
    when: ({ keystore, now }) =>
      trustedAt(keystore, 'expiring', now).map((certificate) => ({
        text: `${certificate.subject}, on ${dayOf(certificate.validTo)}, ${timeLeft(certificate, now)}`,
      })),
    headline: 'A certificate that the Security Server is verified with expires soon: %',
    rationale: 'Without the next one in the file the server is not trusted from that day on.',
    recovery: 'Ask the operator of the Security Server for its new certificate, and put it there beside the old one.',
  },
  {
    code: 'info-keystore-identity',
    severity: 'INFO',
    field: 'security_server.keystore_path',
    when: ({ keystore, now }) => {
      const identity = keystore?.identity
      return identity === undefined ? [] : describeIdentity(identity, now)
    },
    headline: 'The identity of the service: %',
    rationale:
      'The Security Server knows a client by this very certificate, so it must be the one that is uploaded there.',
    recovery:
      'Upload it on the Security Server, as a file with the text below: Clients, the subsystem, Internal servers, ' +
      'Information System TLS certificate.\n',
  },
]

function onUnreadable({ dsl }: Facts, severity: 'FATAL' | 'WEAK', problem: string | undefined): readonly Hit[] {
  const isNeeded = dsl.endpoints.some((endpoint) => endpoint.kind === 'rest' || endpoint.url === undefined)
  return hitIf(problem !== undefined && isNeeded === (severity === 'FATAL'), problem)
}

function onIdentity(
  { keystore, now }: Facts,
  validity: Validity,
  tell: (identity: KeystoreIdentity) => string,
): readonly Hit[] {
  const identity = keystore?.identity
  return identity === undefined || validityOf(identity, now) !== validity ? [] : [{ text: tell(identity) }]
}

function trustedAt(keystore: KeystoreFacts | undefined, validity: Validity, now: Date): readonly DatedCertificate[] {
  return (keystore?.trusted ?? []).filter((certificate) => validityOf(certificate, now) === validity)
}

function onExpiredTrust({ keystore, now }: Facts, severity: 'FATAL' | 'WEAK'): readonly Hit[] {
  const expired = trustedAt(keystore, 'expired', now)
  const areAll = expired.length === keystore?.trusted.length
  if (areAll !== (severity === 'FATAL')) return []
  return expired.map(({ subject, validTo }) => ({ text: `${subject}, on ${dayOf(validTo)}` }))
}

function describeIdentity(identity: KeystoreIdentity, now: Date): readonly Hit[] {
  const { subject, issuer, keyType, validTo, sha256, pem } = identity
  const issued = issuer === subject ? 'self-signed' : `issued by ${issuer || 'an unnamed authority'}`
  const text =
    `${subject || 'a certificate without a name'}, ${issued}, key ${keyType}, ` +
    `valid until ${dayOf(validTo)} (${daysLeft(identity, now)} days left), SHA-256 ${sha256}`
  return [{ text, appendix: pem }]
}
