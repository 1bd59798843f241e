/**
 * A key that no field has -> what to tell about it: the field that was probably meant, or the fields that there are. A field
 * that is required and missing is the likeliest, one that stands in the file already the least likely. Pure.
 */
import { nearest } from './nearest.ts'

export interface Neighbourhood {
  /** Fields of the section that the key stands in. */
  readonly known: readonly string[]
  /** Those of them that the file does not have. */
  readonly absent: readonly string[]
  /** Those of them that the file has to have and does not. */
  readonly missing: readonly string[]
  /** Where a field of exactly this name belongs, in words; undefined where there is none. */
  readonly place: string | undefined
}

export function tellUnknown(key: string, { known, absent, missing, place }: Neighbourhood): string {
  if (place !== undefined) return `unknown field here, has no effect; it belongs ${place}`
  // Half of a name may be that of several fields, but of one only that is missing.
  const meant = nearest(key, [...missing, ...absent, ...known]) ?? nearest(key, missing) ?? nearest(key, absent)
  const remedy = meant === undefined ? `known here are ${known.join(', ')}` : `did you mean ${meant}?`
  return `unknown field, has no effect; ${remedy}`
}

const maxTold = 20

/** Whatever keeps a file from being loaded, in one line; what follows is the reason of it often enough. */
export function inOneLine(problems: readonly string[]): string {
  const more = problems.length - maxTold
  return [...problems.slice(0, maxTold), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
