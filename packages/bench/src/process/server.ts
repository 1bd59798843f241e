/**
 * The processes of a run: the servers that are compared, and programs that print something and end. Nothing of them
 * outlives the run, however it ends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { readUsage, type Usage } from './usage.ts'

/** One handler for all of them: a run may have dozens. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export interface Command {
  /** Node.js if left out. */
  readonly file?: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Where it will listen, if it is a server that does not print it. */
  readonly port?: number
}

export interface Server {
  readonly pid: number
  readonly port: number
  /** From the start of the process until it listens. */
  readonly startSeconds: number
  usage(): Usage
  stop(): Promise<void>
}

const startTimeoutMs = 60_000
const lookEveryMs = 2
const stopTimeoutMs = 10_000

/** Waits until the server listens. Throws, and ends the process, if it does not. */
export async function startServer(command: Command): Promise<Server> {
  const started = performance.now()
  const log = openLog()
  const child = start(command, log)
  const { port: known } = command
  try {
    const port = await (known === undefined ? untilPrinted(child, log) : untilAccepting(child, known))
    const startSeconds = (performance.now() - started) / 1000
    return {
      pid: child.pid as number,
      port,
      startSeconds,
      usage: () => readUsage(child.pid as number),
      stop: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw error
  } finally {
    closeSync(log)
  }
}

/** A start and nothing else. */
export interface Start extends Usage {
  readonly seconds: number
}

export async function startOnce(command: Command): Promise<Start> {
  const server = await startServer(command)
  const usage = server.usage()
  await server.stop()
  return { seconds: server.startSeconds, ...usage }
}

/** What a program prints until it ends; it has to end well. */
export async function run(command: Command, input = ''): Promise<string> {
  const child = start(command, 'pipe')
  child.stdin?.end(input)
  const output = text(child.stdout as NonNullable<typeof child.stdout>)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${command.file ?? command.args[0]} ended with ${code}`)
  return output
}

/** The services, and the servers of the benches, print a line with their address when they can be called. */
async function untilPrinted(child: ChildProcess, log: number): Promise<number> {
  for (const deadline = performance.now() + startTimeoutMs; performance.now() < deadline; await delay(lookEveryMs)) {
    // Looked at first: what a process printed before it ended is there afterwards.
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    const output = readLog(log)
    const [, port] = /Listening address=[\d.]+:(\d+)/.exec(output) ?? []
    if (port !== undefined) return Number(port)
    if (hasEnded) throw new Error(`A server ended with ${child.exitCode ?? child.signalCode}: ${output}`)
  }
  throw new Error(`A server does not say that it listens: ${readLog(log)}`)
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

/** A file that has no name: a pipe would have to be read, by a process that then takes part in the race. */
function openLog(): number {
  const folder = mkdtempSync(join(tmpdir(), 'bench-log-'))
  const log = openSync(join(folder, 'log'), 'w+')
  rmSync(folder, { recursive: true })
  return log
}

/** By position: the server writes where the common offset of the file is. */
function readLog(log: number): string {
  const bytes = Buffer.alloc(fstatSync(log).size)
  return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, 0))
}

function start({ file = process.execPath, args, env }: Command, output: 'pipe' | number): ChildProcess {
  // A compile cache of the bench itself would change what the start of a server costs.
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  const child = spawn(file, args, { env: { ...inherited, ...env }, stdio: ['pipe', output, 'inherit'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await exit
  clearTimeout(timer)
}
