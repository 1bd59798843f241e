/**
 * The description of `/api` as an earlier start made and compressed it, kept beside what is remembered of WSDL files: one
 * file, which is used as long as all that the description is made of is the same. Whatever is wrong with it, the
 * description is made anew.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../../model.ts'
import { writeWhole } from '../ingest/whole-file.ts'
import { memoryFolder, programDigest } from '../ingest/memory.ts'

/** The same bytes plain and in both codings. */
export interface StoredPage {
  readonly body: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

/** `wsdls` stands for the WSDL files that types come from. */
export function pageKey(endpoints: readonly Endpoint[], wsdls: readonly string[], more: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify([programDigest(), wsdls, more]))
  for (const it of endpoints)
    hash.update(JSON.stringify(it.kind === 'rest' ? { ...it, allowed: [...(it.allowedQueryParams ?? ['*'])] } : it))
  return hash.digest('hex')
}

const keyLength = 64
const headLength = keyLength + 3 * 12

export function recallPage(dslPath: string, key: string): StoredPage | undefined {
  try {
    const bytes = readFileSync(join(dslPath, memoryFolder, 'api'))
    const head = bytes.toString('latin1', 0, headLength)
    if (head.slice(0, keyLength) !== key) return undefined
    const lengths = [0, 1, 2].map((it) => Number(head.slice(keyLength + it * 12, keyLength + (it + 1) * 12)))
    const [body = 0, br = 0, gzip = 0] = lengths
    if (bytes.length !== headLength + body + br + gzip + 32) return undefined
    const content = bytes.subarray(headLength, -32)
    if (!createHash('sha256').update(content).digest().equals(bytes.subarray(-32))) return undefined
    return { body: content.subarray(0, body), br: content.subarray(body, body + br), gzip: content.subarray(body + br) }
  } catch {
    return undefined
  }
}

export function rememberPage(dslPath: string, key: string, { body, br, gzip }: StoredPage): void {
  const lengths = [body, br, gzip].map((it) => String(it.length).padStart(12, '0')).join('')
  const content = Buffer.concat([body, br, gzip])
  const digest = createHash('sha256').update(content).digest()
  void writeWhole(
    join(dslPath, memoryFolder, 'api'),
    Buffer.concat([Buffer.from(key + lengths, 'latin1'), content, digest]),
  )
}
