/**
 * A key that no field has -> what to tell about it: the field that was probably meant, or the fields that there are. A
 * field that is required and missing is the likeliest, one that is in the file already the least likely. Pure.
 */
import { isSpelling, nearest } from './nearest.ts'
import { isGlued, isSecretField, passwordCure, type PasswordField } from './secrets.ts'

export interface Neighbourhood {
  /** Fields of the section that the key is in. */
  readonly known: readonly string[]
  /** Those of them that the file does not have. */
  readonly absent: readonly string[]
  /** Those of them that the file has to have and does not. */
  readonly missing: readonly string[]
  /** What is to be written instead of a key that other programs have; undefined when it is unknown. */
  readonly usual?: string | undefined
  /** Where a field of exactly this name belongs, in words; undefined where there is none. */
  readonly place?: string | undefined
  /** Where passwords belong; undefined in files that have nothing to do with any. */
  readonly password?: PasswordField | undefined
}

/** What is to be done about an unknown field: the part of a message behind `unknown field`. */
export function remedyFor(key: string, { known, absent, missing, usual, place, password }: Neighbourhood): string {
  const respelt = known.find((field) => isSpelling(field, key))
  if (respelt !== undefined) return `did you mean ${respelt}?`
  if (password !== undefined && isSecretField(key, password.name)) return passwordCure(password)
  if (isGlued(key)) return 'a colon needs a space after it'
  // A field may have such a name in another section, but one or several of a thing are easily confused.
  const several = absent.find((field) => field === `${key}s` || `${field}s` === key)
  if (several !== undefined) return `did you mean ${several}?`
  if (usual !== undefined) return usual
  if (place !== undefined) return `it belongs ${place}`
  // Half of a name may be that of several fields, but of one only that is missing.
  const meant = nearest(key, [...missing, ...absent, ...known]) ?? nearest(key, missing) ?? nearest(key, absent)
  return meant === undefined ? `the known fields are ${known.join(', ')}` : `did you mean ${meant}?`
}

/** For files in which such a field is not an error. */
export function tellUnknown(key: string, neighbourhood: Neighbourhood): string {
  return `unknown field, has no effect; ${remedyFor(key, neighbourhood)}`
}
