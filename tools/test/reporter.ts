/**
 * Reporter of test runs: Node's `spec` with totals marked as in TAP (`# tests 12`), then the skipped tests by reason.
 * A skip without a reason fails the run. TEST_FAILED names a file that gets the test files that failed.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

const noReason = 'no reason was given'

// Node loads reporters by their default export.
// oxlint-disable-next-line import/no-default-export
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped = new Map<string, Set<string>>()
  const failed = new Set<string>()
  const watched = Readable.from(events).map((event: TestEvent) => {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') return event
    const { skip, todo, file = '', name } = event.data
    if (event.type === 'test:fail' && todo === undefined) failed.add(file.endsWith('.test.ts') ? file : name)
    if (skip === undefined || skip === false) return event
    const reason = skip === true || skip === '' ? noReason : skip
    if (reason === noReason) process.exitCode = 1
    skipped.set(reason, (skipped.get(reason) ?? new Set()).add(relative('.', file)))
    return event
  })
  for await (const text of watched.pipe(new spec())) yield String(text).replaceAll('ℹ ', '# ')
  if (skipped.size > 0) yield '\n# skipped for want of (CONTRIBUTING.md, "What the tests bring"):\n'
  for (const [reason, files] of skipped) yield `#   ${reason}: ${[...files].join(', ')}\n`
  const list = process.env['TEST_FAILED']
  if (list !== undefined) writeFileSync(list, [...failed].join('\n'))
}
