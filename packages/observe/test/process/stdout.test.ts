/**
 * Standard output of a real process: a pipe, a socket, a file, a full disk; readers that are slow, stand still or go
 * away.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'stdout-'))
const children = new Set<ChildProcess>()

after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const opening = `
  import { openStdout } from '${new URL('../../src/stdout.ts', import.meta.url).href}'
  const stdout = openStdout()
  const write = (count) => { for (let i = 0; i < count; i++) stdout.write('line ' + i + ' ' + 'x'.repeat(90) + '\\n') }
`

/** Runs a script that has `stdout` and `write(count)`; what it says goes to stderr. */
function run(script: string, stdout: 'pipe' | number) {
  const args = ['--input-type=module-typescript', '-e', opening + script]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] })
  children.add(child)
  let said = ''
  child.stderr?.on('data', (chunk) => (said += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }))
  return { child, ended }
}

/** A pipe that nobody reads, as a file descriptor that both reads and writes. */
function openPipe(): number {
  const path = join(folder, `pipe-${Math.random()}`)
  execFileSync('mkfifo', [path])
  return openSync(path, 'r+')
}

const noPipes = process.platform === 'win32' ? 'Windows has no named pipes in the file system' : false

describe('standard output', { skip: noPipes }, () => {
  test('everything is out once it is drained, whatever the reader', async () => {
    const { child, ended } = run('write(20_000); await stdout.drained(600_000); process.exit(3)', 'pipe')
    let text = ''
    child.stdout?.on('data', (chunk) => (text += String(chunk)))
    const { code } = await ended
    deepStrictEqual([code, text.split('\n').length, text.endsWith('x\n')], [3, 20_001, true])
  })

  test('a pipe that nobody reads stops neither the event loop nor the end [X30]', async () => {
    const pipe = openPipe()
    const script = `
      write(20_000)
      setTimeout(async () => {
        process.stderr.write('alive')
        await stdout.drained(100)
        process.exit(4)
      }, 50)`
    const { code, said } = await run(script, pipe).ended
    closeSync(pipe)
    deepStrictEqual([code, said], [4, 'alive'])
  })

  test('what nobody reads is dropped beyond a bound, and the number is told once there is room', async () => {
    const script = `
      stdout.onDropped((count) => process.stderr.write('dropped ' + count))
      process.stderr.write('begin ')
      let rounds = 0
      const next = () => {
        write(10_000)
        if (++rounds < 30) setTimeout(next, 25)
        else process.stderr.write('full ' + (process.memoryUsage().rss >> 20) + ' ')
      }
      next()
      setInterval(() => stdout.write('later\\n'), 20)`
    const { child, ended } = run(script, 'pipe')
    let said = ''
    child.stderr?.on('data', (chunk) => (said += String(chunk)))
    while (!said.includes('full')) await new Promise((resolve) => setTimeout(resolve, 20))
    child.stdout?.resume()
    while (!said.includes('dropped')) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGKILL')
    await ended
    // 300 000 lines of 100 bytes were written, and 16 MiB of them wait.
    const dropped = Number(/dropped (\d+)/.exec(said)?.[1])
    ok(dropped > 50_000 && dropped < 200_000, said)
  })

  test('a reader that goes away does not end the process', async () => {
    const script = 'let i = 0; setInterval(() => { write(10); if (++i > 50) process.exit(7) }, 5)'
    const { child, ended } = run(script, 'pipe')
    child.stdout?.once('data', () => child.stdout?.destroy())
    deepStrictEqual(await ended, { code: 7, said: '' })
  })

  test('lines that are still together when the process exits are written', async () => {
    const { child, ended } = run('write(3); process.exitCode = 5', 'pipe')
    let text = ''
    child.stdout?.on('data', (chunk) => (text += String(chunk)))
    strictEqual((await ended).code, 5)
    strictEqual(text.split('\n').length, 4)
  })

  test('a file gets every line', async () => {
    const path = join(folder, 'lines')
    const file = openSync(path, 'w')
    const { code } = await run('write(20_000); await stdout.drained(1000); process.exit(6)', file).ended
    closeSync(file)
    deepStrictEqual([code, readFileSync(path, 'utf8').split('\n').length], [6, 20_001])
  })

  test(
    'a full disk does not end the process',
    { skip: process.platform === 'linux' ? false : 'only Linux has /dev/full' },
    async () => {
      const disk = openSync('/dev/full', 'w')
      const { code } = await run('write(1000); await stdout.drained(10); process.exitCode = 7', disk).ended
      closeSync(disk)
      strictEqual(code, 7)
    },
  )
})
