/**
 * Reads files of the WSDL directory, and only those: it follows no link, reads nothing outside and fetches nothing.
 * Paths come in relative to the directory, with slashes. Does not know what the files are for.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Resolve } from '../../wsdl/schema/schema.ts'
import { besideWsdl, includeName, readVendored, type VendoredFile } from '../../wsdl/schema/vendored.ts'
import { xmlLimits } from '../../wsdl/xml/xml.ts'

/** Why a file cannot be read, as the end of a sentence that begins with the file. */
export class FileProblem extends Error {
  /** Whether there is no such file at all. */
  readonly isMissing: boolean

  constructor(message: string, { isMissing = false }: { readonly isMissing?: boolean } = {}) {
    super(message)
    this.name = 'FileProblem'
    this.isMissing = isMissing
  }
}

/** Bytes of all files that one WSDL draws in. */
const maxIncludedBytes = 4 * xmlLimits.bytes

/** Throws `FileProblem`. */
export function readInside(root: string, file: string): Buffer {
  refuseLinks(root, file)
  let handle: number | undefined
  try {
    // Not blocking: opening a pipe would wait for somebody to write to it.
    handle = openSync(join(root, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const status = fstatSync(handle)
    if (!status.isFile()) throw new FileProblem('is not a regular file')
    if (status.size > xmlLimits.bytes) throw new FileProblem(`is larger than ${xmlLimits.bytes} bytes`)
    return readFileSync(handle)
  } catch (error) {
    throw error instanceof FileProblem ? error : toProblem(error)
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Undefined when there is no such file. Throws `FileProblem` for one that cannot be read. */
export function readInsideIfAny(root: string, file: string): Buffer | undefined {
  try {
    return readInside(root, file)
  } catch (error) {
    if (error instanceof FileProblem && error.isMissing) return undefined
    throw error
  }
}

/**
 * Where the includes and imports of a WSDL lead: to files in the folder of its owner and below. An address of the
 * network leads to the copy that was downloaded for it, or to a file beside the WSDL with the address's last part as
 * its name.
 */
export function resolveBeside(root: string, wsdl: string): Resolve {
  const vendored = vendoredFiles(root, wsdl)
  const read = new Map<string, Uint8Array>()
  let left = maxIncludedBytes
  const open = (file: string): Uint8Array | undefined => {
    const known = read.get(file)
    if (known !== undefined) return known
    try {
      const bytes = readInside(root, file)
      left -= bytes.length
      if (left < 0) return undefined
      read.set(file, bytes)
      return bytes
    } catch (error) {
      if (error instanceof FileProblem) return undefined
      throw error
    }
  }
  return (location, from) => {
    for (const file of candidates(location, from, wsdl, vendored)) {
      const bytes = open(file)
      if (bytes !== undefined) return { file, bytes }
    }
    return undefined
  }
}

function candidates(location: string, from: string, wsdl: string, vendored: readonly VendoredFile[]): string[] {
  const home = posix.dirname(wsdl)
  const origin = vendored.find(({ file }) => posix.join(home, file) === from)
  const url = /^https?:\/\//i.test(location) ? URL.parse(location) : origin && URL.parse(location, origin.url)
  const near = nearFile(wsdl, from, location)
  if (!url) return near === undefined ? [] : [near]
  url.hash = ''
  const copies = vendored.filter((entry) => entry.url === url.href).map(({ file }) => file)
  const last = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
  const names = [...copies, last].filter((name) => includeName.test(name) && !isDots(name))
  return [...names.map((name) => posix.join(home, name)), ...(near === undefined ? [] : [near])]
}

/** The file that a relative location means; undefined for one that leaves the owner's folder or has odd characters. */
export function nearFile(wsdl: string, from: string, location: string): string | undefined {
  const steps = location.split('/')
  if (!steps.every((step) => includeName.test(step))) return undefined
  const file = posix.join(posix.dirname(from), location)
  const [owner = ''] = posix.dirname(wsdl).split('/')
  const isInside = owner === '.' ? !file.startsWith('../') : file.startsWith(`${owner}/`)
  return isInside && !isDots(steps.at(-1) ?? '') ? file : undefined
}

function isDots(name: string): boolean {
  return name === '.' || name === '..'
}

/** A list that cannot be read counts as none: the names of the files still lead to most of them. */
function vendoredFiles(root: string, wsdl: string): readonly VendoredFile[] {
  try {
    const bytes = readInsideIfAny(root, besideWsdl(wsdl, '.vendor.json'))
    return bytes === undefined ? [] : (readVendored(bytes.toString()) ?? [])
  } catch (error) {
    if (error instanceof FileProblem) return []
    throw error
  }
}

function refuseLinks(root: string, file: string): void {
  let path = ''
  for (const step of file.split('/')) {
    path = posix.join(path, step)
    let status
    try {
      status = lstatSync(join(root, path))
    } catch (error) {
      throw toProblem(error)
    }
    if (status.isSymbolicLink()) throw new FileProblem('is reached through a symbolic link, which is not followed')
  }
}

function toProblem(error: unknown): FileProblem {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
  return new FileProblem(isMissing ? 'does not exist' : `cannot be read (${code})`, { isMissing })
}
