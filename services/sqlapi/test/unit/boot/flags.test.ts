import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readFlags } from '../../../src/boot/flags.ts'
import { packagingTime, version } from '../../../src/version.ts'

const runs: readonly [string[], string | undefined][] = [
  [[], undefined],
  [['--config', 'a.yaml'], 'a.yaml'],
  [['--config=a.yaml'], 'a.yaml'],
  [['-c', 'a.yaml'], 'a.yaml'],
  [['-ca.yaml'], 'a.yaml'],
  [['run'], undefined],
  [['run', '--config', 'a.yaml'], 'a.yaml'],
  [['--config', 'check'], 'check'],
]

const check = { action: 'check', format: 'text', strict: false, write: false, offline: false, explain: false }
const checks: readonly [string[], object][] = [
  [['check'], check],
  [['-c', 'a.yaml', 'check'], { ...check, config: 'a.yaml' }],
  [
    ['check', '--datasource', 'crm', '--format', 'json', '--strict'],
    { ...check, datasource: 'crm', format: 'json', strict: true },
  ],
  [['check', '--write', '--explain', '--format=github'], { ...check, write: true, explain: true, format: 'github' }],
  [['check', '--offline'], { ...check, offline: true }],
]

for (const [argv, action] of checks) {
  test(`check: ${JSON.stringify(argv)} [N1.1]`, () => deepStrictEqual(readFlags(argv), action))
}

test('dev, init and test take what they need [N5.1] [N5.3] [N5.4]', () => {
  deepStrictEqual(readFlags(['dev', '-c', 'a.yaml']), { action: 'dev', config: 'a.yaml' })
  deepStrictEqual(readFlags(['init']), { action: 'init' })
  deepStrictEqual(readFlags(['init', 'x']), { action: 'init', path: 'x' })
  deepStrictEqual(readFlags(['test']), { action: 'test', report: 'text' })
  deepStrictEqual(readFlags(['test', 'x', '--format', 'junit']), { action: 'test', path: 'x', report: 'junit' })
  for (const argv of [
    ['dev', 'x'],
    ['init', ''],
    ['init', '-c', 'a'],
    ['test', '--format', 'json'],
    ['check', '--format', 'junit'],
  ]) {
    strictEqual(readFlags(argv).action, 'refuse', argv.join(' '))
  }
})

test('openapi takes a configuration and nothing else [N4.1]', () => {
  deepStrictEqual(readFlags(['openapi', '-c', 'a.yaml']), { action: 'openapi', config: 'a.yaml' })
  strictEqual(readFlags(['openapi', '--strict']).action, 'refuse')
})

for (const [argv, config] of runs) {
  test(`run: ${JSON.stringify(argv)} [D6.1]`, () => {
    deepStrictEqual(readFlags(argv), config === undefined ? { action: 'run' } : { action: 'run', config })
  })
}

for (const argv of [['--help'], ['-h'], ['-c', 'a.yaml', '--help'], ['--version', '-h']]) {
  test(`help: ${JSON.stringify(argv)} [D6.1]`, () => {
    const action = readFlags(argv)
    ok(action.action === 'help')
    for (const flag of ['--config', '-c', '--help', '-h', '--version', '-V']) ok(action.text.includes(flag), flag)
    for (const word of ['check', '--datasource', '--format', '--strict', '--write', '--offline', '--explain']) {
      ok(action.text.includes(word), word)
    }
    for (const line of action.text.split('\n')) ok(line.length <= 80, line)
  })
}

for (const argv of [['--version'], ['-V']]) {
  test(`version: ${JSON.stringify(argv)} [D6.1]`, () => {
    deepStrictEqual(readFlags(argv), { action: 'version', text: `sqlapi ${version}\n` })
  })
}

for (const argv of [
  ['--nope'],
  ['-x'],
  ['serve'],
  ['-c'],
  ['--config'],
  ['--config='],
  ['-c', '--help'],
  ['--help=yes'],
  ['--strict'],
  ['run', '--offline'],
  ['check', '--format', 'xml'],
  ['check', '--datasource'],
  ['check', 'file.sql'],
  ['chek'],
]) {
  test(`refused: ${JSON.stringify(argv)} [D6.1]`, () => {
    const action = readFlags(argv)
    ok(action.action === 'refuse')
    match(action.text, /^sqlapi: .+\nTry: sqlapi --help\n$/s)
  })
}

test('an unknown command is answered with all that there are [D6.1]', () => {
  for (const command of ['serve', 'start']) {
    const action = readFlags([command])
    ok(action.action === 'refuse')
    strictEqual(
      action.text,
      `sqlapi: unknown command "${command}"
Commands: run (also without a command), check, openapi, health, dev, test, init
Try: sqlapi --help
`,
    )
  }
})

test('the version is the one of package.json, the packaging time is an integer [D1.1]', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  strictEqual(version, manifest.version)
  ok(Number.isInteger(packagingTime) && packagingTime >= 0)
})
