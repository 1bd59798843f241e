/**
 * The bytes of a JSON text -> how many values it has, counted in steps before anybody parses it: what parsing, checks
 * and templates cost depends on their number. Bytes that are not JSON give a number that means nothing.
 */
import { Failure } from '../../errors.ts'
import type { Steps } from '../../steps.ts'
import { toShown } from './words.ts'

/** Texts, numbers, lists and the like of one request, those inside of others included; names are none. */
export const maxRequestValues = 100_000

/** Readers refuse what is nested half as deep, in their own way, and nothing is made of it. */
const maxLevels = 256

/** Bytes that are looked at in one step. */
const stepBytes = 1024 * 1024

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const space = 0x20
const lists: ReadonlySet<number> = new Set([0x5b, 0x7b])
const ends: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** `before` are values that count as well. Throws `request_too_large` for more than `maxRequestValues`. */
export function* countValues(bytes: Uint8Array, before = 0, param?: string): Steps<number> {
  let count = before + 1
  let depth = 0
  /** Whether a list or an object has just begun: it may be empty. */
  let isOpen = false
  let name: readonly [start: number, end: number] = [0, 0]
  let pause = stepBytes
  for (let at = 0; at < bytes.length; at++) {
    if (at >= pause) {
      yield
      pause = at + stepBytes
    }
    const byte = bytes[at] as number
    if (byte <= space) continue
    if (isOpen && !ends.has(byte)) count++
    isOpen = false
    if (byte === quote) {
      const start = at
      at = endOfString(bytes, at)
      // The last one at this level that could be a name: a value never begins another value.
      if (depth === 1 && isName(bytes, at)) name = [start, at]
    } else if (byte === comma) count++
    else if (lists.has(byte)) {
      depth++
      if (depth > maxLevels) return count
      isOpen = true
    } else if (ends.has(byte)) depth--
    if (count > maxRequestValues) throw refuse(param ?? toName(bytes.subarray(name[0], name[1] + 1)))
  }
  return count
}

/** A text may be most of a large body, so only its quotes are looked at. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let first = end
    while (bytes[first - 1] === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
  return bytes.length
}

/** Whether a colon follows. */
function isName(bytes: Uint8Array, end: number): boolean {
  let at = end + 1
  while ((bytes[at] ?? 0xff) <= space) at++
  return bytes[at] === 0x3a
}

function toName(bytes: Uint8Array): string {
  try {
    return String(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return ''
  }
}

function refuse(param: string): Failure {
  const place = param === '' ? 'the body' : `the param ${toShown(param)}`
  const message = `the request has more than ${maxRequestValues} values (max_request_values), which ${place} exceeds; send fewer items in one request`
  return new Failure('request_too_large', message, { extras: { limit: maxRequestValues } })
}
