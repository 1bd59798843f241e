/** The processes of a run: the servers that are compared, and the load that drives them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import type { Measured, Plan } from './load.ts'
import { readUsage, type Usage } from './usage.ts'

export interface Command {
  /** Node.js if left out. */
  readonly file?: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Where it will listen, of a server that does not print it. */
  readonly port?: number
}

export interface Server {
  readonly port: number
  /** From the start of the process until it listens. */
  readonly startSeconds: number
  usage(): Usage
  stop(): Promise<void>
}

const startTimeoutMs = 60_000
const lookEveryMs = 2
const stopTimeoutMs = 10_000

export async function startServer(command: Command): Promise<Server> {
  const started = performance.now()
  const log = openLog()
  const child = start(command, log)
  const { port: known } = command
  const port = await (known === undefined ? printedPort(child, log) : untilAccepting(child, known))
  closeSync(log)
  return {
    port,
    startSeconds: (performance.now() - started) / 1000,
    usage: () => readUsage(child.pid as number),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      await exit
      clearTimeout(timer)
    },
  }
}

/** Our own servers print a line with their address when they can be called. */
async function printedPort(child: ChildProcess, log: number): Promise<number> {
  const beginning = Buffer.alloc(10_000)
  for (const deadline = performance.now() + startTimeoutMs; performance.now() < deadline; await delay(lookEveryMs)) {
    const output = beginning.toString('utf8', 0, readSync(log, beginning, 0, beginning.length, 0))
    const [, port] = /Listening address=[\d.]+:(\d+)/.exec(output) ?? []
    if (port !== undefined) return Number(port)
    if (child.exitCode !== null) throw new Error(`A server ended with ${child.exitCode}: ${output}`)
  }
  throw new Error('A server does not say that it listens')
}

async function untilAccepting(child: ChildProcess, port: number): Promise<number> {
  for (const deadline = performance.now() + startTimeoutMs; performance.now() < deadline; await delay(lookEveryMs)) {
    if (child.exitCode !== null) throw new Error(`A server ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isAccepted = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isAccepted) return port
  }
  throw new Error(`A server does not listen on port ${port}`)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

export async function drive(plan: Plan): Promise<Measured> {
  const output = await run({ args: [`${import.meta.dirname}/load.ts`] }, JSON.stringify(plan))
  return JSON.parse(output) as Measured
}

/** What a command prints until it ends; it has to end well. */
export async function run(command: Command, input = ''): Promise<string> {
  const child = start(command, 'pipe')
  child.stdin?.end(input)
  const output = text(child.stdout as NonNullable<typeof child.stdout>)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${command.file ?? command.args[0]} ended with ${code}`)
  return output
}

/** A file that has no name: a pipe would have to be read, by a process that then takes part in the race. */
function openLog(): number {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-bench-log-'))
  const log = openSync(join(folder, 'log'), 'w+')
  rmSync(folder, { recursive: true })
  return log
}

function start({ file = process.execPath, args, env }: Command, output: 'pipe' | number): ChildProcess {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['pipe', output, 'inherit'] })
  const kill = (): void => void child.kill('SIGKILL')
  // A run that dies leaves nothing behind.
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}
