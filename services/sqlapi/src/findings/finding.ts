/**
 * The vocabulary of findings: what `check` and the start have to say about the files, as plain values. Types and the
 * order of findings; the codes are a table in codes.ts, how findings are written is in reports.ts.
 */
import type { Code, Severity } from './codes.ts'

/** What is wrong at a position of a file. The words of a rule or of a database. */
export interface Remark {
  readonly code: Code
  /** Replaces the code's own severity, where a rule knows better. */
  readonly severity?: Severity
  /** From 1. */
  readonly line: number
  /** From 1, in code points. */
  readonly column: number
  readonly message: string
  /** What to do about it; the cure of the code unless given. */
  readonly cure?: string | undefined
}

/** A remark with everything that a reader wants to see. The keys are in this order in JSON. */
export interface Finding {
  readonly severity: Severity
  readonly code: Code
  /** Relative to the working directory, with slashes. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in code points. */
  readonly column: number
  readonly message: string
  /** The line of the file, without its end; empty where there is none to show. */
  readonly text: string
  readonly cure: string
}

/** What a report is written of. */
export interface Report {
  /** In the order in which they should be read. */
  readonly findings: readonly Finding[]
  /** How many files were looked at. */
  readonly files: number
  /** Some of them could not be checked in full. */
  readonly isPart: boolean
  readonly ms: number
  /** The reader is a terminal that shows colours. */
  readonly colours: boolean
}

/** By file, and in a file as one reads it. */
export function compareFindings(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column || (a.code < b.code ? -1 : 1)
}
