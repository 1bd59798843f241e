/**
 * Warnings of Node.js as events: in real processes, of the first thread and of worker threads, and how often they are
 * told.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { limited } from '../../src/warnings.ts'

const file = new URL('../../src/warnings.ts', import.meta.url).href
const threadFile = new URL('../../src/thread.ts', import.meta.url).href

interface Outcome {
  readonly told: readonly Record<string, unknown>[]
  readonly stderr: string
}

/** Runs a script in a process of its own: what it hears of comes back, and what stands on stderr. */
function run(script: string, flags: readonly string[] = []): Outcome {
  const opening = `
    import { Worker } from 'node:worker_threads'
    import { hearWarnings } from '${file}'
    const hear = (threads) => hearWarnings((warning) => console.log(JSON.stringify(warning)), { threads })
    const thread = () => new Worker(\`
      import('${threadFile}').then(({ passWarningsOn }) => {
        passWarningsOn()
        process.emitWarning('of the thread', 'ThreadWarning', 'T1')
        setTimeout(() => {}, 100)
      })\`, { eval: true })
  `
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module-typescript', '-e', opening + script],
    { encoding: 'utf8', timeout: 60_000 },
  )
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { told: lines.map((line) => JSON.parse(line) as Record<string, unknown>), stderr }
}

test('a warning is told with its code and its stack, and stderr stays empty', () => {
  const { told, stderr } = run(`hear(false); process.emitWarning('old\\nfashioned', 'OldWarning', 'O1')`)
  strictEqual(stderr, '')
  strictEqual(told.length, 1)
  const { stack, ...rest } = told[0] ?? {}
  deepStrictEqual(rest, { warning: 'OldWarning', code: 'O1', message: 'old\nfashioned', leftOut: 0 })
  match(String(stack), /^OldWarning: old/)
})

test('worker threads pass theirs on, and keep neither thread nor process alive', () => {
  const { told, stderr } = run('hear(true); thread()')
  strictEqual(stderr, '')
  deepStrictEqual(
    told.map(({ warning, code, message }) => [warning, code, message]),
    [['ThreadWarning', 'T1', 'of the thread']],
  )
})

test('with --no-warnings nobody hears of any', () => {
  const { told, stderr } = run(`hear(true); process.emitWarning('old')`, ['--no-warnings'])
  deepStrictEqual([told, stderr], [[], ''])
})

test('a kind of warning is told once a minute, with the number of those left out', () => {
  const told: string[] = []
  let now = 0
  const hear = limited(
    ({ warning, leftOut, message }) => {
      strictEqual(message.length, 1024)
      told.push(`${warning} ${leftOut}`)
    },
    () => now,
  )
  const warn = (name: string): void => hear({ name, message: 'm'.repeat(5000) })
  for (let i = 0; i < 1000; i++) warn('A')
  warn('B')
  now += 60_000
  warn('A')
  warn('A')
  deepStrictEqual(told, ['A 0', 'B 0', 'A 999'])
  // Names that never repeat are one kind in the end.
  for (let i = 0; i < 1000; i++) warn(`name ${i}`)
  ok(told.length < 100, `${told.length}`)
})
