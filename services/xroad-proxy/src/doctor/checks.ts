/**
 * Facts in, findings out: every check is a row of one of the tables, this file runs them all and knows what the
 * severities mean for the exit code. Pure.
 */
import { type ExitCode, exitCodes } from '@services/command-line'
import { auditChecks } from './audit-checks.ts'
import { clientChecks } from './client-checks.ts'
import { configChecks } from './config-checks.ts'
import { dslChecks } from './dsl-checks.ts'
import type { Facts } from './facts/facts.ts'
import type { Check, Finding, Hit, Severity } from './finding.ts'
import { limitChecks } from './limit-checks.ts'
import { keystoreChecks } from './keystore-checks.ts'
import { probeChecks } from './probe-checks.ts'

export const checks: readonly Check[] = [
  ...configChecks,
  ...limitChecks,
  ...clientChecks,
  ...keystoreChecks,
  ...auditChecks,
  ...dslChecks,
  ...probeChecks,
]

/** In the order of the report. */
export const severities: readonly Severity[] = ['FATAL', 'BREAK', 'WEAK', 'INFO']

const failing: ReadonlySet<Severity> = new Set(['FATAL', 'BREAK'])

export function runChecks(facts: Facts): readonly Finding[] {
  const findings = checks.flatMap((check) => {
    // Nothing can be said of fields that nobody could read.
    if (!facts.config.isReadable && check.code !== 'fatal-config-load') return []
    return check.when(facts).map((hit) => toFinding(check, hit))
  })
  return severities.flatMap((severity) => findings.filter((finding) => finding.severity === severity))
}

/** What a watch over certificates fails with: the days that are left, and whatever keeps anybody from knowing them. */
export const certificateCodes: ReadonlySet<string> = new Set([
  'fatal-keystore-expired',
  'weak-keystore-not-yet-valid',
  'weak-keystore-expiring',
  'fatal-trust-ca-expired',
  'weak-trust-ca-expired',
  'weak-trust-ca-expiring',
  'weak-keystore-unreadable',
  'weak-trust-ca-unreadable',
])

export interface Strictness {
  readonly strict: boolean
  /** Whether certificates are watched. */
  readonly watched?: boolean
}

export function exitCodeOf(findings: readonly Finding[], { strict, watched = false }: Strictness): ExitCode {
  const isFailure = findings.some(
    ({ severity, code }) =>
      failing.has(severity) || (strict && severity === 'WEAK') || (watched && certificateCodes.has(code)),
  )
  return isFailure ? exitCodes.failure : exitCodes.success
}

function toFinding(check: Check, hit: Hit): Finding {
  const { field = check.field, text = '', recovery = check.recovery, appendix = '' } = hit
  const { severity, code, headline, rationale } = check
  return {
    severity,
    code,
    field,
    headline: headline.replace('%', () => text),
    rationale,
    recovery: recovery + appendix,
  }
}
