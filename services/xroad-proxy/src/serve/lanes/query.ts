/**
 * The query string on its way to a provider: bytes in, the same bytes out, without the pieces whose keys are not
 * allowed. Decodes only the key that it compares.
 *
 * Some servers split at a semicolon as well as at `&`. With an allow-list this file encodes semicolons: a server that
 * splits there would see a key that is not in the list.
 */

/** Query string with its question mark, or empty; `allowed` undefined lets everything pass. */
export function toQuery(target: string, allowed: ReadonlySet<string> | undefined): string {
  const mark = target.indexOf('?')
  if (mark === -1) return ''
  if (allowed === undefined) return target.slice(mark)
  if (allowed.size === 0) return ''
  const kept = target
    .slice(mark + 1)
    .split('&')
    .filter((piece) => isAllowed(piece, allowed))
    .map((piece) => piece.replaceAll(';', '%3B'))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

function isAllowed(piece: string, allowed: ReadonlySet<string>): boolean {
  const equals = piece.indexOf('=')
  const key = equals === -1 ? piece : piece.slice(0, equals)
  return !key.includes(';') && allowed.has(decodeKey(key))
}

function decodeKey(key: string): string {
  if (!/[%+]/.test(key)) return key
  // One character stands for one byte here; what is not UTF-8 stays as it is and matches nothing that a file can name.
  const bytes = key.replaceAll('+', ' ').replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
