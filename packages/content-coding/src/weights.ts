/**
 * What a client says it accepts (RFC 9110, 12.4.2 and 12.5): a list of names, each with parameters and a weight.
 * Headers come in as text, plain values go out; what the names mean is for the files beside this one. Pure.
 */

export interface Weighted {
  /** In lower case. */
  readonly name: string
  /** In lower case, such as `charset=utf-8`; the weight is not among them. */
  readonly parameters: readonly string[]
  /** From 0, which refuses, to 1. */
  readonly weight: number
}

/**
 * Further items of a list, and further parameters of an item, are not read: a header of many thousands would cost
 * milliseconds.
 */
export const maxItems = 200

/** Lines of one header are one list, with commas between them. */
export function readWeights(header: string): Weighted[] {
  return split(header, ',').map((item) => {
    const [name = '', ...parameters] = split(item, ';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find(isWeight)?.slice('q='.length)
    const others = weight === undefined ? parameters : parameters.filter((parameter) => !isWeight(parameter))
    return { name, parameters: others, weight: weight === undefined ? 1 : readWeight(weight) }
  })
}

function isWeight(parameter: string): boolean {
  return parameter.startsWith('q=')
}

/** An invalid weight counts as a refusal. */
function readWeight(text: string): number {
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(text) ? Number(text) : 0
}

/** What is between separators, except for those in quoted strings. */
function split(text: string, separator: ',' | ';'): string[] {
  if (!text.includes('"')) return text.split(separator, maxItems)
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length && parts.length < maxItems; at++) {
    const char = text[at]
    if (isQuoted && char === '\\') at++
    else if (char === '"') isQuoted = !isQuoted
    else if (char === separator && !isQuoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}
