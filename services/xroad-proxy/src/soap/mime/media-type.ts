/**
 * A Content-Type header taken apart, that of a response or of a part: the type in lower case, and its parameters under
 * their names in lower case, quotes and backslashes resolved. Leaves out malformed parts; never throws.
 */

export interface MediaType {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** A quoted value may lack its closing quote: then it ends with the header. */
const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;"]*))/g

/** The responses of a service have the same type every time. */
let newest: { readonly header: string; readonly mediaType: MediaType } | undefined

export function readMediaType(header: string): MediaType {
  if (newest?.header !== header) newest = { header, mediaType: parse(header) }
  return newest.mediaType
}

function parse(header: string): MediaType {
  const [type = ''] = header.split(';', 1)
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, token = ''] of header.matchAll(parameter)) {
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? token)
  }
  return { type: type.trim().toLowerCase(), parameters }
}
