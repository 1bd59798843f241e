/**
 * What the bin of a service does before the service: it refuses a Node.js that is too old, and replaces its process
 * once, for a flag of V8 that only counts from the start. A service comes in; tests are registered. A module that is
 * loaded before the bin tells of each start: its process id and the flags of Node.js.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { call, type Files, launchFlag, linesOf, newFolder, type Spawned, spawnProcess, until } from '@services/testing'
import { parse } from 'acorn'

export interface LauncherCases {
  /** What the program calls itself. */
  readonly name: string
  /** The bin. */
  readonly program: string
  /** What the program finds in its working directory. */
  readonly files: Files
  /** A configuration that listens on a free port of the loopback, and where it lies without `--config`. */
  readonly config: { readonly path: string; readonly text: string }
}

const skip = process.platform === 'win32' && 'Windows cannot replace a process'
const launcher = join(import.meta.dirname, '../src/launch.js')

interface Start {
  readonly pid: number
  readonly execArgv: readonly string[]
  readonly argv: readonly string[]
}

const witness = `
  const { pid, execArgv, argv } = process
  require('node:fs').appendFileSync(__dirname + '/starts', JSON.stringify({ pid, execArgv, argv }) + '\\n')
`

/** Tells which modules of Node.js itself a process had when it ended. */
const inventory = `process.once('exit', () => console.error(process.moduleLoadList.join('\\n')))`

interface Options {
  readonly flags?: readonly string[]
  readonly args?: readonly string[]
  readonly options?: string
}

const reasonsNotTo: Readonly<Record<string, Options>> = {
  'a size in NODE_OPTIONS': { options: '--max-semi-space-size=32' },
  'a size among the flags': { flags: ['--max_semi_space_size=32'] },
  'a debugger': { flags: ['--inspect=127.0.0.1:0'] },
  'a debugger in NODE_OPTIONS': { options: '--inspect=127.0.0.1:0' },
}

export function testLauncher(cases: LauncherCases): void {
  testOldNode(cases)
  testReplacement(cases)
  testNoReplacement(cases)
  testModules(cases)
  testHangUp(cases)
}

function testModules(cases: LauncherCases): void {
  // It takes a third of the time of a start, and megabytes. An `import` of node:http loads it,
  // `process.getBuiltinModule` does not.
  test('a start loads nothing of what Node.js has for browsers', async () => {
    const folder = folderOf(cases)
    const flags = ['--require', join(newFolder({ 'inventory.cjs': inventory }), 'inventory.cjs')]
    const { stderr } = await startIn(folder, cases, { flags, args: ['--config', 'missing.yaml'] }).ended
    const loaded = linesOf(stderr)
    ok(loaded.includes('NativeModule http'), stderr)
    deepStrictEqual(
      loaded.filter((module) => module.includes('undici')),
      [],
    )
  })
}

function testOldNode(cases: LauncherCases): void {
  const { name, program } = cases

  test('Node.js 14 can read the bin and the launcher', () => {
    for (const file of [program, launcher]) {
      parse(readFileSync(file, 'utf8'), { ecmaVersion: 2020, sourceType: 'module', allowHashBang: true })
    }
  })

  for (const version of ['14.0.0', '22.11.0', '23.99.0']) {
    test(`Node.js ${version} is refused`, async () => {
      const disguise = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
      const folder = folderOf(cases)
      const older = join(newFolder({ 'older.cjs': disguise }), 'older.cjs')
      const { code, stdout, stderr } = await startIn(folder, cases, { flags: ['--require', older] }).ended
      deepStrictEqual([code, stdout], [1, ''])
      strictEqual(stderr, `${name} needs Node.js 24 or newer; this is v${version} (${process.execPath})\n`)
      strictEqual(startsIn(folder).length, 1)
    })
  }
}

function testReplacement(cases: LauncherCases): void {
  describe('the process replaces itself once', { skip, concurrency: 4 }, () => {
    test('it keeps its id, its flags and its arguments, and ends as it would', async () => {
      const name = 'of "all" $kinds\n\u00e4.yaml'
      const folder = folderOf(cases, name)
      const service = startIn(folder, cases, { flags: ['--stack-trace-limit=7'], args: ['--config', name] })
      await end(service.child, await service.line(/listening/i))
      const { code, signal, stderr } = await service.ended
      deepStrictEqual([code, signal, stderr], [0, null, ''])
      const [first, second, ...others] = startsIn(folder)
      deepStrictEqual(first, { pid: service.pid, execArgv: ['--stack-trace-limit=7'], argv: first?.argv })
      deepStrictEqual(second, { ...first, execArgv: [launchFlag, '--stack-trace-limit=7'] })
      deepStrictEqual(others, [])
      strictEqual(second?.argv.at(-1), name)
    })

    test('a refused start ends with the same code', async () => {
      const folder = folderOf(cases)
      const { code, stderr } = await startIn(folder, cases, { args: ['--config', 'missing.yaml'] }).ended
      deepStrictEqual([code, stderr, startsIn(folder).length], [1, '', 2])
    })

    test('where the process may not be replaced it runs as it is', async () => {
      const folder = folderOf(cases)
      const flags = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-net'].filter((name) =>
        process.allowedNodeEnvironmentFlags.has(name.replace(/=.*/, '')),
      )
      const service = startIn(folder, cases, { flags })
      await end(service.child, await service.line(/listening/i))
      strictEqual((await service.ended).code, 0)
      deepStrictEqual(startsIn(folder), [{ pid: service.pid, execArgv: flags, argv: startsIn(folder)[0]?.argv }])
    })
  })
}

function testNoReplacement(cases: LauncherCases): void {
  describe('the process does not replace itself', { concurrency: 4 }, () => {
    for (const [reason, options] of Object.entries(reasonsNotTo)) {
      test(`because of ${reason}`, async () => {
        const folder = folderOf(cases)
        const service = startIn(folder, cases, options)
        await end(service.child, await service.line(/listening/i))
        strictEqual((await service.ended).code, 0)
        strictEqual(startsIn(folder).length, 1)
      })
    }

    // The configuration takes any free port, so nobody can be asked.
    for (const [command, code] of Object.entries({ '--help': 0, '--version': 0, '-V': 0, health: 1 })) {
      test(`for ${command}`, async () => {
        const folder = folderOf(cases)
        strictEqual((await startIn(folder, cases, { args: [command] }).ended).code, code)
        strictEqual(startsIn(folder).length, 1)
      })
    }

    test('because of a channel to its parent', async () => {
      const folder = folderOf(cases)
      const { wasConnected } = await runWith(folder, cases, 'ipc', [])
      ok(wasConnected)
      strictEqual(startsIn(folder).length, 1)
    })

    test('because the configuration is an open file', { skip }, async () => {
      const folder = folderOf(cases, 'other.yaml')
      const file = openSync(join(folder, 'other.yaml'), 'r')
      const { ended } = await runWith(folder, cases, file, ['--config', '/dev/fd/3'])
      closeSync(file)
      deepStrictEqual(ended, [0, null])
      strictEqual(startsIn(folder).length, 1)
    })
  })
}

/** Loads nothing of the program's own modules before the file `go` is there. */
const gate = `
  const fs = require('node:fs')
  require('node:module').registerHooks({
    load(url, context, next) {
      if (/\\/(?:src\\/main\\.ts|dist\\/main\\.js)$/.test(url)) {
        fs.writeFileSync(__dirname + '/loading', '')
        while (!fs.existsSync(__dirname + '/go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      }
      return next(url, context)
    },
  })
`

function testHangUp(cases: LauncherCases): void {
  const hangUpAtTheGate = async (args: readonly string[]): Promise<Spawned> => {
    const folder = folderOf(cases)
    writeFileSync(join(folder, 'gate.cjs'), gate)
    const program = startIn(folder, cases, { args, flags: ['--require', join(folder, 'gate.cjs')] })
    await until(() => existsSync(join(folder, 'loading')), 'modules to be loaded')
    process.kill(program.pid, 'SIGHUP')
    writeFileSync(join(folder, 'go'), '')
    return program
  }

  describe('SIGHUP while modules load', { skip }, () => {
    test('does not end a program that serves: it reads its files anew once it runs [O3.1]', async () => {
      const service = await hangUpAtTheGate([])
      const listening = await service.line(/listening/i)
      match(await service.line(/SIGHUP/), /read anew/)
      await end(service.child, listening)
      strictEqual((await service.ended).code, 0)
    })

    test('ends any other one, as the system has it [O3.1]', async () => {
      strictEqual((await (await hangUpAtTheGate(['health'])).ended).signal, 'SIGHUP')
    })
  })
}

function folderOf({ files, config }: LauncherCases, path: string = config.path): string {
  return newFolder({ ...files, 'witness.cjs': witness, [path]: config.text })
}

function startsIn(folder: string): Start[] {
  return linesOf(readFileSync(join(folder, 'starts'), 'utf8')).map((line) => JSON.parse(line) as Start)
}

function startIn(
  folder: string,
  { program }: LauncherCases,
  { flags = [], args = [], options = '' }: Options,
): Spawned {
  return spawnProcess({
    cwd: folder,
    command: [process.execPath, ...flags, program],
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
async function runWith(
  folder: string,
  { program }: LauncherCases,
  descriptor: 'ipc' | number,
  args: readonly string[],
): Promise<{ readonly wasConnected: boolean; readonly ended: unknown }> {
  const env = { PATH: process.env['PATH'], NODE_OPTIONS: `--require=${join(folder, 'witness.cjs')}` }
  const child = spawn(process.execPath, [program, ...args], {
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
