/** What the benchmark is asked for, and where in its page the results go. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { insertResult, UsageError } from '@services/bench'
import { readOptions } from '../bench/options.ts'
import { comparisonMarkers, resultMarkers } from '../bench/report.ts'
import { scenarios } from '../bench/scenarios.ts'

test('README.md: the table of scenarios is that of the code, and each result has its place', () => {
  const text = readFileSync(new URL('../bench/README.md', import.meta.url), 'utf8')
  const named = Array.from(text.matchAll(/^\| `([a-z-]+)` \|/gm), ([, name]) => name)
  deepStrictEqual(named, [...scenarios.map(({ name }) => name), 'xml', 'boot', 'wsdl'])
  for (const markers of [resultMarkers, comparisonMarkers]) {
    ok(insertResult(text, markers, 'SOMETHING NEW').includes('\n\nSOMETHING NEW\n\n'))
  }
})

test('options: mistakes are told', () => {
  const mistakes = [
    [['--only', 'nothing'], /no scenario 'nothing'/],
    [['--rounds', '0'], /whole number from 1/],
    [['--rounds', '1.5'], /whole number from 1/],
    [['--write', '--quick'], /whole run/],
    [['--write', '--only', 'boot'], /whole run/],
    [['--write', '--profile', 'x'], /whole run/],
    [['--against', 'HEAD', '--write', '--only', 'boot'], /whole run/],
    [['--against', 'HEAD', '--quick', '--profile', 'x'], /does not go with --quick, --profile/],
    [['--nonsense'], /--nonsense/],
  ] as const
  for (const [args, message] of mistakes) {
    throws(
      () => readOptions(args),
      (error) => error instanceof UsageError && message.test(error.message),
    )
  }
  strictEqual(readOptions(['--help']), undefined)
  strictEqual(readOptions(['--quick', '--rounds', '4'])?.lengths.rounds, 4)
  strictEqual(readOptions([])?.lengths.rounds, 5)
  const against = readOptions(['--against', 'last-release', '--write', '--rounds', '3'])
  deepStrictEqual([against?.against, against?.isWritten, against?.rounds], ['last-release', true, 3])
  strictEqual(readOptions(['--against', 'last-release'])?.rounds, undefined)
})
