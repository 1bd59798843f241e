/**
 * Opens the audit file for appending, or says in words why it is not one. It has to be a plain file of the user of this
 * process, for nobody else to read: a link could lead what is written anywhere, and the owner of the file can change
 * what it says.
 */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  statfsSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** The end of a sentence that begins with the file. */
class AuditFileProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'AuditFileProblem'
  }
}

const fullDisk = 'has no room left: the disk is full'

/** What goes wrong most often, in words; the rest keeps the system's code. */
const problems: Readonly<Record<string, string>> = {
  ENOENT: 'has no directory: make the one that it is to be in',
  ENOTDIR: 'has no directory: a part of its path is a file',
  EACCES: 'may not be opened by the user of this process',
  EPERM: 'may not be opened by the user of this process',
  EROFS: 'is on a file system that is mounted read-only',
  EISDIR: 'is a directory, expected a file',
  ELOOP: 'is a symbolic link, expected a plain file: name the file that it leads to',
  ENOSPC: fullDisk,
  EDQUOT: 'has no room left: the quota is used up',
  EFBIG: 'is as large as this process may make a file (ulimit -f, or the file system)',
  EIO: 'cannot be written: the disk has an error',
}

/** For whatever the file system throws. */
export function toProblem(error: unknown): string {
  if (error instanceof AuditFileProblem) return error.message
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  return problems[code] ?? `cannot be written (${code})`
}

const mode = 0o600
// Windows does not have all of them; what is undefined counts as nothing.
const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants

/** Throws `AuditFileProblem`, or what the file system throws. */
export function openAuditFile(path: string): number {
  // Looked at before it is opened: opening a device may do something.
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined) refuseOther(found)
  const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode)
  try {
    const stats = fstatSync(fd)
    refuseOther(stats)
    if ((stats.mode & 0o777) !== mode) fchmodSync(fd, mode)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Why the file could not be written to now, without making or opening it; undefined where it could. */
export function auditFileProblem(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    const { R_OK, W_OK, X_OK } = constants
    if (found === undefined) {
      accessSync(dirname(path), W_OK | X_OK)
      // Such a name has a directory alone.
      if (path.endsWith('/')) return problems['EISDIR']
    } else {
      refuseOther(found)
      accessSync(path, R_OK | W_OK)
    }
    refuseFullDisk(path)
    return undefined
  } catch (error) {
    return toProblem(error)
  }
}

/** Throws where nothing more can be written to the file system. */
export function refuseFullDisk(path: string): void {
  const { blocks, bavail, bfree } = statfsSync(dirname(path))
  // Some file systems do not count. The last blocks of some are for root.
  const left = process.geteuid?.() === 0 ? bfree : bavail
  if (blocks > 0 && left === 0) throw new AuditFileProblem(fullDisk)
}

function refuseOther(stats: Stats): void {
  const problem = problemOf(stats)
  if (problem !== undefined) throw new AuditFileProblem(problem)
}

function problemOf(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return problems['ELOOP']
  if (stats.isDirectory()) return problems['EISDIR']
  if (!stats.isFile()) return 'is not a regular file'
  const user = process.geteuid?.()
  if (user === undefined || stats.uid === user) return undefined
  return `belongs to another user (${stats.uid}), expected the one of this process (${user})`
}
