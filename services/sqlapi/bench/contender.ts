/** The processes of a run: the servers that are compared, and the load that drives them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
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

export async function startContender({ args, env }: Command): Promise<Contender> {
  const started = performance.now()
  const child = spawnNode(args, env)
  const port = await listeningPort(child)
  return {
    port,
    startSeconds: (performance.now() - started) / 1000,
    usage: () => readUsage(child.pid as number),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Every contender prints a line with its address when it can be called. */
function listeningPort(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    const [, port] = /Listening address=[\d.]+:(\d+)/.exec(output) ?? []
    if (port !== undefined) resolve(Number(port))
  })
  child.once('exit', (code) => reject(new Error(`A contender ended with ${code}: ${output}`)))
  const timer = setTimeout(() => reject(new Error(`A contender does not listen: ${output}`)), startTimeoutMs)
  return promise.finally(() => clearTimeout(timer))
}

export async function drive(plan: Plan): Promise<Measured> {
  const child = spawnNode([`${import.meta.dirname}/load.ts`], {})
  child.stdin?.end(JSON.stringify(plan))
  const output = text(child.stdout as NonNullable<typeof child.stdout>)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The load ended with ${code}`)
  return JSON.parse(await output) as Measured
}

function spawnNode(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  const kill = (): void => void child.kill('SIGKILL')
  // A run that dies leaves nothing behind.
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}
