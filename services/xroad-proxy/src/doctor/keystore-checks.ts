/** The checks of keystores: the password, file and certificate of each identity, and whom we trust. */
import {
  type DatedCertificate,
  dayOf,
  daysLeft,
  timeLeft,
  type Validity,
  validityOf,
} from '../boot/tls/certificates.ts'
import type { Facts } from './facts/facts.ts'
import { type Check, type Hit, hitIf } from './finding.ts'
import type { KeystoreFacts, KeystoreIdentity } from './facts/keystore-facts.ts'

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
    when: (facts) =>
      onEach(facts, 'keystore_password_env', ({ password, variable }) => hitIf(password === 'missing', variable)),
    headline: 'The environment variable % with the password of the keystore is not set.',
    rationale: 'There is no default password, and the service does not start without one.',
    recovery: 'Set the variable for the process of the service, or name another one in keystore_password_env.',
  },
  {
    code: 'fatal-keystore-env-empty',
    severity: 'FATAL',
    field: 'security_server.keystore_password_env',
    when: (facts) =>
      onEach(facts, 'keystore_password_env', ({ password, variable }) => hitIf(password === 'empty', variable)),
    headline: 'The environment variable % with the password of the keystore is empty.',
    rationale: 'An empty password is almost certainly a mistake, so the service does not start with one.',
    recovery: 'Set the variable to the password of the keystore; a secret that is not filled in leaves it empty.',
  },
  {
    code: 'info-keystore-env-present',
    severity: 'INFO',
    field: 'security_server.keystore_password_env',
    when: (facts) =>
      onEach(facts, 'keystore_password_env', ({ password, variable }) => hitIf(password === 'set', variable)),
    headline: 'The environment variable % holds a password.',
    rationale: 'It is read at start and never written anywhere.',
    recovery: '',
  },
  {
    code: 'fatal-keystore-password-file-unreadable',
    severity: 'FATAL',
    field: 'security_server.keystore_password_file',
    when: (facts) =>
      onEach(facts, 'keystore_password_file', ({ passwordProblem: text }) => hitIf(text !== undefined, text)),
    headline: 'The password of the keystore cannot be read: %',
    rationale: 'There is no default password, and without one the keystore cannot be opened.',
    recovery: 'Put the password and nothing else into the file, readable for the user of the service only.',
  },
  {
    code: 'info-keystore-password-file-present',
    severity: 'INFO',
    field: 'security_server.keystore_password_file',
    when: (facts) =>
      onEach(facts, 'keystore_password_file', ({ password, passwordFile }) => hitIf(password === 'file', passwordFile)),
    headline: 'The file % holds a password.',
    rationale: 'It is read with the keystore, also when that is read anew, and never written anywhere.',
    recovery: '',
  },
  {
    code: 'fatal-keystore-file-missing',
    severity: 'FATAL',
    field: 'security_server.keystore_path',
    when: (facts) => onEach(facts, 'keystore_path', ({ exists, path }) => hitIf(!exists, path)),
    headline: 'The keystore does not exist: %',
    rationale: 'Without its client certificate the service cannot reach the Security Server.',
    recovery: 'Put the PKCS12 file there or correct keystore_path; relative paths count from the working directory.',
  },
  ...(['FATAL', 'WEAK'] as const).flatMap((severity): Check[] => [
    {
      code: `${severity.toLowerCase()}-keystore-unreadable`,
      severity,
      field: 'security_server.keystore_path',
      when: (facts) => onEach(facts, 'keystore_path', (keystore) => onUnreadable(keystore, severity, keystore.problem)),
      headline: 'The keystore cannot be used: %',
      rationale: atStart[severity],
      recovery: 'Do what the message says, and try with: openssl pkcs12 -in FILE -noout -info',
    },
    {
      code: `${severity.toLowerCase()}-trust-ca-unreadable`,
      severity,
      field: 'security_server.trust_ca_path',
      when: ({ keystores }) =>
        once(keystores.flatMap((keystore) => onUnreadable(keystore, severity, keystore.trustProblem))),
      headline: 'The authorities for the Security Server cannot be used: %',
      rationale: atStart[severity],
      recovery: 'Name a PEM file with the certificate of the Security Server or of its issuer.',
    },
  ]),
  {
    code: 'weak-keystore-open-to-others',
    severity: 'WEAK',
    field: 'security_server.keystore_path',
    when: (facts) => onEach(facts, 'keystore_path', ({ isOpenToOthers, path }) => hitIf(isOpenToOthers, path)),
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
    rationale: 'The days that are left are for making a new one and having it uploaded.',
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
    when: (facts) =>
      trustedAt(facts, 'expiring').map((certificate) => ({
        text: `${certificate.subject}, on ${dayOf(certificate.validTo)}, ${timeLeft(certificate, facts.now)}`,
      })),
    headline: 'A certificate that the Security Server is verified with expires soon: %',
    rationale: 'Without the next one in the file the server is not trusted from that day on.',
    recovery: 'Ask the operator of the Security Server for its new certificate, and put it there beside the old one.',
  },
  {
    code: 'info-keystore-identity',
    severity: 'INFO',
    field: 'security_server.keystore_path',
    when: (facts) =>
      onEach(facts, 'keystore_path', ({ identity }) =>
        identity === undefined ? [] : describeIdentity(identity, facts.now),
      ),
    headline: 'The identity of the service: %',
    rationale:
      'The Security Server knows a client by this very certificate, so it must be the one that is uploaded there.',
    recovery:
      'Upload it on the Security Server, as a file with the text below: Clients, the subsystem, Internal servers, ' +
      'Information System TLS certificate.\n',
  },
]

/** Hits of each keystore, with its field. */
function onEach(
  { keystores }: Facts,
  field: string,
  find: (keystore: KeystoreFacts) => readonly Hit[],
): readonly Hit[] {
  return keystores.flatMap((keystore) =>
    find(keystore).map((hit) => Object.assign({ field: `${keystore.section}.${field}` }, hit)),
  )
}

function onUnreadable(
  { isNeeded }: KeystoreFacts,
  severity: 'FATAL' | 'WEAK',
  problem: string | undefined,
): readonly Hit[] {
  return hitIf(problem !== undefined && isNeeded === (severity === 'FATAL'), problem)
}

/** Of the file that all clients share it is said once. */
function once(hits: readonly Hit[]): readonly Hit[] {
  return [...new Map(hits.map((hit) => [hit.text, hit])).values()]
}

function onIdentity(facts: Facts, validity: Validity, tell: (identity: KeystoreIdentity) => string): readonly Hit[] {
  const { now, expiringDays } = facts
  return onEach(facts, 'keystore_path', ({ identity }) =>
    identity === undefined || validityOf(identity, now, expiringDays) !== validity ? [] : [{ text: tell(identity) }],
  )
}

/** The same for each client that could be opened. */
function trustedOf({ keystores }: Facts): readonly DatedCertificate[] {
  return keystores.find(({ trusted }) => trusted.length > 0)?.trusted ?? []
}

function trustedAt(facts: Facts, validity: Validity): readonly DatedCertificate[] {
  const { now, expiringDays } = facts
  return trustedOf(facts).filter((certificate) => validityOf(certificate, now, expiringDays) === validity)
}

function onExpiredTrust(facts: Facts, severity: 'FATAL' | 'WEAK'): readonly Hit[] {
  const expired = trustedAt(facts, 'expired')
  const areAll = expired.length === trustedOf(facts).length
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
