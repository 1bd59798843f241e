/**
 * The description of `/api` as an earlier start made it, kept beside what is remembered of WSDL files: one
 * file, which is used as long as all that the description is made of is the same.
 */
import { createHash } from 'node:crypto'
import type { Endpoint } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import { recallContent, rememberContent } from '../ingest/kept-content.ts'
import { programDigest } from '../ingest/survey-memory.ts'

/** `wsdls` stands for the WSDL files that types come from. */
export function* pageKey(endpoints: readonly Endpoint[], wsdls: readonly string[], more: unknown): Steps<string> {
  const hash = createHash('sha256').update(JSON.stringify([programDigest(), wsdls, more]))
  for (const endpoint of endpoints) {
    yield
    hash.update(
      JSON.stringify(
        endpoint.kind === 'rest' ? { ...endpoint, allowed: [...(endpoint.allowedQueryParams ?? ['*'])] } : endpoint,
      ),
    )
  }
  return hash.digest('hex')
}

const name = 'api'

export function recallPage(dslPath: string, key: string): Buffer | undefined {
  return recallContent(dslPath, name, key)
}

export function rememberPage(dslPath: string, key: string, page: Buffer): void {
  rememberContent(dslPath, name, key, page)
}
