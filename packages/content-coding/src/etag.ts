/** Entity tags (RFC 9110, 8.8.3): bytes -> tag, and whether a client that names tags has these bytes already. */
import { createHash } from 'node:crypto'
import { maxItems } from './weights.ts'

/** Weak, because all codings of a content share it. */
export function etagOf(bytes: Uint8Array): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url')}"`
}

/** Whether a copy is still good; `given` is If-None-Match. Tags are compared without their strength. */
export function isKnown(etag: string, given: string = ''): boolean {
  const tags = given.split(',', maxItems).map((tag) => tag.trim())
  return tags.includes('*') || tags.some((tag) => tag.replace(/^W\//, '') === etag.slice(2))
}
