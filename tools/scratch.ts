/**
 * Where the temporary files of a test run lie: in memory where there is enough of it. A database is a thousand files;
 * a disk's file system takes ten times the CPU time for them. Out comes the folder, or undefined where the usual one
 * has to do. It goes with this process; what a killed run has left goes with the next one.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Linux keeps in memory what is written there. */
export const memory = '/dev/shm'
const mounts = '/proc/mounts'
export const prefix = 'test-run-'
/** All that the suite ever has at once is a part of this. */
const neededBytes = 6 * 2 ** 30

export function scratchInMemory(): string | undefined {
  if (!existsSync(memory) || !existsSync(mounts) || !isFit()) return undefined
  removeLeftovers()
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
  // As the usual one is: some tests have a server run as another user.
  chmodSync(folder, 0o1777)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Containers often have little room there, or forbid programs, which some tests unpack. */
function isFit(): boolean {
  const mount = readFileSync(mounts, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === memory)
  const [, , type, flags = ''] = mount ?? []
  if (type !== 'tmpfs' || flags.split(',').some((flag) => flag === 'noexec' || flag === 'ro')) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes
}

function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true })
  }
}
