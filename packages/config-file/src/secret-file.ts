/**
 * A file that holds a password and nothing else, as Docker, Kubernetes and systemd lay them into a folder: its text without the end of the line.
 * No message shows anything of it.
 */
import { readFileSync, statSync } from 'node:fs'
import { readProblem } from './words/read-problem.ts'

const maxBytes = 65_536

/** The message names the file. */
export class SecretFileError extends Error {
  constructor(path: string, problem: string) {
    super(`file ${path} ${problem}`)
    this.name = 'SecretFileError'
  }
}

/** Throws a SecretFileError. */
export function readSecretFile(path: string): string {
  let text: string
  try {
    const stats = statSync(path)
    // Reading a pipe or a device might never end, and a reload would hold up all requests.
    if (!stats.isFile() && !stats.isDirectory()) throw new SecretFileError(path, `is not a regular file; ${cure}`)
    if (stats.size > maxBytes) throw new SecretFileError(path, `has more than ${maxBytes} bytes; ${cure}`)
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof SecretFileError) throw error
    throw new SecretFileError(path, readProblem(error))
  }
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new SecretFileError(path, `is empty; ${cure}`)
  if (/[\r\n\0]/.test(secret)) throw new SecretFileError(path, `has more than one line; ${cure}`)
  return secret
}

const cure = 'it is to hold the password and nothing else'
