/** docs/doctor.md against the code: the table of codes, the flags and the exit codes. */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFlags } from '../../../src/boot/flags.ts'
import { checks, exitCodeOf, severities } from '../../../src/doctor/checks.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/doctor.md'), 'utf8')

/** The cells of the first table behind a text, without its head and the backquotes around a cell. */
function tableAfter(mark: string): string[][] {
  const at = page.indexOf(mark)
  ok(at >= 0, `no ${mark}`)
  const lines = page.slice(at).split('\n')
  const rows = lines.slice(lines.findIndex((line) => line.startsWith('|')))
  const length = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(2, length).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
  )
}

test('the page has every code with its severity, in the order of the checks [D6.1]', () => {
  deepStrictEqual(
    tableAfter('<!-- table: codes').map(([code, severity]) => [code, severity]),
    checks.map(({ code, severity }) => [code, severity]),
  )
  for (const [code = '', , words = ''] of tableAfter('<!-- table: codes')) ok(words.length > 15, code)
})

test('the page has the severities with their exit codes [S-doctor.exit]', () => {
  const told = tableAfter('## Exit codes')
  deepStrictEqual(
    told.map(([severity]) => severity),
    severities,
  )
  for (const [index, severity] of severities.entries()) {
    const finding = { severity, code: '', field: '', headline: '', rationale: '', recovery: '' }
    const [plain, strict] = [false, true].map((each) => exitCodeOf([finding], { strict: each }))
    deepStrictEqual(told[index]?.[2], plain === strict ? String(plain) : `${plain}, with \`--strict\` ${strict}`)
  }
})

test('the page has the flags that the command takes', () => {
  const flags = tableAfter('xroad-proxy doctor [').flatMap(([cell = '']) =>
    Array.from(cell.matchAll(/--[a-z-]+/g), ([flag]) => flag),
  )
  deepStrictEqual(flags, ['--config', '--format', '--strict', '--probe', '--watch-certificates'])
  const action = readFlags(['doctor', '--config', 'x', '--format', 'json', '--strict', '--probe'])
  deepStrictEqual(action, { action: 'doctor', config: 'x', format: 'json', strict: true, probe: true })
})
