/** The range that both databases' widest integers share. */
import { Failure } from '../errors.ts'

const min = -(2n ** 63n)
const max = 2n ** 63n - 1n

/** Throws when the digits of a JSON integer do not fit 64 bits. */
export function requireInt64(parameter: string, digits: string): void {
  // 17 digits and a sign always fit.
  if (digits.length <= 18) return
  const number = BigInt(digits)
  if (number >= min && number <= max) return
  throw new Failure('integer_out_of_range', `Parameter '${parameter}' is outside the range of 64-bit integers`)
}
