/**
 * How severe a remark is where it was made: what the code says, what the configuration makes of it, what the file
 * allows. Pure.
 */
import { type Code, codes, severities, type Severity } from './codes.ts'
import type { Remark } from './finding.ts'

export const levels = ['off', ...severities.toReversed()] as const

/** `off` for a remark that nobody wants to see. */
export type Level = (typeof levels)[number]

/** `check.rules` of the configuration. */
export type Weights = Readonly<Partial<Record<Code, Level>>>

/** Codes that a file allows. */
export type Allowed = readonly { readonly code: string }[]

/** Nothing for what must not be told. */
export function severityOf({ code, severity }: Remark, weights: Weights, allowed: Allowed = []): Severity | undefined {
  if (allowed.some((allowing) => allowing.code === code)) return undefined
  const level = weights[code] ?? severity ?? codes[code].severity
  return level === 'off' ? undefined : level
}
