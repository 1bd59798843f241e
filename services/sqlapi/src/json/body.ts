/** JSON text -> the body of a reply. */
import type { Answer, Body } from '../model.ts'

export const jsonType = 'application/json'

export function jsonBody<Content extends Answer>(content: Content): Body & { readonly content: Content } {
  return { mediaType: jsonType, content }
}
