/**
 * Commands that do their work and end, such as `doctor` or a start that is refused: one process for all of a test
 * file, which has loaded the program. A process for each takes ten times as long as most of them. How a command ends
 * as a process, alone and beside others, is for tests that start one.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Order, Outcome } from './command-host.ts'
import { type Ended, launchFlag } from './process.ts'

export type Command = Omit<Order, 'env'> & Partial<Pick<Order, 'env'>>

/** `program` is the file of the process: it calls `obeyCommands`. Started by the first command. */
export function openCommands(program: string): (command: Command) => Promise<Ended> {
  let host: Host | undefined
  let last: Promise<unknown> = Promise.resolve()
  // Each begins when those before it have ended: a process has one working directory.
  return ({ env = {}, ...order }) => {
    const outcome = last.then(() => ask((host ??= start(program)), { ...order, env }))
    last = outcome.catch(() => undefined)
    return outcome
  }
}

async function ask({ child, died }: Host, order: Order): Promise<Ended> {
  // It is to keep the test alive only while somebody waits for it.
  child.ref()
  child.channel?.ref()
  child.send(order)
  const [outcome] = (await Promise.race([once(child, 'message'), died])) as [Outcome]
  child.unref()
  child.channel?.unref()
  return { ...outcome, signal: null }
}

interface Host {
  readonly child: ChildProcess
  /** Rejects when the process ends although the test has not. */
  readonly died: Promise<never>
}

function start(program: string): Host {
  // The log of a start asks what its output is: a pipe, as for a process that a test starts.
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const
  const options = { execArgv: [launchFlag], env: environment(), stdio: [...stdio] }
  const child = fork(program, [], options)
  const output = child.stdout as Socket
  output.resume().unref()
  return { child, died: ended(child) }
}

/** As that of the processes which tests start. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }
}

async function ended(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null]
  throw new Error(`the process of commands ended with ${code}`)
}
