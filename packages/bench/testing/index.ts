/** For the tests of services: what is true of every bench that is built of this package. */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type BenchFlags, readOptions, toUsage } from '../src/command/options.ts'
import { UsageError } from '../src/command/usage-error.ts'
import { callersScenario } from '../src/race/callers.ts'
import { callersMarkers } from '../src/report/callers.ts'
import { againstMarkers, insertResult, resultMarkers } from '../src/report/report.ts'

/** `readme` is the page of the bench. */
export function testBench(flags: BenchFlags, readme: URL): void {
  testReadme(flags, readFileSync(readme, 'utf8'))
  testOptions(flags)
}

function testReadme({ script, raced, measured }: BenchFlags, text: string): void {
  test('README.md: the table of scenarios is that of the code, and each result has its place', () => {
    const rows = text.split('\n').filter((line) => /^\| `[a-z]/.test(line))
    const named = rows.flatMap((line) => Array.from(line.split('|')[1]!.matchAll(/`([^`]+)`/g), ([, name]) => name!))
    deepStrictEqual(named, [...raced, ...measured])
    for (const markers of [resultMarkers(script), againstMarkers(script), callersMarkers(script)]) {
      ok(insertResult(text, markers, 'SOMETHING NEW').includes('\n\nSOMETHING NEW\n\n'))
    }
  })
}

function testOptions(flags: BenchFlags): void {
  const { raced, measured } = flags
  const [first = '', second = ''] = raced
  const other = measured[0] ?? ''

  test('options: mistakes are told', () => {
    const mistakes = [
      [['--only', 'nothing'], /no scenario 'nothing'/],
      [['--rounds', '0'], /--rounds takes a whole number from 1/],
      [['--rounds', '1.5'], /--rounds takes a whole number from 1/],
      [['--write', '--quick'], /whole run: not with --quick, --only, --callers or --profile/],
      [['--write', '--only', other], /whole run/],
      [['--write', '--profile', 'x'], /whole run/],
      [['--write', '--only', callersScenario, '--only', other], /whole run/],
      [['--write', '--only', callersScenario, '--callers', '8'], /whole run/],
      [['--write', '--only', callersScenario, '--quick'], /whole run/],
      [['--against', 'HEAD', '--write', '--only', callersScenario], /whole run/],
      [['--callers', 'many'], /--callers takes a whole number from 1/],
      [['--only', first, '--callers', '8'], /--callers is for the scenario 'callers', which --only leaves out/],
      [['--against', 'HEAD', '--callers', '8'], /--against does not go with --callers/],
      [['--starts', '2', '--only', callersScenario], /no scenario 'callers'/],
      [['--against', 'HEAD', '--only', 'nothing'], /no scenario 'nothing'/],
      [['--against', 'HEAD', '--write', '--only', other], /whole run/],
      [['--against', 'HEAD', '--quick', '--profile', 'x'], /does not go with --quick, --profile/],
      [['--starts', 'many'], /--starts takes a whole number from 1/],
      [['--starts', '2', '--only', other], new RegExp(`no scenario '${other}'. There are: ${raced.join(', ')}$`)],
      [['--starts', '2', '--only', first, '--only', second], /--only once/],
      [['--starts', '2', '--against', 'HEAD', '--rounds', '2'], /--starts does not go with --against, --rounds/],
      [['--starts', '2', '--write'], /--starts does not go with --write/],
      [['--nonsense'], /--nonsense/],
      [['--against', 'HEAD', '--chart', 'x.svg'], /does not go with --chart/],
    ] as const
    for (const [args, message] of mistakes) {
      throws(
        () => readOptions(flags, args),
        (error) => error instanceof UsageError && message.test(error.message),
      )
    }
  })

  test('options: what is not said has its default', () => {
    strictEqual(readOptions(flags, ['--help']), undefined)
    strictEqual(readOptions(flags, [])?.lengths.rounds, flags.whole.rounds)
    deepStrictEqual(readOptions(flags, ['--quick', '--rounds', '4'])?.lengths, { ...flags.quick, rounds: 4 })
    const against = readOptions(flags, ['--against', 'last-release', '--write', '--rounds', '3'])
    deepStrictEqual([against?.against, against?.isWritten, against?.rounds], ['last-release', true, 3])
    strictEqual(readOptions(flags, ['--against', 'last-release'])?.rounds, undefined)
    const callers = readOptions(flags, ['--only', callersScenario, '--callers', '8', '--callers', '512'])
    deepStrictEqual([callers?.callers, readOptions(flags, [])?.callers], [[8, 512], []])
    const written = readOptions(flags, ['--only', callersScenario, '--write', '--rounds', '5'])
    deepStrictEqual([written?.isWritten, written?.only], [true, [callersScenario]])
    const starts = readOptions(flags, ['--starts', '10', '--quick', '--only', second])
    deepStrictEqual([starts?.starts, starts?.isQuick, starts?.only], [10, true, [second]])
  })

  test('options: help names every flag and every scenario', () => {
    const usage = toUsage(flags)
    for (const name of [...raced, ...measured]) match(usage, new RegExp(`[ ,]${name}(,|$)`, 'm'))
    const named = Array.from(usage.matchAll(/^ {2}(--[a-z]+)/gm), ([, flag]) => flag)
    const both = [
      '--quick',
      '--only',
      '--callers',
      '--rounds',
      '--write',
      '--chart',
      '--profile',
      '--starts',
      '--against',
    ]
    deepStrictEqual(named, both)
  })
}
