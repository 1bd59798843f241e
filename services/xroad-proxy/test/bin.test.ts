/**
 * What `bin/xroad-proxy.js` does before the service: it replaces its process once, for a flag of V8 that only counts from the
 * start. A module that is loaded before it tells of each start: its process id and the flags of Node.js.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { call, linesOf, newFolder, type Spawned, spawnProcess } from '@services/testing'
import { binary } from './support/process.ts'

const flag = '--max-semi-space-size=8'
const skip = process.platform === 'win32' && 'Windows cannot replace a process'
const config = 'host: 127.0.0.1\nport: 0\n'

interface Start {
  readonly pid: number
  readonly execArgv: readonly string[]
  readonly argv: readonly string[]
}

const witness = `
  const { pid, execArgv, argv } = process
  require('node:fs').appendFileSync(__dirname + '/starts', JSON.stringify({ pid, execArgv, argv }) + '\\n')
`

function folderOf(name: string): string {
  return newFolder({ 'witness.cjs': witness, [name]: config })
}

function startsIn(folder: string): Start[] {
  return linesOf(readFileSync(join(folder, 'starts'), 'utf8')).map((line) => JSON.parse(line) as Start)
}

interface Options {
  readonly flags?: readonly string[]
  readonly args?: readonly string[]
  readonly options?: string
}

function startIn(folder: string, { flags = [], args = [], options = '' }: Options): Spawned {
  return spawnProcess({
    cwd: folder,
    command: [process.execPath, ...flags, binary],
    args,
    env: { NODE_OPTIONS: `--require=${join(folder, 'witness.cjs')} ${options}` },
  })
}

/** It has to have answered before: only then does it listen to signals for sure. */
async function end(child: ChildProcess, listening: string): Promise<void> {
  const [, port] = /[":](\d+)"?\D*$/.exec(listening) ?? []
  strictEqual((await call(Number(port), '/health')).status, 200)
  child.kill('SIGTERM')
}

/** For what `spawnProcess` does not do: more descriptors. */
async function runWith(folder: string, descriptor: 'ipc' | number, args: readonly string[]) {
  const env = { PATH: process.env['PATH'], NODE_OPTIONS: `--require=${join(folder, 'witness.cjs')}` }
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit', descriptor],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  while (!/listening.*\n/i.test(output)) await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  const wasConnected = child.connected
  const ended = once(child, 'close')
  await end(child, output.trimEnd())
  return { wasConnected, ended: await ended }
}

describe('the process replaces itself once', { skip, concurrency: 4 }, () => {
  test('it keeps its id, its flags and its arguments, and ends as it would', async () => {
    const name = 'of "all" $kinds\n\u00e4.yaml'
    const folder = folderOf(name)
    const service = startIn(folder, { flags: ['--stack-trace-limit=7'], args: ['--config', name] })
    await end(service.child, await service.line(/listening/i))
    const { code, signal, stderr } = await service.ended
    deepStrictEqual([code, signal, stderr], [0, null, ''])
    const [first, second, ...others] = startsIn(folder)
    deepStrictEqual(first, { pid: service.pid, execArgv: ['--stack-trace-limit=7'], argv: first?.argv })
    deepStrictEqual(second, { ...first, execArgv: [flag, '--stack-trace-limit=7'] })
    deepStrictEqual(others, [])
    strictEqual(second?.argv.at(-1), name)
  })

  test('a refused start ends with the same code', async () => {
    const folder = folderOf('proxy.yaml')
    const { code, stderr } = await startIn(folder, { args: ['--config', 'missing.yaml'] }).ended
    deepStrictEqual([code, stderr, startsIn(folder).length], [1, '', 2])
  })

  test('where the process may not be replaced it runs as it is', async () => {
    const folder = folderOf('proxy.yaml')
    const flags = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-net'].filter((each) =>
      process.allowedNodeEnvironmentFlags.has(each.replace(/=.*/, '')),
    )
    const service = startIn(folder, { flags })
    await end(service.child, await service.line(/listening/i))
    strictEqual((await service.ended).code, 0)
    deepStrictEqual(startsIn(folder), [{ pid: service.pid, execArgv: flags, argv: startsIn(folder)[0]?.argv }])
  })
})

const reasons: Record<string, Options> = {
  'a size in NODE_OPTIONS': { options: '--max-semi-space-size=32' },
  'a size among the flags': { flags: ['--max_semi_space_size=32'] },
  'a debugger': { flags: ['--inspect=127.0.0.1:0'] },
  'a debugger in NODE_OPTIONS': { options: '--inspect=127.0.0.1:0' },
}

describe('the process does not replace itself', { concurrency: 4 }, () => {
  for (const [reason, options] of Object.entries(reasons)) {
    test(`because of ${reason}`, async () => {
      const folder = folderOf('proxy.yaml')
      const service = startIn(folder, options)
      await end(service.child, await service.line(/listening/i))
      strictEqual((await service.ended).code, 0)
      strictEqual(startsIn(folder).length, 1)
    })
  }

  for (const args of [['--help'], ['--version']]) {
    test(`for ${args.join(' ')}`, async () => {
      const folder = folderOf('proxy.yaml')
      strictEqual((await startIn(folder, { args }).ended).code, 0)
      strictEqual(startsIn(folder).length, 1)
    })
  }

  test('because of a channel to its parent', async () => {
    const folder = folderOf('proxy.yaml')
    const { wasConnected } = await runWith(folder, 'ipc', [])
    ok(wasConnected)
    strictEqual(startsIn(folder).length, 1)
  })

  test('because the configuration is an open file', { skip }, async () => {
    const folder = folderOf('other.yaml')
    const file = openSync(join(folder, 'other.yaml'), 'r')
    const { ended } = await runWith(folder, file, ['--config', '/dev/fd/3'])
    closeSync(file)
    deepStrictEqual(ended, [0, null])
    strictEqual(startsIn(folder).length, 1)
  })
})
