/**
 * The key under which an endpoint is stored and looked up. Start-up and request path share it, so that the two cannot
 * disagree on which spellings are one URL.
 */

/** Method and path as one key, the same for every casing of the path. The method is compared as it is. */
export function endpointKey(method: string, path: string): string {
  return `${method} ${foldCase(path)}`
}

/**
 * Unicode simple case folding: two texts fold alike exactly when `/iu` calls them equal. The folded letters are not
 * always those of CaseFolding.txt; only their equality counts.
 */
export function foldCase(text: string): string {
  return ascii.test(text) ? text.toLowerCase() : Array.from(text, foldPoint).join('')
}

const ascii = /^[\0-\x7f]*$/

/** Where the case mappings do not tell: the Turkish letters equal nothing but themselves, the others each other. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['\u0130', '\u0130'],
  ['\u0131', '\u0131'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
])

/** Over the upper case, because some letters have only that in common: `s` and the long s, the two small sigmas. */
function foldPoint(point: string): string {
  const exception = exceptions.get(point)
  if (exception !== undefined) return exception
  const upper = point.toUpperCase()
  return (isOnePoint(upper) ? upper : point).toLowerCase()
}

function isOnePoint(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff)
}
