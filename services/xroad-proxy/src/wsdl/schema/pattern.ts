/**
 * A pattern of XML Schema -> the same as an ECMAScript expression about the whole value, as JSON Schema wants it;
 * nothing for one that ECMAScript cannot express. `^` and `$` are characters in XML Schema, but authors who write them
 * at both ends mean the ends of the text.
 */

/** Several are alternatives, as within one restriction. */
export function joinPatterns(patterns: readonly string[]): string {
  return patterns.length === 1 ? (patterns[0] ?? '') : patterns.map((pattern) => `(${pattern})`).join('|')
}

/** All of them hold, as those of a type and of the types that it comes from. */
export function toExpression(patterns: readonly string[]): string | undefined {
  const bodies = patterns.map(translate).filter((body) => body !== undefined)
  const [last] = bodies.slice(-1)
  if (last === undefined) return undefined
  const others = bodies.slice(0, -1).map((body) => `(?=(?:${body})$)`)
  return `^${others.join('')}(?:${last})$`
}

/** Classes that differ in the two languages, outside brackets and inside. */
const classes: Readonly<Record<string, readonly [outside: string, inside: string | undefined]>> = {
  w: ['[\\p{L}\\p{M}\\p{N}\\p{S}]', '\\p{L}\\p{M}\\p{N}\\p{S}'],
  W: ['[\\p{P}\\p{Z}\\p{C}]', '\\p{P}\\p{Z}\\p{C}'],
  s: ['[ \\t\\n\\r]', ' \\t\\n\\r'],
  S: ['[^ \\t\\n\\r]', undefined],
  d: ['[0-9]', '0-9'],
  D: ['[^0-9]', undefined],
  i: ['[\\p{L}_:]', '\\p{L}_:'],
  c: ['[\\p{L}\\p{N}._:\\-]', '\\p{L}\\p{N}._:\\-'],
  I: ['[^\\p{L}_:]', undefined],
  C: ['[^\\p{L}\\p{N}._:\\-]', undefined],
}

/** Escapes that both languages have. */
const shared = /^[nrt\\|.?*+(){}[\]^$/-]$/u
const anchored = /^\^(.*)\$$/su

function translate(pattern: string): string | undefined {
  const source = anchored.exec(pattern)?.[1] ?? pattern
  let text = ''
  let isInside = false
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at)
    const next = source.charAt(at + 1)
    if (character === '\\') {
      const escaped = escape(source, at, isInside)
      if (escaped === undefined) return undefined
      text += escaped.text
      at = escaped.end
    } else if (isInside) {
      // A class less another one.
      if (character === '[' || (character === '-' && next === '[')) return undefined
      isInside = character !== ']'
      text += character
    } else if (character === '[') {
      isInside = true
      const isNegated = next === '^'
      text += isNegated ? '[^' : '['
      if (isNegated) at++
    } else {
      text += character === '^' || character === '$' ? `\\${character}` : character
    }
  }
  return isExpression(text) ? text : undefined
}

function escape(source: string, at: number, isInside: boolean): { text: string; end: number } | undefined {
  const character = source.charAt(at + 1)
  const [outside, inside] = classes[character] ?? []
  if (outside !== undefined) {
    const text = isInside ? inside : outside
    return text === undefined ? undefined : { text, end: at + 1 }
  }
  if (character === 'p' || character === 'P') {
    const [property] = /^\{[A-Z][a-z]?\}/u.exec(source.slice(at + 2)) ?? []
    return property === undefined ? undefined : { text: `\\${character}${property}`, end: at + 1 + property.length }
  }
  // ECMAScript has no escape for an ordinary character.
  if (character === '-' && !isInside) return { text: '-', end: at + 1 }
  return shared.test(character) ? { text: `\\${character}`, end: at + 1 } : { text: character, end: at + 1 }
}

function isExpression(text: string): boolean {
  try {
    void new RegExp(`^(?:${text})$`, 'u')
    return true
  } catch {
    return false
  }
}
