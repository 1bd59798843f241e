/**
 * A file that holds a password and nothing else, as Docker, Kubernetes and systemd lay them into a folder: its text
 * without the end of the line. No message shows anything of it.
 */
import { constants, existsSync, promises, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { readProblem } from './words/read-problem.ts'

const maxBytes = 65_536

/** The message names the file, unless what should be its path may be the password. */
export class SecretFileError extends Error {
  constructor(path: string, problem: string) {
    super(`${isPath(path) ? `file ${path}` : hidden} ${problem}`)
    this.name = 'SecretFileError'
  }
}

const hidden =
  'the file (what stands there is not shown, it may be the password itself; write a path such as ./password.txt)'

/** It begins as paths do, or ends as files of passwords do. */
const looksLikeFile = /^\.{0,2}[/\\]|\.(?:txt|pw|pass|password|secret)$/i

/** It leads to something, or into an existing folder, or is spelled as paths are. */
function isPath(text: string): boolean {
  const folder = dirname(text)
  return looksLikeFile.test(text) || isAbsolute(text) || existsSync(text) || (folder !== '.' && existsSync(folder))
}

/** Throws a SecretFileError. */
export function readSecretFile(path: string): string {
  try {
    requireSmallFile(path, statSync(path))
    return toSecret(path, readFileSync(path))
  } catch (error) {
    throw toSecretFileError(path, error)
  }
}

/** How long a connection waits for the file, which may lie on a network. */
const patienceMs = 1000

/**
 * The secret of a file that is replaced while the program runs: read again each time that somebody needs it. While the
 * file cannot be read, or does not come in time, it is what was read last.
 */
export class CurrentSecret {
  /** What the file held when the program read it first. */
  readonly atStart: string
  readonly #path: string
  readonly #onKept: ((reason: string) => void) | undefined
  #last: string
  /** Why it is not what the file holds now. */
  #told: string | undefined
  /** One at a time: readers of a file that does not come would fill the threads that read files. */
  #reading: Promise<void> | undefined

  /** `onKept` is called once for each reason why the file cannot be used. */
  constructor(path: string, atStart: string, onKept?: (reason: string) => void) {
    this.#path = path
    this.#onKept = onKept
    this.atStart = atStart
    this.#last = atStart
  }

  /** Never rejects. */
  async read(): Promise<string> {
    this.#reading ??= this.#readAnew().finally(() => {
      this.#reading = undefined
    })
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patienceMs)
    await Promise.race([this.#reading, late])
    clearTimeout(timer)
    return this.#last
  }

  async #readAnew(): Promise<void> {
    try {
      this.#last = await readNow(this.#path)
      this.#told = undefined
    } catch (error) {
      const { message } = toSecretFileError(this.#path, error)
      if (message !== this.#told) this.#onKept?.(message)
      this.#told = message
    }
  }
}

async function readNow(path: string): Promise<string> {
  // A pipe that nobody writes to would keep an open that waits for ever.
  const file = await promises.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    requireSmallFile(path, await file.stat())
    return toSecret(path, await file.readFile())
  } finally {
    await file.close().catch(() => undefined)
  }
}

/** Reading a pipe or a device might never end, and a reload would hold up all requests. */
function requireSmallFile(path: string, stats: Stats): void {
  if (!stats.isFile() && !stats.isDirectory()) throw new SecretFileError(path, `is not a regular file; ${cure}`)
  if (stats.size > maxBytes) throw new SecretFileError(path, `has more than ${maxBytes} bytes; ${cure}`)
}

function toSecretFileError(path: string, error: unknown): SecretFileError {
  return error instanceof SecretFileError ? error : new SecretFileError(path, readProblem(error))
}

function toSecret(path: string, bytes: Buffer): string {
  const secret = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '')
  if (secret === '') throw new SecretFileError(path, `is empty; ${cure}`)
  if (/[\r\n\0]/.test(secret)) throw new SecretFileError(path, `has more than one line; ${cure}`)
  return secret
}

const cure = 'it is to hold the password and nothing else'
