/** The header `Vary`: which headers of a request a reply depends on, for caches. */
import type { ReplyHeaders } from '../../model.ts'

/** The same headers, with these names behind those that are there. */
export function addVary(headers: ReplyHeaders, names: string): ReplyHeaders {
  const { vary } = headers
  return { ...headers, vary: vary === undefined ? names : `${vary}, ${names}` }
}
