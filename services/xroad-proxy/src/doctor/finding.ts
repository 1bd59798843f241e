/** What a check is, and what it finds. */
import type { ConfigFacts, Facts } from './facts/facts.ts'

export type Severity = 'FATAL' | 'BREAK' | 'WEAK' | 'INFO'

/** One row of a table of checks. */
export interface Check {
  readonly code: string
  readonly severity: Severity
  /** What it is about, where the hit does not say it more exactly; may be empty. */
  readonly field: string
  /** One hit for each finding, none where all is well. */
  readonly when: (facts: Facts) => readonly Hit[]
  /** `%` stands for the text of the hit. */
  readonly headline: string
  readonly rationale: string
  readonly recovery: string
}

export interface Hit {
  readonly field?: string
  readonly text?: string
  /** Instead of that of the check, where the case has a cure of its own. */
  readonly recovery?: string
  /** Follows the recovery as it is. */
  readonly appendix?: string
}

/** Six texts, in the order of the JSON report; what does not apply is empty. */
export interface Finding {
  readonly severity: Severity
  readonly code: string
  readonly field: string
  readonly headline: string
  readonly rationale: string
  readonly recovery: string
}

/** One hit or none. */
export function hitIf(condition: boolean, text: string = ''): readonly Hit[] {
  return condition ? [{ text }] : []
}

/** Whether a field, or anything inside it, is wrong in the configuration. */
export function isWrong({ problems }: ConfigFacts, section: string): boolean {
  return problems.some(
    ({ field }) => field === section || field.startsWith(`${section}.`) || field.startsWith(`${section}[`),
  )
}

/** In quotes, and not longer than anybody wants to read. */
export function shown(text: string): string {
  return JSON.stringify(text.slice(0, maxShownLength))
}

const maxShownLength = 64
