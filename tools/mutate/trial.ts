/**
 * One run of a test file in a process of its own, against a mutant or against the source as it is. Ends at the first
 * test that fails. A mutant that runs in circles is stopped by a limit of CPU time, which a loaded machine does not use
 * up.
 */
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface Trial {
  readonly test: string
  readonly cpuMs: number
  readonly outcome: 'passed' | 'failed' | 'stopped'
}

export interface Limits {
  readonly cpuSeconds: number
  readonly clockMs: number
}

const hook = import.meta.resolve('./hook.ts')

export async function tryTest(
  test: string,
  flags: readonly string[],
  limits: Limits,
  env: Readonly<Record<string, string>> = {},
): Promise<Trial> {
  const args = ['--import', hook, '--test-reporter=tap', ...flags, test]
  const [program, ...rest] = limited([process.execPath, ...args], limits.cpuSeconds) as [string, ...string[]]
  const child = spawn(program, rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore', 'pipe'] })
  const [, output, , costs] = child.stdio as unknown as [null, Readable, null, Readable]
  let cpuMs = 0
  costs.setEncoding('utf8').on('data', (text: string) => (cpuMs = Number(text)))
  let hasFailed = false
  let wasStopped = false
  let line = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    line += text
    hasFailed ||= /^ *not ok /m.test(line)
    line = line.slice(line.lastIndexOf('\n') + 1)
    if (hasFailed) child.kill('SIGKILL')
  })
  const clock = setTimeout(() => {
    wasStopped = true
    child.kill('SIGKILL')
  }, limits.clockMs)
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once('close', (...end: [number | null, string | null]) => resolve(end))
  })
  clearTimeout(clock)
  if (hasFailed) return { test, cpuMs, outcome: 'failed' }
  if (wasStopped || signal !== null) return { test, cpuMs, outcome: 'stopped' }
  return { test, cpuMs, outcome: code === 0 ? 'passed' : 'failed' }
}

function limited(command: readonly string[], cpuSeconds: number): readonly string[] {
  if (process.platform === 'win32') return command
  return ['/bin/sh', '-c', `ulimit -t ${cpuSeconds} && exec "$@"`, 'sh', ...command]
}
