/**
 * A disk that is full soon: a file system in memory of a few pages, mounted for one test. Only root on Linux may do so.
 */
import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '@services/testing'

export interface SmallDisk {
  readonly folder: string
  /** Leaves no room, or a part of the last page. */
  fill(): void
  free(): void
  unmount(): void
}

export function mountSmallDisk(bytes: number = 65_536): SmallDisk {
  const folder = newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' })
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize), { flag: 'a' })
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: () => void execFileSync('umount', ['-l', folder], { stdio: 'pipe' }),
  }
}

/** Why there is none, for tests to skip with. */
export function whyNoSmallDisk(): string | false {
  if (process.platform !== 'linux') return 'small disks are mounted on Linux only'
  try {
    mountSmallDisk().unmount()
    return false
  } catch {
    return 'only root may mount a small disk'
  }
}
