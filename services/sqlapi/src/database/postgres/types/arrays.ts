/**
 * PostgreSQL's array text, both ways (PostgreSQL manual, "Array Input and Output Syntax"): `{1,NULL,"a b"}` -> JSON
 * array text, and element texts -> `{..}`. Pure.
 */

/**
 * Writes an array's text as a JSON array, dimensions nested. `writeElement` turns the text of one element into JSON;
 * an unquoted NULL is null. Explicit bounds (`[0:1]={..}`) are dropped: JSON arrays have none.
 */
export function arrayToJson(text: string, delimiter: string, writeElement: (text: string) => string): string {
  let at = text.startsWith('[') ? text.indexOf('{') : 0
  let json = ''
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '{') {
      json += '['
      at++
    } else if (char === '}') {
      json += ']'
      at++
    } else if (char === delimiter) {
      json += ','
      at++
    } else if (char === '"') {
      const end = endOfQuoted(text, at)
      json += writeElement(unescape(text.slice(at + 1, end)))
      at = end + 1
    } else {
      const end = endOfBare(text, at, delimiter)
      const element = text.slice(at, end)
      json += element === 'NULL' ? 'null' : writeElement(element)
      at = end
    }
  }
  return json
}

/** Joins elements to an array's text. An element is the text of a value, null, or such a list again. */
export type ArrayElements = readonly (string | null | ArrayElements)[]

export function toArrayText(elements: ArrayElements): string {
  return `{${elements.map(toElementText).join(',')}}`
}

function toElementText(element: string | null | ArrayElements): string {
  if (element === null) return 'NULL'
  if (typeof element !== 'string') return toArrayText(element)
  return `"${/["\\]/.test(element) ? element.replaceAll(/["\\]/g, String.raw`\$&`) : element}"`
}

function endOfQuoted(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}

function endOfBare(text: string, at: number, delimiter: string): number {
  let end = at
  while (end < text.length && text[end] !== delimiter && text[end] !== '}') end++
  return end
}

function unescape(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\([\s\S])/g, '$1') : text
}
