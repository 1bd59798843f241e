/** What a body that cannot be read is told as where its headers say that it is compressed. Pure. */
import type { RawHeaders } from '../../model.ts'
import { headerValue } from '../../raw-headers.ts'

const maxShown = 64

/** Undefined for a body that is as it was written. */
export function codingOf(headers: RawHeaders): string | undefined {
  const coding = headerValue(headers, 'content-encoding') ?? 'identity'
  if (/^identity$/i.test(coding)) return undefined
  return `found Content-Encoding: ${coding.slice(0, maxShown)}, expected a body that is not compressed`
}
