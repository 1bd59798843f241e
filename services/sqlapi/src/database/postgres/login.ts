/**
 * With what a datasource logs in, read again for each connection: the certificates that its URL names, and its password
 * where a file holds it. What cannot be used is passed over for what could be used before, so that a file that is
 * broken for a moment, or for longer, takes no connection away. Asks no server.
 */
import { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { type Location, type ReadUrl, readUrl, toLocation, type Wishes } from './wire/location.ts'
import { fileParameters } from './url.ts'

/** A password that may be another one when somebody connects. */
export interface CurrentPassword {
  /** That of URLs that have no other one. */
  readonly atStart: string
  /** Never rejects. */
  read(): Promise<string>
}

export class Login {
  readonly #url: string
  readonly #password: CurrentPassword | undefined
  readonly #onKept: ((reason: string) => void) | undefined
  /** What could be used last. */
  #good: ReadUrl | undefined
  /** Why that is not what there is now. */
  #told: string | undefined

  /** `onKept` is called once for each reason why what could be used before is used. */
  constructor(url: string, password?: CurrentPassword, onKept?: (reason: string) => void) {
    this.#url = url
    this.#password = password
    this.#onKept = onKept
    try {
      this.#good = readGood(url)
    } catch {
      // The code that connects reports it, unless it is repaired by then.
    }
  }

  /** Throws where the files cannot be used, and never could. */
  locate(wishes: Wishes): Location {
    const location = toLocation(this.#url, this.#read(), wishes)
    const password = this.#password
    if (password === undefined || location.password !== password.atStart) return location
    return { ...location, currentPassword: () => password.read() }
  }

  #read(): ReadUrl {
    try {
      this.#good = readGood(this.#url, this.#good)
      this.#told = undefined
    } catch (error) {
      if (this.#good === undefined) throw error
      const { message } = error as Error
      if (message !== this.#told) this.#onKept?.(message)
      this.#told = message
    }
    return this.#good
  }
}

/** What is wrong with the files, as the end of a sentence about the datasource; undefined where all is right. */
export function loginProblem(url: string): string | undefined {
  try {
    readGood(url)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Throws where something cannot be used. What is as it was in `known` is not looked at again. */
function readGood(url: string, known?: ReadUrl): ReadUrl {
  requireFiles(url)
  const read = readUrl(url)
  const ssl = tlsOf(read)
  if (ssl !== undefined && !isSame(ssl, tlsOf(known))) requireTls(ssl)
  return read
}

/** Reading a pipe or a device might never end, and would hold up all requests. */
function requireFiles(url: string): void {
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '')
  for (const file of fileParameters.flatMap((name) => query.getAll(name))) {
    if (!statSync(file).isFile()) throw new Error(`${file} is not a regular file`)
  }
}

function tlsOf(read: ReadUrl | undefined): SecureContextOptions | undefined {
  const ssl: unknown = read?.ssl
  return typeof ssl === 'object' && ssl !== null ? { ...ssl, passphrase: read?.['sslpassword'] } : undefined
}

function isSame(one: SecureContextOptions, other: SecureContextOptions | undefined): boolean {
  return other !== undefined && one.ca === other.ca && one.cert === other.cert && one.key === other.key
}

function requireTls({ ca, cert, key, passphrase }: SecureContextOptions): void {
  if (ca !== undefined) attempt('sslrootcert', () => new X509Certificate(ca as string))
  if (cert !== undefined) attempt('sslcert', () => createSecureContext({ cert }))
  if (key !== undefined) attempt('sslkey', () => createSecureContext({ key, passphrase }))
  attempt('sslcert and sslkey', () => createSecureContext({ cert, key, passphrase }))
}

function attempt(parameters: string, make: () => unknown): void {
  try {
    make()
  } catch (error) {
    throw new Error(`${parameters}: ${(error as Error).message}`, { cause: error })
  }
}
