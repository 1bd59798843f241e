/**
 * Stands in the place of `node:test` for the test files that child.ts loads: keeps what they register, and runs it one
 * at a time, as often as wanted, without a report. Knows as much of `node:test` as those files use.
 */
import { mock } from 'node:test'

type Run = (context?: unknown) => unknown

interface Suite {
  readonly outer: Suite | undefined
  readonly befores: Run[]
  readonly afters: Run[]
  isBegun: boolean
}

export interface Collected {
  readonly title: string
  readonly suite: Suite
  readonly run: Run
}

let suite = toSuite(undefined)
let collected: Collected[] = []
let begun: Suite[] = []
/** What the test that runs wants done behind it. */
let cleanups: Run[] | undefined

function toSuite(outer: Suite | undefined): Suite {
  return { outer, befores: [], afters: [], isBegun: false }
}

/** What a test file registers while it loads. */
export async function collect(load: () => Promise<unknown>): Promise<readonly Collected[]> {
  suite = toSuite(undefined)
  collected = []
  await load()
  return collected
}

/** Rejects when the test fails. */
export async function runCollected({ title, suite, run }: Collected): Promise<void> {
  await begin(suite)
  await runNow(title, run)
}

/** What `after` has registered in the suites that began. */
export async function endSuites(): Promise<void> {
  for (const { afters } of begun.toReversed()) for (const run of afters) await run()
  begun = []
}

async function begin(suite: Suite): Promise<void> {
  if (suite.isBegun) return
  suite.isBegun = true
  if (suite.outer !== undefined) await begin(suite.outer)
  begun.push(suite)
  for (const run of suite.befores) await run()
}

async function runNow(title: string, run: Run): Promise<void> {
  const outer = cleanups
  const mine: Run[] = []
  cleanups = mine
  const tracker = new (mock.constructor as new () => typeof mock)()
  try {
    await run({
      name: title,
      mock: tracker,
      after: (cleanup: Run) => void mine.push(cleanup),
      diagnostic: () => undefined,
      skip: () => undefined,
      test: (inner: string, ...rest: unknown[]) => runNow(inner, rest.at(-1) as Run),
    })
  } finally {
    tracker.reset()
    for (const cleanup of mine.toReversed()) await cleanup()
    cleanups = outer
  }
}

export function test(title: string, ...rest: unknown[]): void {
  const [options, run = options] = rest
  const { skip = false } = typeof options === 'object' ? (options as { skip?: unknown }) : {}
  if (skip === false || skip === undefined) collected.push({ title, suite, run: run as Run })
}

export function describe(_title: string, ...rest: unknown[]): void {
  const outer = suite
  suite = toSuite(outer)
  ;(rest.at(-1) as Run)()
  suite = outer
}

export function before(run: Run): void {
  suite.befores.push(run)
}

export function after(run: Run): void {
  ;(cleanups ?? suite.afters).push(run)
}

export { mock }
