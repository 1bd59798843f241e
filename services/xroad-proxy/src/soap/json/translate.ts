/**
 * XML text in, JSON texts of a SOAP answer out, in one pass: while an element is open, the JSON of what it holds so far is
 * kept as text; no tree is built of either side. Also the two caps on what is read, and the one error of this folder.
 *
 * An open element is frame.ts, what a text becomes leaf.ts and long-text.ts, how members of an object are put together
 * members.ts, what is a fault envelope.ts.
 * Where the bytes come from and in which charset they are is not known here: each piece must hold whole surrogate pairs.
 */
import { SaxesParser } from 'saxes'
import type { Translation } from '../../model.ts'
import { type FaultParts, readFaultPart, roleOf, toFault } from './envelope.ts'
import {
  addAttribute,
  addChild,
  addText,
  type Frame,
  isVerbatim,
  toFrame,
  toFrameValue,
  toTranslation,
  type Translated,
} from './frame.ts'
import { addEscaped, type Json, LongJson, quote } from './json-text.ts'
import { isBlank, trimBlank } from './leaf.ts'
import { shortText } from './long-text.ts'
import type { Attributes } from './schema-answer.ts'
import type { Member } from './shape.ts'

/** Levels of elements, the root being the first. */
export const maxDepth = 128

/** Tags, attributes, texts, CDATA sections, comments, processing instructions and the declaration of one document. */
export const maxEvents = 100_000

/** Characters that are read in one step; some milliseconds of work. */
export const stepCharacters = 128 * 1024

/** Attributes of one element that are left to the parser, which looks at all of them in one step. */
const fewAttributes = 256

export interface Limits {
  readonly depth: number
  readonly events: number
}

/** Work that may pause where it yields, and gives its result in the end. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Does all of it at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** An answer that cannot be read. The message says where and why, and quotes nothing of it. */
export class XmlError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'XmlError'
  }
}

const byteOrderMark = '\ufeff'
const declaration = /^<\?xml[\t\n\r ]/
const maxReasonLength = 100

const defaultLimits: Limits = { depth: maxDepth, events: maxEvents }

/** `body` says what the Body holds; without it everything is translated by the plain rules. */
export function translate(xml: string, limits: Limits = defaultLimits, body?: Member): Translation {
  return toWhole(finish(translateInSteps(xml, { limits, body })))
}

/** With each text in one piece. */
export function toWhole({ body, headers, fault, attachments }: Translated): Translation {
  const whole = { body: String(body), headers: String(headers), fault }
  return attachments === undefined ? whole : { ...whole, attachments: String(attachments) }
}

interface StepOptions {
  readonly limits?: Limits
  readonly body?: Member | undefined
  readonly characters?: number
}

/** The same for a text that may be long, or comes in pieces, so that others get their turn meanwhile. */
export function* translateInSteps(
  xml: string | Iterable<string>,
  { limits = defaultLimits, body, characters = stepCharacters }: StepOptions = {},
): Steps<Translated> {
  const reader = new Reader(limits, body)
  let isFirst = true
  for (const piece of typeof xml === 'string' ? slices(xml, characters) : xml) {
    if (!isFirst) yield
    reader.read(piece, isFirst)
    isFirst = false
  }
  return reader.end()
}

function* slices(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

/** What the parser collects until its event comes, however long that takes. */
interface Collecting {
  text: string
  entity: string
  readonly state: number
  readonly entityReturnState: number | undefined
  readonly attribList: Attribute[]
}

function newParser(): SaxesParser<{ xmlns: false; position: false }> {
  return new SaxesParser({ xmlns: false, position: false, defaultXMLVersion: '1.0', forceXMLVersion: true })
}

function stateIn(start: string): number {
  return (newParser().write(start) as unknown as Collecting).state
}

const inText = stateIn('<a>x')
const inEntity = stateIn('<a>&')
const inAttribute = stateIn('<a b="x')
const inData: ReadonlySet<number> = new Set(['<a><![CDATA[x', '<a><![CDATA[x]', '<a><![CDATA[x]]'].map(stateIn))
const inInstruction: ReadonlySet<number> = new Set(['<a><?p x', '<a><?p x?'].map(stateIn))
const inComment: ReadonlySet<number> = new Set(['<!--x', '<!--x-'].map(stateIn))
const inDoctype: ReadonlySet<number> = new Set(
  ['', ' "x', '[', '["x', '[<', '[<!', '[<!--', '[<!---', '[<!----', '[<?', '[<??'].map((rest) =>
    stateIn(`<!DOCTYPE a ${rest}`),
  ),
)

class Reader {
  readonly #limits: Limits
  readonly #body: Member | undefined
  readonly #parser = newParser()
  readonly #open: Frame[] = []
  readonly #fault: FaultParts = {}
  #top: Frame | undefined
  #translated: Translated | undefined
  #events = 0
  /** Whether the text that is being read has been counted: it may come in pieces. */
  #isCounted = false
  #fewLeft = fewAttributes
  /** The attributes of an element that has too many of them for the parser. */
  #more: ManyAttributes | undefined
  /** What the value of an attribute, or a processing instruction, began with in earlier pieces. */
  #begun = ''
  #escaped: LongJson | undefined
  /** The pieces since the last event, and where the first of them begins. */
  readonly #recent: string[] = []
  #start = 0

  constructor(limits: Limits, body: Member | undefined) {
    this.#limits = limits
    this.#body = body
    const parser = this.#parser
    parser.on('opentag', ({ name, attributes }) => this.#opened(name, attributes))
    parser.on('text', (run) => this.#hear(run))
    parser.on('cdata', (run) => this.#hearData(run))
    parser.on('closetag', ({ isSelfClosing }) => this.#closed(isSelfClosing))
    parser.on('processinginstruction', ({ target, body: rest }) => this.#instructed(target, rest))
    // A comment and a doctype have nothing to say but that they are there. Set by name: one handler more by `on`, and the
    // engine keeps the parser in a form that reads seven times slower.
    const others = parser as unknown as Record<'commentHandler' | 'doctypeHandler' | 'attributeHandler', unknown>
    others.commentHandler = () => this.#count()
    others.doctypeHandler = () => this.#refuse('a DOCTYPE is not accepted')
    others.attributeHandler = (attribute: Attribute) => this.#attributed(attribute)
  }

  read(piece: string, isFirst: boolean): void {
    if (isFirst) {
      // The parser would skip a second mark like the first one.
      if (piece.startsWith(byteOrderMark)) this.#refuse('a byte-order mark inside the document')
      if (declaration.test(piece)) this.#count()
    } else this.#take()
    this.#recent.push(piece)
    try {
      this.#parser.write(piece)
    } catch (error) {
      this.#explain(error)
    }
  }

  end(): Translated {
    try {
      this.#parser.close()
    } catch (error) {
      this.#explain(error)
    }
    const translated = this.#translated ?? this.#refuse('no root element')
    return { ...translated, fault: toFault(this.#fault) }
  }

  #refuse(reason: string): never {
    throw new XmlError(`${this.#parser.line}:${this.#parser.column}: ${reason}`)
  }

  #explain(error: unknown): never {
    if (error instanceof XmlError || !(error instanceof Error)) throw error
    // The parser asks a regular expression about the name of an entity, and that one has a stack to overflow.
    return this.#refuse(error instanceof RangeError ? 'a name is too long' : toReason(error.message))
  }

  #count(): void {
    this.#events += 1
    this.#isCounted = false
    if (this.#events > this.#limits.events) this.#refuse(`more than ${this.#limits.events} parse events`)
    if (this.#recent.length === 1) return
    for (const piece of this.#recent.splice(0, this.#recent.length - 1)) this.#start += piece.length
  }

  /** Between two pieces: what the parser has collected is made use of now, not all of it in one step at its end. */
  #take(): void {
    const parser = this.#parser as unknown as Collecting
    if (parser.entity.length > stepCharacters && !parser.entity.startsWith('#')) this.#refuse('undefined entity')
    const state = parser.state === inEntity ? (parser.entityReturnState as number) : parser.state
    if (inDoctype.has(state)) this.#refuse('a DOCTYPE is not accepted')
    const { text } = parser
    if (text === '') return
    parser.text = ''
    if (state === inText) this.#hear(text)
    else if (inData.has(state)) this.#add(text)
    else if (state === inAttribute) this.#takeValue(flat(text))
    else if (inInstruction.has(state)) this.#begun ||= text.slice(0, 1)
    else if (!inComment.has(state)) parser.text = text
  }

  #opened(name: string, few: Readonly<Record<string, string>>): void {
    this.#count()
    if (this.#open.length === this.#limits.depth) this.#refuse(`more than ${this.#limits.depth} levels of elements`)
    const role = roleOf(name, this.#top === undefined ? 'document' : this.#top.role)
    this.#top = toFrame(name, role, this.#more ?? { few, more: undefined }, this.#body, this.#top)
    this.#more = undefined
    this.#fewLeft = fewAttributes
    this.#open.push(this.#top)
  }

  #attributed(attribute: Attribute): void {
    this.#count()
    const escaped = this.#endValue(attribute)
    this.#fewLeft -= 1
    if (this.#fewLeft >= 0 && escaped === undefined && this.#more === undefined) return
    const many = (this.#more ??= { few: {}, more: new Map(), members: undefined })
    for (const { name, value } of (this.#parser as unknown as Collecting).attribList.splice(0)) {
      if (many.more.has(name)) this.#refuse('duplicate attribute')
      many.more.set(name, value)
      // With types the JSON depends on that of the element, which is known at the end of its tag.
      if (this.#body !== undefined) continue
      const isLong = escaped !== undefined && name === attribute.name
      many.members = addAttribute(many.members ?? '', name, isLong ? escaped : quote(value))
    }
  }

  #takeValue(text: string): void {
    this.#begun += text
    if (this.#body !== undefined) return
    if (this.#escaped !== undefined) addEscaped(this.#escaped, text)
    else if (this.#begun.length >= shortText) this.#escaped = addEscaped(new LongJson().add('"'), this.#begun)
  }

  /** A value that came in pieces, whole; its JSON, where that is made already. */
  #endValue(attribute: Attribute): LongJson | undefined {
    if (this.#begun === '') return undefined
    const escaped = this.#escaped && addEscaped(this.#escaped, attribute.value).add('"')
    attribute.value = this.#begun + attribute.value
    this.#begun = ''
    this.#escaped = undefined
    return escaped
  }

  #hear(run: string): void {
    const top = this.#top
    if (!isBlank(run)) {
      if (!this.#isCounted) this.#count()
      this.#isCounted = true
    }
    // White space at the start is not kept: it would be trimmed anyway, and most of it is the layout between elements.
    else if (top?.text === '' && top.long === undefined && !isVerbatim(top)) return
    if (top !== undefined) addText(top, run)
  }

  #hearData(run: string): void {
    this.#count()
    this.#add(run)
  }

  #add(run: string): void {
    if (this.#top !== undefined) addText(this.#top, run)
  }

  #closed(isSelfClosing: boolean): void {
    if (!isSelfClosing) this.#count()
    const frame = this.#open.pop()
    if (frame === undefined) return
    const text = trimBlank(frame.text)
    const isEmpty = text === '' && frame.long?.isBlank !== false && frame.children === undefined
    if (frame.isNil && !isEmpty) this.#refuse('an element that is nil has content')
    const value = toFrameValue(frame, text)
    const { role, language } = frame
    if (role !== undefined) readFaultPart(this.#fault, { role, text, value, language })
    this.#top = this.#open.at(-1)
    if (this.#top === undefined) this.#translated = toTranslation(frame, value)
    else addChild(this.#top, frame, value)
  }

  #instructed(target: string, rest: string): void {
    const begun = this.#begun
    this.#begun = ''
    // `<?a?b?>`: the parser lets a target end at a question mark.
    const isBroken = (begun || rest).startsWith('?') && this.#isCutAt(target, begun === '' ? rest : undefined)
    this.#count()
    if (isBroken) this.#refuse('no white space after the target of a processing instruction')
  }

  /** Whether the instruction that ends here has a question mark right behind its target. */
  #isCutAt(target: string, body: string | undefined): boolean {
    const recent = this.#recent.join('')
    if (body === undefined) return recent.includes(`<?${target}?`)
    return recent.endsWith(`<?${target}${body}?>`, this.#parser.position - this.#start)
  }
}

interface ManyAttributes extends Attributes {
  readonly more: Map<string, string>
  members: Json | undefined
}

interface Attribute {
  readonly name: string
  value: string
}

/** A text of many parts in one, so that no later step has to do it for all of them. */
function flat(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** The parser names elements and attributes after a colon. */
function toReason(message: string): string {
  const [kind = ''] = message.split(':', 1)
  return kind.replace(/\.$/, '').slice(0, maxReasonLength)
}
