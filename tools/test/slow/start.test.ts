/**
 * `npm start` as its users meet it, in a folder of its own: the script and the examples are copies, the services are
 * not. Once they start from their sources, as users start them; how all of it ends is the same from their packages, if
 * this run has built them.
 */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { programOf } from '@services/testing/program'

const repository = join(import.meta.dirname, '../../..')
const root = mkdtempSync(join(tmpdir(), 'start-'))
const started = new Set<ChildProcess>()

after(() => {
  for (const child of started) child.kill('SIGTERM')
  rmSync(root, { recursive: true })
})

mkdirSync(join(root, 'tools'))
writeFileSync(join(root, 'package.json'), '{"type":"module","scripts":{"start":"node tools/start.ts"}}')
cpSync(join(repository, 'tools/start.ts'), join(root, 'tools/start.ts'))
mkdirSync(join(root, 'services'))

const withoutData = (path: string): boolean => !path.endsWith('.data')
cpSync(join(repository, 'examples'), join(root, 'examples'), { recursive: true, filter: withoutData })

/** Where `npm start` finds the services. */
function link(placeOf: (service: string) => string): void {
  for (const name of ['sqlapi', 'xroad-proxy']) {
    const service = join(root, 'services', name)
    rmSync(service, { recursive: true, force: true })
    symlinkSync(placeOf(join(repository, 'services', name)), service, 'junction')
  }
}

beforeEach(() => link((service) => join(dirname(programOf(service)), '..')))

const isWindows = process.platform === 'win32' && 'Windows has no such signals'

/** Without npm there is nothing to try. */
function hasNpm(): boolean {
  return spawnSync('npm', ['--version']).status === 0
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Below the range that systems hand out for port 0, where another test would soon be given them. */
async function freePorts(): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < 3) {
    const port = randomInt(20_000, 32_000)
    if (!ports.includes(port) && (await isFree(port))) ports.push(port)
  }
  return ports
}

function start([port = 0, proxyPort = 0, mockPort = 0]: number[], byNpm = false) {
  const [program, ...args] = byNpm ? ['npm', 'start'] : [process.execPath, join(root, 'tools/start.ts')]
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, PORT: `${port}`, PROXY_PORT: `${proxyPort}`, MOCK_PORT: `${mockPort}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = once(child, 'close').then(([value]) => {
    started.delete(child)
    return value as number | null
  })
  return { child, code, output: () => output }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

interface Command {
  readonly url: string
  readonly header: string
  readonly body: string | undefined
}

/** The lines that `npm start` prints to be tried, as soon as they are there. */
async function commandsIn({ child, code, output }: ReturnType<typeof start>): Promise<Command[]> {
  while (!/curl [^]*\/docs\n.*\/docs\n/.test(output())) {
    strictEqual(child.exitCode, null, output())
    await Promise.race([once(child.stdout, 'data'), code])
  }
  const lines = output().matchAll(/^curl '([^']+)'(?: -H 'Content-Type: ([^']+)')?(?: -d '([^']+)')?$/gm)
  return Array.from(lines, ([, url = '', header = 'text/plain', body]) => ({ url, header, body }))
}

test('both services answer the printed requests, pages first and last, and Ctrl-C ends all of it in order [T2]', async () => {
  link((service) => service)
  const ports = await freePorts()
  const running = start(ports)
  const commands = await commandsIn(running)
  const printed = running.output()
  strictEqual(commands.length, 7)
  for (const { url, header, body } of commands) {
    const request = body === undefined ? {} : { method: 'POST', headers: { 'content-type': header }, body }
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(10_000) })
    deepStrictEqual([url, response.status], [url, 200])
    ok((await response.text()).length > 0)
  }
  const pages = ports.slice(0, 2).map((port) => `http://127.0.0.1:${port}/docs`)
  const shown = pages.map((page) => `In a browser: ${page}\n`).join('')
  ok(printed.startsWith(`Starting sqlapi, xroad-proxy and a mock Security Server. The pages to try them on:\n${shown}`))
  ok(printed.endsWith(shown), printed)
  for (const page of pages) {
    const docs = await fetch(page, { signal: AbortSignal.timeout(10_000) })
    deepStrictEqual([docs.status, docs.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    match(await docs.text(), /<script (?:type="module" )?src="docs\.js">/)
  }
  doesNotMatch(running.output(), /Paste|WARN|ERROR|does not match/)
  running.child.kill('SIGINT')
  strictEqual(await running.code, 0, running.output())
  deepStrictEqual(await Promise.all(ports.map(isFree)), [true, true, true])
  await rejects(fetch(commands[0]!.url))
})

for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends all of it in order`, { skip: isWindows }, async () => {
    const ports = await freePorts()
    const running = start(ports)
    await commandsIn(running)
    running.child.kill(signal)
    strictEqual(await running.code, 0, running.output())
    deepStrictEqual(await Promise.all(ports.map(isFree)), [true, true, true])
    match(running.output(), /sqlapi: Stopped/)
  })

  test(
    `${signal} to npm ends what it has started`,
    { skip: isWindows || (!hasNpm() && 'there is no npm') },
    async () => {
      const ports = await freePorts()
      const running = start(ports, true)
      await commandsIn(running)
      running.child.kill(signal)
      // The pipe of its output closes with the last of them.
      await running.code
      deepStrictEqual(await Promise.all(ports.map(isFree)), [true, true, true])
      match(running.output(), /sqlapi: Stopped/)
    },
  )
}

test('a service that cannot start ends the others, and its exit code is told', async (t) => {
  const broken = join(root, 'examples/xroad-proxy/DSL/population/broken.yml')
  writeFileSync(broken, 'kind: soap\n')
  t.after(() => rmSync(broken))
  const ports = await freePorts()
  const running = start(ports)
  strictEqual(await running.code, 1, running.output())
  match(running.output(), /broken\.yml/)
  ok(!running.output().includes('curl'))
  deepStrictEqual(await Promise.all(ports.map(isFree)), [true, true, true])
})

test('a port that is taken, twice the same, or none at all is refused before anything starts', async () => {
  const taken = await listen()
  const takenPort = portOf(taken)
  const [first = 0, second = 0] = await freePorts()
  const outcomes = []
  for (const ports of [
    [first, takenPort, second],
    [first, first, second],
    [first, second, 70_000],
  ]) {
    const running = start(ports)
    outcomes.push([await running.code, running.output()])
  }
  taken.close()
  deepStrictEqual(outcomes, [
    [1, `start: port ${takenPort} cannot be used (EADDRINUSE); PROXY_PORT=.. npm start takes another one\n`],
    [1, `start: PORT and PROXY_PORT are both ${first}\n`],
    [1, "start: MOCK_PORT is '70000', a number from 1 to 65535 is wanted\n"],
  ])
})

test('an install shows a line of progress, and no word of a fault [T2]', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'install-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'tools'))
  cpSync(join(repository, 'tools/install.cjs'), join(folder, 'tools/install.cjs'))
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(join(folder, 'npm-cli.js'), "require('fs').mkdirSync('node_modules/rolldown', { recursive: true })")
  const run = (): string => {
    const env = { ...process.env, npm_execpath: join(folder, 'npm-cli.js'), npm_node_execpath: process.execPath }
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'tools/install.cjs')], {
      env,
      encoding: 'utf8',
    })
    strictEqual(status, 0, stderr)
    return stderr
  }
  match(run(), /^(install: installing the packages of package-lock\.json, Node\.js among them: \d+ s\n){2,}$/)
  // Nothing to install any more.
  strictEqual(run(), '')
})
