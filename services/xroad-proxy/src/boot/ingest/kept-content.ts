/**
 * Bytes that an earlier start has made, kept in a file below `dsl_path` under a key that says what they were made of.
 * They are used as long as the key is the same; whatever is wrong with the file, they are made again.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolder } from './survey-memory.ts'
import { writeWhole } from './whole-file.ts'

const keyLength = 64
const digestLength = 32

/** `key` is a SHA-256 in hex. */
export function recallContent(dslPath: string, name: string, key: string): Buffer | undefined {
  try {
    const bytes = readFileSync(join(dslPath, memoryFolder, name))
    if (bytes.toString('latin1', 0, keyLength) !== key) return undefined
    const content = bytes.subarray(keyLength, -digestLength)
    return digestOf(content).equals(bytes.subarray(-digestLength)) ? content : undefined
  } catch {
    return undefined
  }
}

export function rememberContent(dslPath: string, name: string, key: string, content: Uint8Array): void {
  const bytes = Buffer.concat([Buffer.from(key, 'latin1'), content, digestOf(content)])
  void writeWhole(join(dslPath, memoryFolder, name), bytes)
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest()
}
