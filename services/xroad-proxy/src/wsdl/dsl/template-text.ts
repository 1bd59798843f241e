/**
 * The pieces of template language that generated envelopes are made of: references to fields, blocks laid out in lines,
 * and text that stays text, whatever it holds. What the helpers do is soap/request/template-helpers.ts.
 */

/** Words that Handlebars reads as something else than a field. */
const taken: ReadonlySet<string> = new Set(
  `as else each each_value false generate if if_present is_nil log lookup mime_part null swa_ref this true undefined unless with
  xml_attr xml_decimal xml_element xml_integer xop_include
  blockHelperMissing helperMissing`.split(/\s+/u),
)

const plainField = /^[\p{L}_][\p{L}\p{N}_-]*$/u

export function toPath(field: string): string {
  const isPlain = plainField.test(field) && !taken.has(field) && !(field in Object.prototype)
  return isPlain ? field : `this.[${field}]`
}

/** What means something to XML, to Handlebars, or to YAML in a block of text. */
const special = /[&<>"{}\\\t\n\r\u007f-\u009f\u2028\u2029\ufeff]/gu

/** For element text and attribute values alike. */
export function escapeText(text: string): string {
  return text.replace(special, (character) => `&#${character.codePointAt(0) ?? 0};`)
}

export type BlockHelper = 'if' | 'if_present' | 'each_value'

/** One line stays one line; more are laid out between the tags. */
export function block(helper: BlockHelper, values: readonly string[], lines: readonly string[]): readonly string[] {
  const start = openBlock(helper, values)
  const end = `{{/${helper}}}`
  if (start.length + lines.length === 2) return [`${start.join('')}${lines.join('')}${end}`]
  return [...start, ...indent(lines), end]
}

/** What is there when one of the values is given, and none of those of a case before it. */
export interface Case {
  readonly helper: 'if' | 'if_present'
  readonly values: readonly string[]
  readonly lines: readonly string[]
}

/** The first case that holds; nothing where none does. */
export function firstOf(cases: readonly Case[]): readonly string[] {
  const [first] = cases
  if (first === undefined) return []
  const lines = cases.flatMap((each) => [
    ...openBlock(each.helper, each.values, each === first ? '#' : 'else '),
    ...indent(each.lines),
  ])
  return [...lines, `{{/${first.helper}}}`]
}

export function blockElse(
  helper: BlockHelper,
  values: readonly string[],
  lines: readonly string[],
  otherwise: readonly string[],
): readonly string[] {
  return [...openBlock(helper, values), ...indent(lines), '{{else}}', ...indent(otherwise), `{{/${helper}}}`]
}

/** Lines as one, with white space only where a tag goes on. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    const isOpen = text.lastIndexOf('{{') > text.lastIndexOf('}}')
    return `${text}${isOpen ? ' ' : ''}${line.trim()}`
  }, '')
}

const maxWidth = 100

/** A branch may depend on hundreds of values. */
function openBlock(helper: BlockHelper, values: readonly string[], start = '#'): readonly string[] {
  const lines: string[] = []
  let line = `{{${start}${helper}`
  for (const each of values) {
    if (line.length + each.length >= maxWidth) {
      lines.push(line)
      line = '   '
    }
    line += ` ${each}`
  }
  return [...lines, `${line}}}`]
}

export function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
