/** The processes of a run: the upstream, the servers that are compared, and the load that drives them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Measured, Plan } from './load.ts'
import { readUsage, type Usage } from './usage.ts'

export interface Command {
  /** Arguments of Node.js. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Contender {
  readonly port: number
  /** From the start of the process to the line that says it listens. */
  readonly startSeconds: number
  usage(): Usage
  stop(): Promise<void>
}

const startTimeoutMs = 60_000
const pollMs = 2
let started = 0

export async function startContender({ args, env }: Command, folder: string = tmpdir()): Promise<Contender> {
  // A file, because whoever read a pipe with a line for each request would take part in the race.
  const output = join(folder, `output-${process.pid}-${started++}`)
  const descriptor = openSync(output, 'w')
  const since = performance.now()
  const child = spawnNode(args, env, descriptor)
  closeSync(descriptor)
  const port = await listeningPort(child, output)
  return {
    port,
    startSeconds: (performance.now() - since) / 1000,
    usage: () => readUsage(child.pid as number),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      rmSync(output, { force: true })
    },
  }
}

/** Every contender prints a line with its address when it can be called. */
async function listeningPort(child: ChildProcess, output: string): Promise<number> {
  for (const until = performance.now() + startTimeoutMs; performance.now() < until; await wait(pollMs)) {
    const text = readFileSync(output, 'utf8')
    const [, port] = /Listening address=[\d.]+:(\d+)/.exec(text) ?? []
    if (port !== undefined) return Number(port)
    if (child.exitCode !== null) throw new Error(`A contender ended with ${child.exitCode}: ${text}`)
  }
  throw new Error(`A contender does not listen: ${readFileSync(output, 'utf8')}`)
}

export async function drive(plan: Plan): Promise<Measured> {
  const child = spawnNode([`${import.meta.dirname}/load.ts`], {})
  child.stdin?.end(JSON.stringify(plan))
  const output = text(child.stdout as NonNullable<typeof child.stdout>)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The load ended with ${code}`)
  return JSON.parse(await output) as Measured
}

function spawnNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  output: number | 'pipe' = 'pipe',
): ChildProcess {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  const child = spawn(process.execPath, args, { env: { ...inherited, ...env }, stdio: ['pipe', output, 'inherit'] })
  const kill = (): void => void child.kill('SIGKILL')
  // A run that dies leaves nothing behind.
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}
