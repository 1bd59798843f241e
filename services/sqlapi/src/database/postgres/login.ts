/** Whether the files with which a URL logs in can be used: certificates, their key, trust anchors. Asks no server. */
import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { readLocation } from './wire/location.ts'

/** What is wrong, as the end of a sentence about the datasource; undefined where all is right. */
export function loginProblem(url: string): string | undefined {
  try {
    const { ssl } = readLocation(url)
    if (ssl !== false) requireTls(ssl)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
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
