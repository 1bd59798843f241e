/**
 * The events of a document become JSON: the events of the parser come in, the translation goes out at the end. Refuses
 * what is not a response, and counts levels and events.
 *
 * frame.ts owns open elements, leaf.ts and long-text.ts the values of texts, members.ts the members of an object,
 * envelope-roles.ts the parts of a fault.
 */
import { type EnvelopeParts, readPart, roleOf, toFault } from './envelope-roles.ts'
import {
  addChild,
  addText,
  type Frame,
  isVerbatim,
  toFrame,
  toFrameValue,
  toTranslation,
  type Translated,
} from './frame.ts'
import { IncludedText, type Include, Inclusions } from './inclusions.ts'
import { addEscaped, type Json, LongJson, quote } from './json-text.ts'
import { isBlank, trimBlank } from './leaf.ts'
import { shortText } from './long-text.ts'
import { addAttribute } from './members.ts'
import { type Attribute, type Listener, openParser } from './parser.ts'
import { InstancePrefixes, type ManyAttributes } from './schema-response.ts'
import type { Member } from './shape.ts'
import { tellStrayAmpersand, toReason, XmlError } from './xml-error.ts'

export interface Limits {
  /** Levels of elements. */
  readonly depth: number
  readonly events: number
}

/** Attributes of one element that are left to the parser, which looks at all of them in one step. */
const fewAttributes = 256
/** Characters of a name beyond which no more of it is read: what uses a name uses all of it in one step. */
const longName = 128 * 1024
/** Characters before a mistake that are looked at for its cause: those of such a name, and of pieces around it. */
const farBack = 4 * longName

const byteOrderMark = '\ufeff'

/** Of one document. */
export class Reader implements Listener {
  readonly #limits: Limits
  readonly #body: Member | undefined
  readonly #parser = openParser(this)
  readonly #open: Frame[] = []
  readonly #instance = new InstancePrefixes()
  readonly #parts: EnvelopeParts = {}
  readonly #inclusions: Inclusions | undefined
  /** An xop:Include that is open: it is not a value of its own. */
  #included: Frame | undefined
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
  /** The pieces since the last event, where the first of them begins, and where the event ended. */
  readonly #recent: string[] = []
  #start = 0
  #behind = 0

  constructor(limits: Limits, body: Member | undefined, include: Include | undefined) {
    this.#limits = limits
    this.#body = body
    this.#inclusions = include && new Inclusions(include)
  }

  read(piece: string, isFirst: boolean): void {
    if (!isFirst) this.#take()
    // The parser would skip a second mark like the first one.
    else if (piece.startsWith(byteOrderMark)) this.#refuse('a byte-order mark inside the document')
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
    // The parser has refused a document without a root.
    return { ...(this.#translated as Translated), fault: toFault(this.#parts), messageId: this.#parts.messageId }
  }

  #refuse(reason: string): never {
    throw new XmlError(`${this.#parser.place}: ${reason}`)
  }

  #explain(error: unknown): never {
    if (error instanceof XmlError || !(error instanceof Error)) throw error
    this.#explainAmpersand()
    // The parser asks a regular expression about the name of an entity, and that one has a stack to overflow.
    return this.#refuse(error instanceof RangeError ? 'a name is too long' : toReason(error.message))
  }

  /** Refuses for an `&` that the parser took for the beginning of a name. */
  #explainAmpersand(): void {
    const told = tellStrayAmpersand(this.#lastRead(), this.#parser.place)
    if (told !== undefined) throw new XmlError(told)
  }

  /** The characters in front of the parser, at most as many as are looked at. */
  #lastRead(): string {
    const length = this.#recent.reduce((sum, piece) => sum + piece.length, 0)
    const unread = length - (this.#parser.position - this.#start)
    let text = ''
    for (let i = this.#recent.length - 1; i >= 0 && text.length < farBack + unread; i--) text = this.#recent[i] + text
    const end = text.length - unread
    return text.slice(Math.max(0, end - farBack), end)
  }

  #count(): void {
    this.#events++
    this.#isCounted = false
    if (this.#events > this.#limits.events) this.#refuse(`more than ${this.#limits.events} parse events`)
    this.#behind = this.#parser.position
    while (this.#recent.length > 1) this.#start += (this.#recent.shift() as string).length
  }

  /** Between two pieces: what the parser has collected is made use of now, not all of it in one step at its end. */
  #take(): void {
    const parser = this.#parser
    if (parser.entityLength > longName) {
      this.#explainAmpersand()
      this.#refuse('undefined entity')
    }
    if (parser.nameLength > longName) this.#refuse('a name is too long')
    const { inside } = parser
    if (inside === 'doctype') this.onDoctype()
    if (inside === 'other') return
    const text = parser.takeText()
    switch (inside) {
      case 'text':
        return this.#hear(text)
      case 'data':
        return this.#add(text)
      case 'value':
        return this.#takeValue(flat(text))
      case 'comment':
        return
      case 'instruction':
        this.#begun ||= text
    }
  }

  onOpen(name: string, few: Readonly<Record<string, string>>): void {
    this.#count()
    if (this.#open.length === this.#limits.depth) this.#refuse(`more than ${this.#limits.depth} levels of elements`)
    const role = roleOf(name, this.#top === undefined ? 'document' : this.#top.role)
    const attributes = this.#more ?? { few, more: undefined }
    const outer = this.#top
    this.#top = toFrame(name, role, attributes, { body: this.#body, parent: outer, instance: this.#instance })
    if (this.#inclusions !== undefined) this.#includeIn(outer, this.#inclusions.enter(name, attributes), this.#top)
    this.#more = undefined
    this.#fewLeft = fewAttributes
    this.#open.push(this.#top)
  }

  /** The parts of an envelope hold elements, so an xop:Include there is one. */
  #includeIn(outer: Frame | undefined, json: Json | undefined, frame: Frame): void {
    if (outer === undefined || outer.role !== undefined || json === undefined) return
    if (!isBlank(outer.text) || outer.long !== undefined || outer.children !== undefined)
      this.#refuse('an xop:Include beside other content')
    outer.long = new IncludedText(json)
    this.#included = frame
  }

  onAttribute(attribute: Attribute): void {
    this.#count()
    const escaped = this.#endValue(attribute)
    this.#fewLeft--
    if (this.#fewLeft >= 0 && escaped === undefined && this.#more === undefined) return
    const many = (this.#more ??= { few: {}, more: new Map(), members: undefined, escaped: undefined })
    for (const { name, value } of this.#parser.takeAttributes()) {
      if (many.more.has(name)) this.#refuse('duplicate attribute')
      many.more.set(name, value)
      if (this.#body !== undefined) this.#instance.take(name, value)
      this.#inclusions?.take(name, value)
      const isLong = escaped !== undefined && name === attribute.name
      if (this.#body === undefined)
        many.members = addAttribute(many.members ?? '', name, isLong ? escaped : quote(value))
      // With types the JSON depends on that of the element, which is known at the end of its tag.
      else if (isLong) (many.escaped ??= new Map()).set(name, escaped)
    }
  }

  #takeValue(text: string): void {
    this.#begun += text
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

  onText(run: string): void {
    this.#hear(run)
  }

  onComment(): void {
    this.#count()
  }

  onDeclaration(): void {
    this.#count()
  }

  onDoctype(): never {
    return this.#refuse('a DOCTYPE is not accepted')
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

  onData(run: string): void {
    this.#count()
    this.#add(run)
  }

  #add(run: string): void {
    if (this.#top !== undefined) addText(this.#top, run)
  }

  onClose(isSelfClosing: boolean): void {
    if (!isSelfClosing) this.#count()
    // The parser has refused an end without a beginning.
    const frame = this.#open.pop() as Frame
    const text = trimBlank(frame.text)
    const isEmpty = text === '' && frame.long?.isBlank !== false && frame.children === undefined
    if (frame.isNil && !isEmpty) this.#refuse('an element that is nil has content')
    const value = toFrameValue(frame, text)
    const { name, role, attributes, language, prefixes } = frame
    // Behind the root no name is left that has one.
    if (prefixes !== undefined && this.#open.length > 0) this.#instance.leave(prefixes)
    this.#inclusions?.leave()
    if (role !== undefined) readPart(this.#parts, { name, role, attributes, text, value, language }, this.#open)
    this.#top = this.#open.at(-1)
    if (this.#top === undefined) this.#translated = toTranslation(frame, value)
    else if (frame !== this.#included) addChild(this.#top, frame, value)
  }

  onInstruction(target: string, rest: string): void {
    // `<?a?b?>`: the parser lets a target end at a question mark.
    const isBroken = (this.#begun || rest).startsWith('?') && this.#beginsWith(`<?${target}?`)
    this.#begun = ''
    this.#count()
    if (isBroken) this.#refuse('no white space after the target of a processing instruction')
  }

  /** Whether the markup that ends here does. No text has a `<`; an event that a text was may end behind that. */
  #beginsWith(start: string): boolean {
    let from = this.#behind - this.#start - 1
    let markup = ''
    for (const piece of this.#recent) {
      const at = markup === '' ? piece.indexOf('<', from) : 0
      if (at !== -1) markup += piece.slice(at)
      // Not all of a long one.
      if (markup.length >= start.length) break
      from -= piece.length
    }
    return markup.startsWith(start)
  }
}

/** A text of many parts in one, so that no later step has to do it for all of them. */
function flat(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
