/** What a process has used so far, as the operating system counts it: all its threads, from its start. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface Usage {
  readonly cpuSeconds: number
  /** Most memory resident at a time; off Linux the memory resident now. */
  readonly peakBytes: number
}

/** What a process has now. Linux tells it; elsewhere both are 0. */
export function readNow(pid: number): { readonly residentMB: number; readonly handles: number } {
  if (process.platform !== 'linux') return { residentMB: 0, handles: 0 }
  const [, residentKiB] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { residentMB: (Number(residentKiB) * 1024) / 1e6, handles: readdirSync(`/proc/${pid}/fd`).length }
}

export function readUsage(pid: number): Usage {
  return process.platform === 'linux' ? readProc(pid) : readPs(pid)
}

/** 2 to the 20 bytes. */
export function toMiB(bytes: number): number {
  return bytes / 2 ** 20
}

/** Millions of bytes. */
export function toMB(bytes: number): number {
  return bytes / 1e6
}

let ticksPerSecond: number | undefined

function readProc(pid: number): Usage {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name in parentheses, which may hold anything; utime and stime are the 14th and the 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [, peakKiB] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond, peakBytes: Number(peakKiB) * 1024 }
}

function readPs(pid: number): Usage {
  const output = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], { encoding: 'utf8' })
  const [time = '', residentKiB] = output.trim().split(/\s+/)
  // [[days-]hours:]minutes:seconds
  const cpuSeconds = time
    .split(/[-:]/)
    .reduceRight((sum, part, index, parts) => sum + Number(part) * [1, 60, 3600, 86_400][parts.length - 1 - index]!, 0)
  return { cpuSeconds, peakBytes: Number(residentKiB) * 1024 }
}
