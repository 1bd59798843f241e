/**
 * The reporter of `npm test`: Node's own `spec`, with the totals at the end marked as TAP marks them (`# tests 12`),
 * which is what log scrapers look for. Behind them stands what was skipped, by reason: a tool or files that this
 * machine does not have; and what failed beside others and passed alone. With TEST_COSTS, the file that `costs.ts`
 * writes, the files that took longest follow.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec } from 'node:test/reporters'
import type { TestEvent, Unsteady } from './second-try.ts'

interface Cost {
  readonly file: string
  readonly cpuMs: number
  readonly clockMs: number
}

const shownFiles = 25

/** The text of a run; `unsteady` is complete when the events have ended; `sourceOf` what was run. */
export async function* report(
  events: AsyncIterable<TestEvent>,
  unsteady: readonly Unsteady[] = [],
  sourceOf: (file: string) => string = (file) => file,
): AsyncGenerator<string> {
  const skipped = new Map<string, Set<string>>()
  const watched = Readable.from(events).map((event: TestEvent) => {
    const { type, data } = event
    const { entryFile, file = '', skip = false } = data
    if (type === 'test:pass' && skip !== false) {
      const reason = isSkipWithoutReason(event) ? noReason : String(skip)
      skipped.set(reason, (skipped.get(reason) ?? new Set()).add(relative('.', entryFile ?? file)))
    }
    return { type, data }
  })
  for await (const text of watched.pipe(new spec())) yield String(text).replaceAll('ℹ ', '# ')
  yield* tellSkipped(skipped)
  yield* tellUnsteady(unsteady)
  const notes = process.env['TEST_COSTS']
  if (notes !== undefined) yield* tellSlowest(readCosts(notes), sourceOf)
}

const noReason = 'no reason was given'

/** A skip has to say what is missing. */
export function isSkipWithoutReason({ type, data: { skip } }: TestEvent): boolean {
  return type === 'test:pass' && (skip === true || skip === '')
}

function* tellUnsteady(unsteady: readonly Unsteady[]): Generator<string> {
  if (unsteady.length === 0) return
  yield '\n# failed beside others and passed alone (CONTRIBUTING.md, "Unsteady tests"):\n'
  for (const { file, failures } of unsteady) {
    yield `#   ${relative('.', file)}\n`
    for (const failure of failures) yield `#     ${failure}\n`
  }
}

function* tellSkipped(skipped: ReadonlyMap<string, ReadonlySet<string>>): Generator<string> {
  if (skipped.size === 0) return
  yield '\n# skipped for want of (CONTRIBUTING.md, "What the tests bring"):\n'
  for (const [reason, files] of skipped) yield `#   ${reason}: ${[...files].join(', ')}\n`
}

function* tellSlowest(costs: readonly Cost[], sourceOf: (file: string) => string): Generator<string> {
  const total = costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  yield `\n# ${seconds(total)} of CPU time; the most for:\n#     CPU   clock\n`
  for (const { file, cpuMs, clockMs } of costs.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, shownFiles)) {
    yield `# ${seconds(cpuMs)} ${seconds(clockMs)} ${relative('.', sourceOf(file))}\n`
  }
}

function readCosts(notes: string): Cost[] {
  const lines = readFileSync(notes, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Cost)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`.padStart(7)
}
