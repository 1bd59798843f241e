/** Which kind of key or certificate file some bytes are: bytes in, yes or no out. */
import { X509Certificate } from 'node:crypto'

/** JKS or its sibling JCEKS. */
export function isJks(file: Buffer): boolean {
  return file.length >= 4 && [0xfeedfeed, 0xcececece].includes(file.readUInt32BE(0))
}

export function isCertificate(file: Buffer): boolean {
  try {
    return new X509Certificate(file).raw.length > 0
  } catch {
    return false
  }
}

/** A sequence, of any way to write its length, that starts with version 3. */
export function isPkcs12(file: Buffer): boolean {
  if (file[0] !== 0x30 || file[1] === undefined) return false
  const start = file[1] > 0x80 ? 2 + (file[1] & 0x7f) : 2
  return file.subarray(start, start + 3).equals(Buffer.from([2, 1, 3]))
}
