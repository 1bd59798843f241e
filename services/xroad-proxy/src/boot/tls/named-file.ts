/**
 * Reads a key, a list of authorities or a password from its file. A path and the field that names it come in, bytes or
 * text go out, or a StartupFailure that names both and says what is wrong with the file.
 */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { StartupFailure, type StartupFailureCode } from '../../errors.ts'

/** More is a wrong file; a device or an image would fill the memory. */
const maxFileBytes = 16 * 1024 * 1024

/** The file that a failure is about, and what the failure is called. */
export interface NamedFile {
  readonly code: StartupFailureCode
  readonly label: string
  /** Of the configuration, which names it. */
  readonly field: string
}

export function refuse({ code, label, field }: NamedFile, problem: string): never {
  throw new StartupFailure(code, `${label}: ${problem}`, field)
}

const readProblems: Readonly<Record<string, string>> = {
  ENOENT: 'file does not exist',
  ENOTDIR: 'file does not exist (a part of its path is not a directory)',
  EACCES: 'may not be read by the user of this process',
  EPERM: 'may not be read by the user of this process',
  ELOOP: 'is a symbolic link that leads to itself',
}

export function readFile(path: string, place: NamedFile): Buffer {
  try {
    const stats = statSync(path)
    if (stats.isDirectory()) {
      refuse(place, 'is a directory, expected a file (a container mount of a file that does not exist makes one)')
    }
    if (!stats.isFile()) refuse(place, 'is not a regular file')
    if (stats.size > maxFileBytes) refuse(place, `is larger than ${maxFileBytes} bytes, which no such file is`)
    return readFileSync(path)
  } catch (error) {
    if (error instanceof StartupFailure) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return refuse(place, (readProblems[code] ?? `cannot be read (${code})`) + whereIs(path, code))
  }
}

/** This happens if the service starts in another folder than that of the files. */
function whereIs(path: string, code: string): string {
  if (code !== 'ENOENT' || isAbsolute(path)) return ''
  return `; relative paths start from the working directory, so that is ${resolve(path)}`
}
