/**
 * The description of `/api` as an earlier start made it, kept beside what is remembered of WSDL files: one
 * file, which is used as long as all that the description is made of is the same. Whatever is wrong with it, the
 * description is made anew.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../../model.ts'
import { writeWhole } from '../ingest/whole-file.ts'
import { memoryFolder, programDigest } from '../ingest/survey-memory.ts'

/** `wsdls` stands for the WSDL files that types come from. */
export function pageKey(endpoints: readonly Endpoint[], wsdls: readonly string[], more: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify([programDigest(), wsdls, more]))
  for (const it of endpoints)
    hash.update(JSON.stringify(it.kind === 'rest' ? { ...it, allowed: [...(it.allowedQueryParams ?? ['*'])] } : it))
  return hash.digest('hex')
}

const keyLength = 64
const digestLength = 32

export function recallPage(dslPath: string, key: string): Buffer | undefined {
  try {
    const bytes = readFileSync(join(dslPath, memoryFolder, 'api'))
    if (bytes.toString('latin1', 0, keyLength) !== key) return undefined
    const page = bytes.subarray(keyLength, -digestLength)
    return digestOf(page).equals(bytes.subarray(-digestLength)) ? page : undefined
  } catch {
    return undefined
  }
}

export function rememberPage(dslPath: string, key: string, page: Buffer): void {
  const content = Buffer.concat([Buffer.from(key, 'latin1'), page, digestOf(page)])
  void writeWhole(join(dslPath, memoryFolder, 'api'), content)
}

function digestOf(page: Buffer): Buffer {
  return createHash('sha256').update(page).digest()
}
