/**
 * Tries mutants of one source against its tests, in a process that is started anew only when a mutant has ended it: one
 * that runs in circles, or waits for what never happens. A mutant is tried with the tests that reach its place.
 */
import { type ChildProcess, fork } from 'node:child_process'
import type { Mutant } from './mutants.ts'

/** Part of a source by its offsets. */
export type Range = readonly [start: number, end: number, hasRun: boolean]

/** A test of a file, and which ranges of the source have run with it and which not, outer ones first. */
export interface MeasuredTest {
  readonly file: string
  readonly index: number
  readonly title: string
  readonly costMs: number
  readonly reached: readonly Range[]
}

export type Task =
  | { readonly kind: 'measure' }
  | {
      readonly kind: 'try'
      readonly source: string
      readonly tests: readonly MeasuredTest[]
      readonly importers: readonly string[]
    }

export interface Findings {
  readonly error?: string
  readonly measured?: Measured
  readonly failed?: string | undefined
}

export type Outcome = 'killed' | 'stopped' | 'survived' | 'unreached'

/** What a source is tried with. All are URLs; tests whose title matches `skipped` are left out. */
export interface Subject {
  readonly source: string
  readonly tests: readonly string[]
  readonly skipped: RegExp
}

export interface Measured {
  /** The cheapest first. */
  readonly tests: readonly MeasuredTest[]
  /** What runs when the source is loaded. */
  readonly loaded: readonly Range[]
  /** URLs of the modules that import the source, or what imports it, and its own. */
  readonly importers: readonly string[]
}

/** Throws when a test fails without any change. */
export async function measure(subject: Subject): Promise<Measured> {
  const child = start(subject)
  const findings = await ask(child, { kind: 'measure' })
  child.kill()
  if (findings?.measured === undefined) throw new Error(findings?.error ?? 'the tests end the process that runs them')
  return findings.measured
}

export class Trials {
  readonly #subject: Subject
  readonly #measured: Measured
  #child: ChildProcess | undefined

  constructor(subject: Subject, measured: Measured) {
    this.#subject = subject
    this.#measured = measured
  }

  async try({ at, source }: Pick<Mutant, 'at' | 'source'>): Promise<Outcome> {
    const { loaded, importers } = this.#measured
    const isLoaded = has(loaded, at)
    const tests = this.#measured.tests.filter(({ reached }) => reached.length > 0 && (isLoaded || has(reached, at)))
    if (tests.length === 0) return 'unreached'
    this.#child ??= start(this.#subject)
    const findings = await ask(this.#child, { kind: 'try', source, tests, importers })
    if (findings !== undefined) return findings.failed === undefined ? 'survived' : 'killed'
    this.#child = undefined
    return 'stopped'
  }

  /** Throws when a mutant has left something behind that makes tests fail without any change: more are killed then. */
  async end(unchanged: string): Promise<void> {
    if (this.#child === undefined) return
    const { tests, importers } = this.#measured
    const { failed } = (await ask(this.#child, { kind: 'try', source: unchanged, tests, importers })) ?? {}
    this.#child.kill()
    if (failed !== undefined) throw new Error(`"${failed}" fails without any change, after the mutants`)
  }
}

/** The innermost range decides. */
function has(ranges: readonly Range[], at: number): boolean {
  return ranges.findLast(([start, end]) => start <= at && at < end)?.[2] === true
}

function start({ source, tests, skipped }: Subject): ChildProcess {
  const execArgv = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=2048']
  return fork(new URL('child.ts', import.meta.url), [source, skipped.source, ...tests], {
    execArgv,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** Undefined when the process ends instead. */
function ask(child: ChildProcess, task: Task): Promise<Findings | undefined> {
  return new Promise((resolve) => {
    const end = (): void => resolve(undefined)
    child.once('exit', end)
    child.once('message', (findings: Findings) => {
      child.off('exit', end)
      resolve(findings)
    })
    child.send(task)
  })
}
