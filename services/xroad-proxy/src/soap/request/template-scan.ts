/**
 * The source of a template -> whether it consists only of the usual placeholders and blocks. Those are known to be
 * valid Handlebars, which saves the slow parser at boot, when thousands of templates wait. "No" means "ask the parser".
 * Also where a template begins what it does not close, which the parser does not tell.
 *
 * Does not judge anything unusual, and does not render.
 */

/** Levels of nested blocks; the parser decides about more. */
const maxDepth = 32

const word = String.raw`(?!(?:else|true|false|null|undefined|this)\b)[A-Za-z_\u00c0-\u024f][\w\u00c0-\u024f-]*`
const segment = String.raw`(?:${word}|\[[^\]\\{}\0]+\])`
const path = String.raw`(?:(?:this\.|@root\.|(?:\.\./)*)${segment}(?:\.${segment})*|this|\.|@(?:index|key|first|last))`
const block = '(?:if|unless|each_value|each|with)'
/** What a block is about; `if_present` takes several, on several lines when they are many. */
const value = String.raw`(?:\(is_nil ${path}\)|${path})`
/** What a helper takes. */
const argument = String.raw`(?:\(xml_(?:decimal|integer) ${path}\)|${path})`
/** A field, or one of the helpers with what it needs: with nothing they are calls that fail. */
const field =
  String.raw`(?:xml_attr +${argument}|xml_(?:decimal|integer) +${path}|lookup +${path} +(?:"[^"\\{}\0]*"|${path})` +
  String.raw`|xml_element +"[^"\\{}\0]*" +${argument}(?: +"[^"\\{}\0]*")?` +
  String.raw`|(?:swa_ref|xop_include|mime_part) +${path}(?: +(?:type|part)=(?:"[^"\\{}\0]*"|${path}))*` +
  String.raw`|(?!\[?(?:${block}|lookup|xml_attr|xml_decimal|xml_integer|xml_element|if_present|is_nil|swa_ref|xop_include|mime_part)\]?[ }])${path})`

/** One tag where it starts. One brace more after the closing ones would belong to the tag, and be an error. */
const tag = new RegExp(
  String.raw`\{\{(?:\{ *${field} *\}\}\}| *${field} *\}\}` +
    String.raw`|#(?<opens>${block}(?= +${value} *\}\})|if_present(?=(?:\s+${value})+ *\}\}))[^}]*\}\}` +
    String.raw`|/(?<closes>${block}|if_present)\}\}` +
    String.raw`|(?<turns>else)(?<asks> +(?:if(?= +${value} *\}\})|if_present(?=(?:\s+${value})+ *\}\}))[^}]*)?\}\})(?!\})`,
  'y',
)

/** What large generated files consist of, found without trying all the others. */
const shortTag =
  /\{\{xml_element "[\w:.-]+" (?:\(xml_(?:decimal|integer) [A-Za-z_][\w-]*\)|[A-Za-z_][\w-]*)(?: "xsi:nil")?\}\}(?!\})/y

interface OpenBlock {
  readonly name: string
  hasElse: boolean
}

/** Whether every tag is a known form and the blocks close as they opened. Linear in the length of the source. */
export function isPlain(source: string): boolean {
  const blocks: OpenBlock[] = []
  // The lexer stops at this one.
  if (source.includes('\0')) return false
  for (let at = source.indexOf('{{'); at >= 0; at = source.indexOf('{{', tag.lastIndex)) {
    // A backslash makes text of a tag.
    if (source[at - 1] === '\\') return false
    shortTag.lastIndex = at
    if (shortTag.test(source)) {
      tag.lastIndex = shortTag.lastIndex
      continue
    }
    tag.lastIndex = at
    const groups = tag.exec(source)?.groups
    if (groups === undefined || !follow(blocks, groups)) return false
  }
  return blocks.length === 0
}

/** A field alone or behind `xml_attr`, a condition on a field, and what ends one: `this` is the same everywhere. */
const simpleTag =
  /\{\{(?:(?<opening>\{?) *(?:xml_attr +|#(?:if|unless) +)?(?<name>(?!else\}\})[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)?) *\}?|\/(?:if|unless)|else)\}\}/y

/**
 * Whether every name in a plain template is one that `isKnown` knows, in a place where nothing changes its meaning.
 * "No" means "ask the parser". `isRaw` is for three braces. Linear in the length of the source.
 */
export function hasOnlyKnownNames(source: string, isKnown: (name: string, isRaw: boolean) => boolean): boolean {
  for (let at = source.indexOf('{{'); at >= 0; at = source.indexOf('{{', simpleTag.lastIndex)) {
    simpleTag.lastIndex = at
    const groups = simpleTag.exec(source)?.groups
    if (groups === undefined) return false
    const { name, opening } = groups
    if (name !== undefined && !isKnown(name, opening !== '')) return false
  }
  return true
}

function follow(blocks: OpenBlock[], groups: Readonly<Record<string, string | undefined>>): boolean {
  if (groups['opens'] !== undefined) return blocks.push({ name: groups['opens'], hasElse: false }) <= maxDepth
  if (groups['closes'] !== undefined) return blocks.pop()?.name === groups['closes']
  if (groups['turns'] === undefined) return true
  const block = blocks.at(-1)
  if (block === undefined || block.hasElse) return false
  block.hasElse = groups['asks'] === undefined
  return true
}

/** What is open at the end of a template. */
export interface OpenTag {
  readonly line: number
  /** Of a block, without its braces; undefined of a placeholder. */
  readonly block: string | undefined
}

/** Comments, and whole tags; a sign is that of a block. */
const anyTag =
  /(?<backslashes>\\*)\{\{~?(?:!--[^]*?--~?\}\}|![^]*?\}\}|(?<sign>[#^/]?)[*>]?\s*(?<words>(?:"[^"]*"|'[^']*'|[^}"'])*)\}\})/g

/**
 * The tag of a template that ends too early. Undefined where none is found: the parser knows stranger tags. Only for
 * what the parser refuses.
 */
export function findOpenTag(source: string): OpenTag | undefined {
  const last = source.lastIndexOf('{{')
  if (source.indexOf('}}', last) === -1) return { line: lineAt(source, last), block: undefined }
  const open: OpenTag[] = []
  for (const { index, groups } of source.matchAll(anyTag)) {
    const { sign, words = '', backslashes = '' } = groups ?? {}
    // A backslash makes text of a tag, and another one before it a backslash.
    if (!sign || backslashes.length === 1) continue
    const block = words.replace(/~$/, '').trim()
    if (sign === '/') open.pop()
    // Without words it is an {{else}}.
    else if (block !== '') open.push({ line: lineAt(source, index), block })
  }
  return open.at(-1)
}

function lineAt(source: string, index: number): number {
  return source.slice(0, Math.max(index, 0)).split(/\r\n?|\n/).length
}
