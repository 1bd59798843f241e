/**
 * A second try, alone, for test files that failed beside others. The events of a run come in, those of the whole go
 * out: of a file that was tried twice, the second ones. A machine that is busy with other work makes a test fail now
 * and then that waits for several processes; a fault fails again. What passes the second time is told, by name and
 * cause: it is a test to be made steady.
 */

/** As far as it is read here, what node:test says of a test. */
export interface TestEvent {
  readonly type: string
  readonly data: {
    /** Where the test stands: in a module of cases it is not the file that was run. */
    readonly file?: string
    /** The test file that was run; missing where it says of itself that it could not be. */
    readonly entryFile?: string
    readonly name?: string
    readonly nesting?: number
    readonly message?: string
    readonly skip?: string | boolean
    readonly todo?: string | boolean
    readonly counts?: Counts
    readonly success?: boolean
    readonly duration_ms?: number
    readonly details?: { readonly error?: Error & { readonly failureType?: string } }
  }
}

type Counts = Readonly<Record<(typeof counted)[number], number>>

/** About each file that failed beside others and passed alone; `failures` has a line for each failed test. */
export interface Unsteady {
  readonly file: string
  readonly failures: readonly string[]
}

/** What more files than this have in common is not an accident. */
const maxFiles = 8

const counted = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const
/** The same, as Node's reporters name them. */
const names = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const
/** A file whose process could not say more than that it failed. */
const crashed: Counts = { tests: 1, suites: 0, passed: 0, failed: 1, cancelled: 0, skipped: 0, todo: 0 }
/** These come when they happen; the others in the order of the files. */
const early = new Set(['test:enqueue', 'test:dequeue', 'test:complete', 'test:stdout', 'test:stderr'])

export async function* withSecondTry(
  first: AsyncIterable<TestEvent>,
  again: (file: string) => AsyncIterable<TestEvent>,
  told: (unsteady: Unsteady) => void,
): AsyncGenerator<TestEvent> {
  const started = performance.now()
  const failed = new Map<string, TestEvent[]>()
  let counts: Record<keyof Counts, number> = { ...crashed }
  let isRight = true
  for await (const [file, events] of byFile(first)) {
    if (file === undefined) counts = { ...countsOf(events) }
    else if (events.some(isFailure)) failed.set(file, events)
    else yield* events
  }
  for (const [file, events] of failed) {
    let kept = events
    if (failed.size <= maxFiles) {
      kept = []
      let total: Counts | undefined
      for await (const [of, more] of byFile(again(file))) {
        if (of === undefined) total = countsOf(more)
        else kept.push(...more)
      }
      const before = countsOf(events)
      for (const name of counted) counts[name] += (total ?? crashed)[name] - before[name]
      if (!kept.some(isFailure)) told({ file, failures: events.filter(isFailure).map(toLine) })
    }
    isRight &&= !kept.some(isFailure)
    yield* kept
  }
  yield* totals(counts, performance.now() - started, isRight)
}

/** The events of one file after the other, then those of no file. */
async function* byFile(events: AsyncIterable<TestEvent>): AsyncGenerator<readonly [string | undefined, TestEvent[]]> {
  const waiting = new Map<string, TestEvent[]>()
  const rest: TestEvent[] = []
  let current: string | undefined
  for await (const event of events) {
    const file = event.data.entryFile ?? event.data.file
    if (file === undefined) {
      rest.push(event)
      continue
    }
    if (!early.has(event.type) && file !== current) {
      if (current !== undefined) yield [current, waiting.get(current) ?? []]
      if (current !== undefined) waiting.delete(current)
      current = file
    }
    const those = waiting.get(file)
    if (those === undefined) waiting.set(file, [event])
    else those.push(event)
  }
  if (current !== undefined) yield [current, waiting.get(current) ?? []]
  yield [undefined, rest]
}

export function isFailure({ type, data: { todo = false } }: TestEvent): boolean {
  return type === 'test:fail' && todo === false
}

function countsOf(events: readonly TestEvent[]): Counts {
  return events.findLast(({ type }) => type === 'test:summary')?.data.counts ?? crashed
}

function toLine({ data: { name, details } }: TestEvent): string {
  const { error } = details ?? {}
  const cause = error?.cause instanceof Error ? error.cause.message : error?.message
  return `${name}: ${cause?.split('\n')[0]}`
}

function* totals(counts: Counts, ms: number, success: boolean): Generator<TestEvent> {
  const tell = (message: string): TestEvent => ({ type: 'test:diagnostic', data: { nesting: 0, message } })
  for (const [index, name] of counted.entries()) yield tell(`${names[index]} ${counts[name]}`)
  yield tell(`duration_ms ${ms}`)
  yield { type: 'test:summary', data: { success, counts, duration_ms: ms } }
}
