/** A program of somebody else's that runs beside a test, such as a pooler, and is killed when the test run ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Beside {
  readonly child: ChildProcess
  /** May be called again: who stops it in the middle of a test stops it once more behind it. */
  readonly stop: () => Promise<void>
}

/** What it writes is not looked at. */
export function startBeside(program: string, args: readonly string[]): Beside {
  const child = spawn(program, args, { stdio: 'ignore' })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    kill()
    await ended
    process.off('exit', kill)
  }
  return { child, stop }
}
