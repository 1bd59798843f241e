/**
 * JSON without loss: texts are read with all digits of their numbers, and laid out without being written again. Pure.
 */

/** A number that JavaScript cannot hold: its digits as they came. */
export class Digits {
  /** @param {string} source */
  constructor(source) {
    this.source = source
  }

  /** @returns {string} */
  toString() {
    return this.source
  }
}

/**
 * As `JSON.parse`, except for numbers that would come out with other digits: these are `Digits`.
 *
 * @param {string} text
 * @returns {unknown}
 */
export function readJson(text) {
  // Looking at each value takes ten times as long as reading all of them, and is hardly ever needed.
  return oddNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

/**
 * What may come out with other digits: many of them, an exponent, a fraction that ends with 0. Some texts look like
 * that too.
 */
const oddNumber = /(?:^|[[:,])\s*(?:-0(?![.\d])|-?\d+(?:\.\d*0(?!\d)|[\d.]*[eE][-+\d]|[\d.]{15}))/

/**
 * @param {string} _key
 * @param {unknown} value
 * @param {{ readonly source?: string }} [context] Older browsers have none; they show what JavaScript makes of the number.
 * @returns {unknown}
 */
function keepDigits(_key, value, context) {
  const { source } = context ?? {}
  return typeof value === 'number' && source !== undefined && String(value) !== source ? new Digits(source) : value
}

/**
 * A value of `readJson` as JSON text.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function writeJson(value) {
  if (value instanceof Digits) return value.source
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${writeJson(each)}`)
    .join(', ')}}`
}

/** @typedef {'text' | 'key' | 'number' | 'word' | 'sign'} TokenKind */
/** @typedef {readonly [kind: TokenKind, text: string]} Token */

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|\s+/gy

/**
 * JSON text -> tokens, laid out with two spaces a level, which together are the text again. Nothing for what is not
 * JSON.
 *
 * @param {string} text
 * @returns {readonly Token[] | undefined}
 */
export function layOutJson(text) {
  /** @type {Token[]} */
  const out = []
  let level = 0
  let before = ''
  let index = 0
  for (const [token] of text.matchAll(tokens)) {
    index += token.length
    if (/^\s/.test(token)) continue
    const isClosing = token === '}' || token === ']'
    if (isClosing) level -= 1
    const isEmpty = isClosing && (before === '{' || before === '[')
    if (before !== '' && before !== ':' && !isEmpty && token !== ',' && token !== ':') {
      out.push(['sign', `\n${'  '.repeat(Math.max(level, 0))}`])
    }
    if (token === ':') relabel(out)
    out.push([kindOf(token), token === ':' ? ': ' : token])
    if (token === '{' || token === '[') level += 1
    before = token
  }
  return index === text.length ? out : undefined
}

/**
 * The text in front of a colon is a key.
 *
 * @param {Token[]} out
 */
function relabel(out) {
  const last = out.pop()
  if (last !== undefined) out.push(['key', last[1]])
}

/**
 * @param {string} token
 * @returns {TokenKind}
 */
function kindOf(token) {
  if (token.startsWith('"')) return 'text'
  if (/^[-\d]/.test(token)) return 'number'
  return /^[a-z]/.test(token) ? 'word' : 'sign'
}
