/**
 * A program in a process of its own: started with a known environment, read line by line, ended by signals. Processes
 * that a failed test leaves behind are killed when the test run ends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SpawnOptions {
  /** The program and its first arguments. */
  readonly command: readonly string[]
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Spawned {
  readonly pid: number
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Everything that the process has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** The first line of stdout that matches, now or later; rejects when the process ends without one. */
  line(pattern: RegExp): Promise<string>
  kill(signal: NodeJS.Signals): void
}

/** A service that listens. */
export interface Listening extends Spawned {
  readonly port: number
  /** Ends the process in order. */
  readonly stop: () => Promise<Ended>
}

/**
 * A service replaces itself once by the same process with this flag. Giving it from the start saves the first of the
 * two starts, 40 ms of processor time. That services do replace themselves is for launcher-cases.ts.
 */
export const launchFlag = '--max-semi-space-size=16'

/** Kept for all files of a run: it halves the time that a start takes. */
const compileCache = join(tmpdir(), 'services-test-compile-cache')
const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** The process gets nothing of the environment of the test run except the search path. */
export function spawnProcess({ command, args = [], cwd = tmpdir(), env = {} }: SpawnOptions): Spawned {
  const [program = '', ...rest] = [...command, ...args]
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    children.delete(child)
    return { code, signal, stdout, stderr }
  })
  return {
    pid: child.pid as number,
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    line: (pattern) => findLine(child, pattern, () => stdout, ended),
    kill: (signal) => void child.kill(signal),
  }
}

/** Waits until the service writes `Listening ..`; its port is the last number of that line. */
export async function untilListening(spawned: Spawned): Promise<Listening> {
  const port = Number(/:(\d+)\b\D*$/.exec(await spawned.line(/listening/i))?.[1])
  const stop = (): Promise<Ended> => {
    spawned.kill('SIGTERM')
    return spawned.ended
  }
  return { ...spawned, port, stop }
}

export function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1)
}

function findLine(child: ChildProcess, pattern: RegExp, stdout: () => string, ended: Promise<Ended>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const look = (): void => {
    const found = linesOf(stdout()).find((line) => pattern.test(line))
    if (found !== undefined) resolve(found)
  }
  child.stdout?.on('data', look)
  look()
  void ended.then((end) => reject(new Error(`ended without ${pattern}: ${JSON.stringify(end)}`)))
  return promise.finally(() => child.stdout?.off('data', look))
}
