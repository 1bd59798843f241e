import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readFlags } from '../src/boot/flags.ts'
import { packagingTime, version } from '../src/version.ts'

const runs: readonly [string[], string | undefined][] = [
  [[], undefined],
  [['--config', 'a.yaml'], 'a.yaml'],
  [['--config=a.yaml'], 'a.yaml'],
  [['-c', 'a.yaml'], 'a.yaml'],
  [['-ca.yaml'], 'a.yaml'],
]

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
]) {
  test(`refused: ${JSON.stringify(argv)} [D6.1]`, () => {
    const action = readFlags(argv)
    ok(action.action === 'refuse')
    match(action.text, /^sqlapi: .+\nTry: sqlapi --help\n$/s)
  })
}

test('the version is the one of package.json, the packaging time is an integer [D1.1]', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  strictEqual(version, manifest.version)
  ok(Number.isInteger(packagingTime) && packagingTime >= 0)
})
