/**
 * The text of a file -> its SHA-256, the same on all systems: without a byte-order mark, and with LF at the ends of
 * lines.
 */
import { createHash } from 'node:crypto'

export function digestOf(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  return createHash('sha256').update(plain).digest('hex')
}
