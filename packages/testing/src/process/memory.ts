/** The memory of a process, as Linux reports it. On other systems, tests that need it are skipped with this reason. */
import { existsSync, readFileSync } from 'node:fs'

/** Why the memory of a process is not known on this machine; `false` where it is, as the `skip` of a test wants it. */
export const withoutMemoryUse: string | false = existsSync('/proc/self/status')
  ? false
  : 'this system has no /proc/<pid>/status to read the memory of a process from'

/** Bytes that the process holds now. */
export function residentBytes(pid: number): number {
  return readStatus(pid, 'VmRSS')
}

/** The most bytes that the process has held so far. */
export function peakResidentBytes(pid: number): number {
  return readStatus(pid, 'VmHWM')
}

function readStatus(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kiB] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  return Number(kiB) * 1024
}
