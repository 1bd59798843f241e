/**
 * Flags that every service has, as cases that the suite of each service runs against its own program. A way to run it
 * comes in; tests are registered.
 */
import { deepStrictEqual, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Ended } from '@services/testing'

export interface FlagCases {
  /** Ids of the rules that the cases prove. */
  readonly rules: string
  /** What the program calls itself. */
  readonly name: string
  readonly version: string
  /** Names that the help has besides those of the flags. */
  readonly variables: readonly string[]
  /** Command lines that are wrong. */
  readonly wrong: readonly (readonly string[])[]
  /** Runs the program until it ends. */
  readonly run: (args: readonly string[]) => Promise<Ended>
}

export function testFlags({ rules, name, version, variables, wrong, run }: FlagCases): void {
  describe(`flags ${rules}`, { concurrency: 4 }, () => {
    for (const flag of ['--help', '-h']) {
      test(`${flag} explains and ends well, whatever the configuration`, async () => {
        const { code, stdout, stderr } = await run([flag, '--config', 'missing.yaml'])
        deepStrictEqual([code, stderr], [0, ''])
        ok(stdout.startsWith(`Usage: ${name}`), stdout)
        for (const named of ['--config', '--help', '--version', ...variables]) ok(stdout.includes(named), named)
      })
    }

    for (const flag of ['--version', '-V']) {
      test(`${flag} tells the version`, async () => {
        const { code, stdout, stderr } = await run([flag])
        deepStrictEqual([code, stderr, stdout], [0, '', `${name} ${version}\n`])
      })
    }

    for (const args of [...wrong, ['-x'], ['--config'], ['--config='], ['--version=1']]) {
      test(`${args.join(' ')} is wrong`, async () => {
        const { code, stdout, stderr } = await run(args)
        deepStrictEqual([code, stdout], [2, ''])
        match(stderr, new RegExp(`^${name}: .*\\n(?:Commands: .*\\n)?Try: ${name} --help\\n$`))
      })
    }
  })
}
