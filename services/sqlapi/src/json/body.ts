/** JSON text -> the body of a reply. */
import type { Result, Body } from '../model.ts'

export const jsonType = 'application/json'

export function jsonBody<Content extends Result>(content: Content): Body & { readonly content: Content } {
  return { mediaType: jsonType, content }
}
