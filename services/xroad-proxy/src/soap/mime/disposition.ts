/**
 * The Content-Disposition of a part of a form (RFC 7578) taken apart: its name, and whether it has the name of a file.
 * In a name, a backslash escapes a quote or a backslash, as RFC 2183 has it, and `%22`, `%0D` and `%0A` stand for what
 * browsers write so.
 */

export interface Disposition {
  readonly name: string
  readonly hasFilename: boolean
}

const parameter = /\s*;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy

/** One character of the header for each byte. Instead of a result, what is wrong with it, in words. */
export function readDisposition(header: string | undefined): Disposition | string {
  if (header === undefined) return 'without a Content-Disposition'
  const text = toText(header)
  if (text === undefined) return 'whose Content-Disposition is not UTF-8'
  const [kind = ''] = /^[^\s;]*/.exec(text) ?? []
  if (kind.toLowerCase() !== 'form-data') return 'whose Content-Disposition is not form-data'
  const names: string[] = []
  let hasFilename = false
  let end = kind.length
  for (const { 0: found, 1: key = '', 2: quoted, 3: token = '', index } of matches(text, end)) {
    end = index + found.length
    const lower = key.toLowerCase()
    if (lower === 'name') names.push(quoted === undefined ? token : unescape(quoted))
    if (lower === 'filename' || lower === 'filename*') hasFilename = true
  }
  const [name] = names
  if (!/^\s*;?\s*$/.test(text.slice(end))) return 'whose Content-Disposition cannot be read'
  if (name === undefined || name === '') return 'without a name'
  return names.length > 1 ? 'with two names' : { name, hasFilename }
}

function* matches(text: string, from: number): Generator<RegExpExecArray> {
  const expression = new RegExp(parameter)
  expression.lastIndex = from
  for (let found = expression.exec(text); found !== null; found = expression.exec(text)) yield found
}

function toText(header: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'))
  } catch {
    return undefined
  }
}

const percent: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

/** Any other backslash is itself: so some browsers write the path of a file. */
function unescape(quoted: string): string {
  return quoted
    .replaceAll(/\\(["\\])/g, '$1')
    .replaceAll(/%(?:22|0D|0A)/gi, (found) => percent[found.toUpperCase()] ?? found)
}
