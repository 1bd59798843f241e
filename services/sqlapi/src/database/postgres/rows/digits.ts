/**
 * Numbers as their bytes come from the server -> the digits that PostgreSQL prints for them. Pure; the caller has
 * reserved room: at most 24 bytes for a number.
 */
import type { ByteWriter } from './bytes.ts'

const zero = 0x30
const minus = 0x2d
const point = 0x2e

/** A whole number of at most 2^53, without a sign. */
export function writeWhole(value: number, out: ByteWriter): void {
  if (value > 999_999_999) {
    const high = Math.floor(value / 1e9)
    writeWhole(high, out)
    writePadded(value - high * 1e9, 9, out)
  } else {
    writePadded(value, countDigits(value), out)
  }
}

/** A whole number below 10^9, with zeros in front. */
export function writePadded(value: number, width: number, out: ByteWriter): void {
  const { bytes } = out
  let at = out.at + width
  out.at = at
  let rest = value | 0
  for (let left = width; left > 0; left--) {
    const next = (rest / 10) | 0
    bytes[--at] = zero + rest - next * 10
    rest = next
  }
}

function countDigits(value: number): number {
  let count = 1
  for (let bound = 10; value >= bound; bound *= 10) count++
  return count
}

/** An int2, int4, oid, or any other whole number of at most 2^53. */
export function writeInteger(value: number, out: ByteWriter): void {
  if (value < 0) out.bytes[out.at++] = minus
  writeWhole(Math.abs(value), out)
}

/** Upper halves between which an int8 is exact as a number. */
const exactHigh = 0x20_0000
/** 2^32 = 4294 * 10^6 + 967296, so that no product below goes beyond 2^53. */
const [millions, others] = [4294, 967_296]

/** An int8 by its two halves, the upper one with a sign. */
export function writeInt8(high: number, low: number, out: ByteWriter): void {
  if (high >= -exactHigh && high < exactHigh) {
    writeInteger(high * 0x1_0000_0000 + low, out)
    return
  }
  let [upper, lower] = [high, low]
  if (high < 0) {
    out.bytes[out.at++] = minus
    lower = -low >>> 0
    upper = lower === 0 ? -high : -high - 1
  }
  const rest = upper * others + lower
  const carry = Math.floor(rest / 1e6)
  writeWhole(upper * millions + carry, out)
  writePadded(rest - carry * 1e6, 6, out)
}

/** PostgreSQL prints a float between these without an exponent, as JavaScript does. */
const [smallestFixed, firstWithExponent] = [1e-4, 1e15]
/** Below it six places more make no more than the 15 digits that any float keeps. */
const firstNotScaled = 1e9

/** A finite float8 with the fewest digits that tell it apart, as PostgreSQL 12 and newer print it. */
export function writeFloat(value: number, out: ByteWriter): void {
  const size = Math.abs(value)
  if (size >= firstWithExponent || (size < smallestFixed && size > 0)) {
    if (value < 0) out.bytes[out.at++] = minus
    writeLatin(toExponential(size).replace(/(?<=e[+-])\d$/, '0$&'), out)
    return
  }
  const scaled = Math.round(size * 1e6)
  // A quotient is the float next to it, and no two decimals of 15 digits share one: these are the digits.
  const isShort = size < firstNotScaled && scaled / 1e6 === size
  if (!isShort && !Number.isInteger(size)) {
    writeLatin(String(value), out)
    return
  }
  if (value < 0 || Object.is(value, -0)) out.bytes[out.at++] = minus
  const whole = Math.trunc(size)
  writeWhole(whole, out)
  if (whole !== size) writeFraction(scaled - whole * 1e6, out)
}

/**
 * With the fewest digits, as JavaScript has it. PostgreSQL does not take those that lie in the middle between two
 * floats, which only whole numbers beyond 2^53 can have, though reading them gives the right one.
 */
function toExponential(size: number): string {
  let text = size.toExponential()
  for (let places = text.indexOf('e') - 1; size > Number.MAX_SAFE_INTEGER && isBetween(text, size); places++)
    text = size.toExponential(places)
  return text
}

/** Whether a decimal that is read as this float lies in the middle between it and the next one. */
function isBetween(text: string, size: number): boolean {
  const [digits = '', exponent] = text.replace('.', '').split('e')
  const zeros = Number(exponent) + 1 - digits.length
  if (zeros < 0) return false
  const exact = BigInt(size)
  const distance = BigInt(digits) * 10n ** BigInt(zeros) - exact
  // Twice as far away there is a float, which must be the next one.
  const opposite = exact + 2n * distance
  return distance !== 0n && BigInt(Number(opposite)) === opposite
}

/** Millionths behind a point, without zeros at the end; nothing where there are none. */
export function writeFraction(millionths: number, out: ByteWriter): void {
  if (millionths === 0) return
  out.bytes[out.at++] = point
  writePadded(millionths, 6, out)
  while (out.bytes[out.at - 1] === zero) out.at--
}

/** Letters, digits and signs only. */
export function writeLatin(text: string, out: ByteWriter): void {
  out.at += out.bytes.write(text, out.at, 'latin1')
}
