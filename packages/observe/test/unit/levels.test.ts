import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { levels } from '../../src/events.ts'
import { isHeard, levelsPattern, readLevels } from '../../src/levels.ts'

/**
 * Directive -> the lowest level that is heard of the targets `app` and `sql`, and whether the directive is without a
 * fault.
 */
const cases: readonly [string, string, string, boolean][] = [
  ['info', 'info', 'info', true],
  ['WARN', 'warn', 'warn', true],
  ['Warn', 'warn', 'warn', false],
  ['off', 'off', 'off', true],
  ['info,sql=debug', 'info', 'debug', true],
  [' error , sql = TRACE ', 'error', 'trace', true],
  ['sql=debug', 'info', 'debug', true],
  ['warn,hyper=trace,tower_http::trace=debug', 'warn', 'warn', true],
  ['off,app=info,app=warn', 'warn', 'off', true],
  ['debug,loud', 'debug', 'debug', false],
  ['debug,', 'debug', 'debug', false],
  ['', 'info', 'info', false],
  ['nonsense', 'info', 'info', false],
  ['app=info=debug', 'info', 'info', false],
  ['a b=debug', 'info', 'info', false],
  ['SQL=debug', 'info', 'info', true],
]

for (const [directive, app, sql, isFaultless] of cases) {
  test(`level directive ${JSON.stringify(directive)}`, () => {
    const read = readLevels(directive, (target) => target)
    const lowest = (target: string): string => levels.findLast((level) => isHeard(level, target, read)) ?? 'off'
    strictEqual(lowest('app'), app)
    strictEqual(lowest('sql'), sql)
    strictEqual(levelsPattern.test(directive), isFaultless)
  })
}

test('a service says which spellings of a target are one', () => {
  const read = readLevels('error,My-App=debug', (target) => target.toLowerCase().replaceAll('-', '_'))
  strictEqual(isHeard('debug', 'my_app', read), true)
  strictEqual(isHeard('debug', 'app', read), false)
})
