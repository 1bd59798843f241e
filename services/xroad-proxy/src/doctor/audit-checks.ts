/** The checks of the audit file: whether it can be written, and what is in it for users. */
import type { Facts } from './facts/facts.ts'
import type { AuditFacts } from './facts/keystore-facts.ts'
import { type Check, hitIf } from './finding.ts'

/** Bytes of a key that nobody can try out. */
const minKeyBytes = 16

export const auditChecks: readonly Check[] = [
  ...(['FATAL', 'WEAK'] as const).map((severity): Check => ({
    code: `${severity.toLowerCase()}-audit-file-unwritable`,
    severity,
    field: 'audit.file',
    when: ({ audit }) =>
      hitIf(
        audit?.problem !== undefined && audit.required === (severity === 'FATAL'),
        `${audit?.file} ${audit?.problem}`,
      ),
    headline: 'The audit file cannot be written: %',
    rationale:
      severity === 'FATAL'
        ? 'It is required, so every call is answered with 503 audit_unavailable before anything is sent.'
        : 'Calls are made without a line that says who asked; the log has an ERROR.',
    recovery: 'Do what the message says. The file belongs to the user of the service, in a directory that is there.',
  })),
  {
    code: 'fatal-audit-key-missing',
    severity: 'FATAL',
    field: 'audit.hash_key_env',
    when: ({ audit }) => hitIf(audit?.key !== undefined && audit.key.length <= 0, audit?.key?.variable),
    headline: 'The environment variable % with the key for hashes of users is not set or empty.',
    rationale: 'Without its key users would stand in the audit file as they are, so the service does not start.',
    recovery: 'Set the variable to a long random text, such as that of: openssl rand -hex 32',
  },
  {
    code: 'weak-audit-key-short',
    severity: 'WEAK',
    field: 'audit.hash_key_env',
    when: ({ audit }) => hitIf(isShort(audit), `${audit?.key?.length}`),
    headline: 'The key for hashes of users is short: its bytes are %.',
    rationale: 'Personal codes are few: who has the file and can guess the key finds the user of every line.',
    recovery: 'Take 32 random bytes, such as those of: openssl rand -hex 32. Another key makes other hashes.',
  },
  {
    code: 'info-audit-file',
    severity: 'INFO',
    field: 'audit.file',
    when: ({ audit }) => hitIf(audit !== undefined && audit.problem === undefined, audit && describe(audit)),
    headline: 'Every exchange gets a line in the audit file: %.',
    rationale: 'It says who asked what, and what became of it; it grows until somebody moves it.',
    recovery: '',
  },
]

function isShort(audit: Facts['audit']): boolean {
  const { length = 0 } = audit?.key ?? {}
  return length > 0 && length < minKeyBytes
}

function describe({ file, required, key }: AuditFacts): string {
  const users = key === undefined ? 'users as they are' : 'users as keyed hashes'
  return `${file}, ${users}, ${required ? 'required for each call' : 'not required'}`
}
