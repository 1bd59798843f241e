/**
 * XML without loss: laid out by moving elements to lines of their own, where only white space is between them.
 * Pure.
 */

/** @typedef {'sign' | 'key' | 'text' | 'word'} TokenKind */
/** @typedef {readonly [kind: TokenKind, text: string]} Token */

const tokens =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<![^>]*>|<\/?[^\s<>"'/](?:[^<>"']|"[^"]*"|'[^']*')*>|[^<]+/gy

/**
 * XML text -> tokens, laid out with two spaces a level; text between tags stays as it is. Nothing for what is not XML.
 *
 * @param {string} text
 * @returns {readonly Token[] | undefined}
 */
export function layOutXml(text) {
  const found = Array.from(text.trim().matchAll(tokens), ([token]) => token)
  if (!/^<[^\s<>]/.test(found[0] ?? '') || found.join('').length !== text.trim().length) return undefined
  /** @type {Token[]} */
  const out = []
  let level = 0
  let isInText = false
  let isEmpty = false
  for (const token of found) {
    if (token.trim() === '') continue
    const isTag = token.startsWith('<') && !token.startsWith('<![CDATA[')
    const isEnd = token.startsWith('</')
    if (isEnd) level -= 1
    if (isTag && !isInText && !(isEnd && isEmpty) && out.length > 0) {
      out.push(['sign', `\n${'  '.repeat(Math.max(level, 0))}`])
    }
    out.push([kindOf(token, isTag), token])
    isEmpty = isTag && !isEnd && /^<[^!?]/.test(token) && !token.endsWith('/>')
    if (isEmpty) level += 1
    // Behind a text, and up to the tag that ends what it is in, white space could be its own.
    isInText = !isTag || (isInText && !isEnd)
  }
  return level === 0 ? out : undefined
}

/**
 * @param {string} token
 * @param {boolean} isTag
 * @returns {TokenKind}
 */
function kindOf(token, isTag) {
  if (!isTag) return 'text'
  return /^<[!?]/.test(token) ? 'word' : 'key'
}
