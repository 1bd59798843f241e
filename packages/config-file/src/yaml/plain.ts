/**
 * The YAML that nearly every DSL file consists of, read line by line: `key: text`, `key: "text"`, `key: 123`, lists and
 * groups of these one level deep, literal blocks. Far faster than the parser, which would be most of the start of a
 * large folder. Gives up at the first line that could mean anything else; then the parser reads the text, and its
 * result counts. A test compares the two.
 */
import { Literal } from './data.ts'

type PlainScalar = string | Literal
type PlainValue = PlainScalar | readonly PlainScalar[] | PlainMapping
export interface PlainMapping {
  readonly [key: string]: PlainValue
}

export function readPlainYaml(given: string): PlainMapping | undefined {
  const text = given.replaceAll('\r\n', '\n')
  if (!text.endsWith('\n') || isOdd.test(text)) return undefined
  const lines = new Lines(text)
  const mapping: Record<string, PlainValue> = {}
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const { 1: key = '', 2: rest = '' } = field.exec(line) ?? []
    const value = isNewKey(key, mapping) ? readValue(rest, lines) : undefined
    if (value === undefined) return undefined
    mapping[key] = value
  }
  return mapping
}

/** What the parser treats in ways of its own: lone carriage returns, other controls and line ends, byte-order marks. */
// oxlint-disable-next-line no-control-regex
const isOdd = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/

const field = /^([A-Za-z]\w{0,63}):(?: (.+))?$/
const innerField = /^ *([A-Za-z]\w{0,63}): (.+)$/
const item = /^ *- (.+)$/
const block = /^\|(-?) *$/
const quoted = /^(?:"([^"\\]*)"|'([^']*)') *$/
/** Begins with a letter or slash: no number is possible. A colon has no space behind it, a # none before it. */
const plain = /^[A-Za-z/](?:[\w./?&=%+@~#-]|:(?=[\w/.-]))*$/
const flow = /^\[([\w, ]*)\]$/
const digits = /^\d{1,15}$/
const notText = /^(?:true|false|null)$/i

function isNewKey(key: string, mapping: object): boolean {
  return key !== '' && !Object.hasOwn(mapping, key)
}

function readValue(rest: string, lines: Lines): PlainValue | undefined {
  if (rest === '') return item.test(lines.peek() ?? '') ? readList(lines) : readGroup(lines)
  const { 1: chomping } = block.exec(rest) ?? []
  if (chomping !== undefined) return readBlock(lines, chomping === '-')
  const { 1: items } = flow.exec(rest) ?? []
  return items === undefined ? readScalar(rest) : readFlow(items)
}

function readScalar(written: string): PlainScalar | undefined {
  if (digits.test(written)) return new Literal(written, Number(written))
  if (written === 'true' || written === 'false') return new Literal(written, written === 'true')
  if (plain.test(written)) return notText.test(written) ? undefined : written
  const { 1: double, 2: single } = quoted.exec(written) ?? []
  return double ?? single
}

function readFlow(items: string): readonly PlainScalar[] | undefined {
  if (items.trim() === '') return []
  const scalars = items.split(',').map((item) => readScalar(item.trim()))
  return scalars.every((scalar) => scalar !== undefined) ? scalars : undefined
}

function readList(lines: Lines): readonly PlainScalar[] | undefined {
  const scalars: PlainScalar[] = []
  const indent = indentOf(lines.peek())
  for (let line = lines.peek(); line !== undefined && item.test(line); line = lines.peek()) {
    const scalar = readScalar(item.exec(line)?.[1] ?? '')
    if (scalar === undefined || indentOf(line) !== indent) return undefined
    scalars.push(scalar)
    lines.next()
  }
  return scalars
}

function readGroup(lines: Lines): PlainMapping | undefined {
  const mapping: Record<string, PlainScalar> = {}
  const indent = indentOf(lines.peek())
  if (indent === 0) return undefined
  for (let line = lines.peek(); line !== undefined && line.startsWith(' '); line = lines.peek()) {
    const { 1: key = '', 2: written = '' } = innerField.exec(line) ?? []
    const scalar = readScalar(written)
    if (scalar === undefined || indentOf(line) !== indent || !isNewKey(key, mapping)) return undefined
    mapping[key] = scalar
    lines.next()
  }
  return mapping
}

/** A literal block; its first line says how far it is indented. */
function readBlock(lines: Lines, isStripped: boolean): string | undefined {
  const raw = lines.takeWhile((line) => line === '' || line.startsWith(' '))
  const indent = indentOf(raw[0])
  if (indent === 0) return undefined
  const content: string[] = []
  for (const line of raw) {
    const isBlank = /^ *$/.test(line)
    // Further than the block, or less far than it: the parser knows what that means.
    if (isBlank ? line.length > indent : indentOf(line) < indent) return undefined
    content.push(line.slice(indent))
  }
  while (content.at(-1) === '') content.pop()
  return content.join('\n') + (isStripped ? '' : '\n')
}

/** 0 for a line without content. */
function indentOf(line = ''): number {
  return Math.max(line.search(/[^ ]/), 0)
}

/** The lines of a text; blank ones and those of a comment only count inside of blocks. */
class Lines {
  readonly #lines: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  peek(): string | undefined {
    while (this.#at < this.#lines.length && /^ *(?:#|$)/.test(this.#lines[this.#at] ?? '')) this.#at++
    return this.#lines[this.#at]
  }

  next(): string | undefined {
    const line = this.peek()
    this.#at++
    return line
  }

  takeWhile(test: (line: string) => boolean): readonly string[] {
    const start = this.#at
    while (this.#at < this.#lines.length && test(this.#lines[this.#at] ?? '')) this.#at++
    return this.#lines.slice(start, this.#at)
  }
}
