/** The checks of the identity: password, file, what the certificate inside says, and whom the service trusts. */
import type { Facts, KeystoreFacts } from './facts.ts'
import { type Check, type Hit, hitIf } from './finding.ts'
import type { KeystoreIdentity } from './keystore-facts.ts'

const dayMs = 86_400_000
const expiringDays = 30

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
    rationale: 'An empty password is nobody’s intention, so the service does not start with one.',
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
    code: 'weak-keystore-expired',
    severity: 'WEAK',
    field: 'security_server.keystore_path',
    when: (facts) => onIdentity(facts, ({ validTo }, now) => hitIf(validTo < now, dayOf(validTo))),
    headline: 'The certificate in the keystore has expired on %.',
    rationale:
      'A Security Server that checks the dates of its clients refuses it; others write a warning with every call.',
    recovery: 'Make a new certificate, put it into the keystore and upload it to the Security Server.',
  },
  {
    code: 'weak-keystore-not-yet-valid',
    severity: 'WEAK',
    field: 'security_server.keystore_path',
    when: (facts) => onIdentity(facts, ({ validFrom }, now) => hitIf(validFrom > now, dayOf(validFrom))),
    headline: 'The certificate in the keystore is valid only from % on.',
    rationale: 'A Security Server that checks the dates of its clients refuses it until then.',
    recovery: 'Check the clock of this machine, or make a certificate that is valid now.',
  },
  {
    code: 'info-keystore-expiring',
    severity: 'INFO',
    field: 'security_server.keystore_path',
    when: (facts) =>
      onIdentity(facts, ({ validTo }, now) => {
        const isSoon = validTo >= now && validTo.getTime() - now.getTime() < expiringDays * dayMs
        return hitIf(isSoon, `${dayOf(validTo)}, in ${daysLeft(validTo, now)} days`)
      }),
    headline: 'The certificate in the keystore expires on %.',
    rationale: `Less than ${expiringDays} days are left to make a new one and have it uploaded.`,
    recovery:
      'Make a new certificate and upload it to the Security Server beside the old one, then change the keystore.',
  },
  {
    code: 'info-keystore-identity',
    severity: 'INFO',
    field: 'security_server.keystore_path',
    when: (facts) => onIdentity(facts, describeIdentity),
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
  judge: (identity: KeystoreIdentity, now: Date) => readonly Hit[],
): readonly Hit[] {
  const identity: KeystoreFacts['identity'] = keystore?.identity
  return identity === undefined ? [] : judge(identity, now)
}

function describeIdentity(identity: KeystoreIdentity, now: Date): readonly Hit[] {
  const { subject, issuer, keyType, validTo, sha256, pem } = identity
  const issued = issuer === subject ? 'self-signed' : `issued by ${issuer || 'nobody named'}`
  const text =
    `${subject || 'a certificate without a name'}, ${issued}, key ${keyType}, ` +
    `valid until ${dayOf(validTo)} (${daysLeft(validTo, now)} days left), SHA-256 ${sha256}`
  return [{ text, appendix: pem }]
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/** Whole days; negative when the day has passed. */
function daysLeft(validTo: Date, now: Date): number {
  return Math.floor((validTo.getTime() - now.getTime()) / dayMs)
}
