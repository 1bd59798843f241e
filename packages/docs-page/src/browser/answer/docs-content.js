/**
 * The bytes of an answer and its Content-Type -> what they are to a page: JSON, XML, a text, a picture, or a file.
 * Pure.
 */
import { layOutXml } from '../text/docs-xml.js'

/** @typedef {'json' | 'xml' | 'text' | 'picture' | 'file'} ContentKind */
/**
 * @typedef {{ readonly kind: ContentKind, readonly type: string, readonly text: string }} ReadContent `text` is empty
 * for pictures and files.
 */

/** What browsers show as pictures; none of them runs scripts in an `img`. */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/
const texts = /^(?:text\/.*|application\/(?:javascript|yaml|x-yaml|x-www-form-urlencoded|graphql|sql|toml))$/

/**
 * @param {Uint8Array} bytes
 * @param {string} contentType
 * @returns {ReadContent}
 */
export function readContent(bytes, contentType) {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (pictures.test(type)) return { kind: 'picture', type, text: '' }
  const kind = kindOf(type)
  if (kind !== undefined) return { kind, type, text: decoderFor(contentType, false).decode(bytes) }
  // Without a type that says more, the bytes do.
  try {
    const text = decoderFor(contentType, true).decode(bytes)
    if (!text.includes('\0')) return { kind: guess(text), type, text }
  } catch {
    // No text.
  }
  return { kind: 'file', type, text: '' }
}

/**
 * @param {string} type
 * @returns {ContentKind | undefined}
 */
function kindOf(type) {
  if (type === 'application/json' || type.endsWith('+json') || type.endsWith('ndjson')) return 'json'
  if (type.endsWith('/xml') || type.endsWith('+xml')) return 'xml'
  return texts.test(type) ? 'text' : undefined
}

/**
 * @param {string} text
 * @returns {ContentKind}
 */
function guess(text) {
  if (/^\s*[[{"]/.test(text)) return 'json'
  return layOutXml(text) === undefined ? 'text' : 'xml'
}

/**
 * @param {string} contentType
 * @param {boolean} fatal
 * @returns {TextDecoder}
 */
function decoderFor(contentType, fatal) {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset, { fatal })
  } catch {
    return new TextDecoder('utf-8', { fatal })
  }
}

/**
 * What an answer is saved as: the name that it has, else the last segment of its address.
 *
 * @param {string} url
 * @param {string} type
 * @param {string | null} disposition
 * @returns {string}
 */
export function fileName(url, type, disposition) {
  const given = /filename\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(disposition ?? '')
  const named = (given?.[1] ?? given?.[2] ?? '').replaceAll(/[/\\]/g, '_')
  if (named !== '') return named
  const last = new URL(url).pathname.split('/').at(-1) || 'answer'
  const end = /^[\w.-]+\/(?:[\w.-]+\+)?([\w-]+)$/.exec(type)?.[1]
  return end === undefined || last.includes('.') ? last : `${last}.${ends[end] ?? end}`
}

/** @type {Readonly<Record<string, string>>} */
const ends = { plain: 'txt', 'octet-stream': 'bin', jpeg: 'jpg', javascript: 'js' }
