/**
 * Endpoints that were read again -> the same, but those that are as they were before are the objects of before:
 * databases know their statements by them. Takes pauses, because requests are answered meanwhile.
 */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Endpoints } from '../boot/endpoints.ts'

/** How many are compared at a time; one takes some hundredths of a millisecond. */
const portion = 32

export async function keepUnchanged(before: Endpoints, after: Endpoints): Promise<Endpoints> {
  const kept = new Map(after)
  let compared = 0
  for (const [key, endpoint] of after) {
    const known = before.get(key)
    if (known === undefined) continue
    if (isDeepStrictEqual(known, endpoint)) kept.set(key, known)
    if (++compared % portion === 0) await setImmediate()
  }
  return kept
}
