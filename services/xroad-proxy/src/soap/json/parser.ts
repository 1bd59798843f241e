/**
 * The XML parser, and the only file here that knows it: pieces of a document go in, its events go to a listener. Owns
 * which parser a document gets: parsers are reused, because making one, with its handlers, costs as much as reading a
 * short response.
 *
 * The parser collects a text, or the value of an attribute, until its end, however long it is. So that no step handles
 * all of a long one, callers can take what has been collected between two pieces. The parser has no public API for
 * this: `Collecting` names the private fields that are used, and test/unit/responses/steps.test.ts and
 * test/unit/responses/translate.test.ts fail without them.
 */
import { SaxesParser } from 'saxes'

export interface Attribute {
  readonly name: string
  value: string
}

export interface Listener {
  /** The attributes have no prototype. */
  onOpen(name: string, attributes: Readonly<Record<string, string>>): void
  onAttribute(attribute: Attribute): void
  onText(run: string): void
  /** Of a CDATA section. */
  onData(run: string): void
  onClose(isSelfClosing: boolean): void
  onInstruction(target: string, body: string): void
  onComment(): void
  onDeclaration(): void
  onDoctype(): void
}

/** What is being read between two pieces. */
export type Inside = 'text' | 'data' | 'value' | 'instruction' | 'comment' | 'doctype' | 'other'

interface Collecting {
  text: string
  entity: string
  /** Of a tag, an attribute or an end tag. */
  readonly name: string
  readonly piTarget: string
  /** Where it is in the piece. */
  i: number
  readonly state: number
  readonly entityReturnState: number | undefined
  readonly attribList: Attribute[]
}

/** Parsers that are free; at most as many as documents were ever read at the same time. */
const maxSpare = 4
const spare: Parser[] = []

/** A parser for one document. */
export function openParser(listener: Listener): Parser {
  const parser = spare.pop() ?? new Parser()
  parser.listener = listener
  return parser
}

export class Parser {
  listener: Listener = nobody
  readonly #saxes = new AnswerParser(options)

  constructor() {
    const saxes = this.#saxes
    saxes.on('opentag', ({ name, attributes }) => this.listener.onOpen(name, attributes))
    saxes.on('text', (run) => this.listener.onText(run))
    saxes.on('cdata', (run) => this.listener.onData(run))
    saxes.on('closetag', ({ isSelfClosing }) => this.listener.onClose(isSelfClosing))
    saxes.on('processinginstruction', ({ target, body }) => this.listener.onInstruction(target, body))
    saxes.on('comment', () => this.listener.onComment())
    saxes.on('xmldecl', () => this.listener.onDeclaration())
    saxes.on('doctype', () => this.listener.onDoctype())
    saxes.on('attribute', (attribute) => this.listener.onAttribute(attribute))
  }

  /** Throws what the parser, or the listener, throws. The parser cannot be used after that. */
  write(piece: string): void {
    this.#saxes.write(piece)
    // Behind a piece its position would count that piece twice.
    this.#collecting.i = 0
  }

  /** Ends the document and releases the parser. */
  close(): void {
    this.#saxes.close()
    this.listener = nobody
    if (spare.length < maxSpare) spare.push(this)
  }

  /** In characters from the start of the document. */
  get position(): number {
    return this.#saxes.position
  }

  /** `line:column` of where the parser is. */
  get place(): string {
    return `${this.#saxes.line}:${this.#saxes.column}`
  }

  /** Characters of the name of an entity that has no end yet, except for numbers. */
  get entityLength(): number {
    const { entity } = this.#collecting
    return entity.startsWith('#') ? 0 : entity.length
  }

  /** Characters of another name that is being read, or whose value is. */
  get nameLength(): number {
    const { name, piTarget } = this.#collecting
    return Math.max(name.length, piTarget.length)
  }

  get inside(): Inside {
    const { state, entityReturnState } = this.#collecting
    return states.get(state === inEntity ? (entityReturnState as number) : state) ?? 'other'
  }

  /** What has been collected of it since its beginning, or since the last time. */
  takeText(): string {
    const { text } = this.#collecting
    this.#collecting.text = ''
    return text
  }

  /** The attributes of the tag that is being read. */
  takeAttributes(): Attribute[] {
    return this.#collecting.attribList.splice(0)
  }

  get #collecting(): Collecting {
    return this.#saxes as unknown as Collecting
  }
}

const nobody: Listener = {
  onOpen: () => undefined,
  onAttribute: () => undefined,
  onText: () => undefined,
  onData: () => undefined,
  onClose: () => undefined,
  onInstruction: () => undefined,
  onComment: () => undefined,
  onDeclaration: () => undefined,
  onDoctype: () => undefined,
}

const options = { xmlns: false, position: false, defaultXMLVersion: '1.0', forceXMLVersion: true } as const

/**
 * A class of its own, because the engine gives its objects room for all handlers: it keeps others in a form that reads
 * several times slower. It also reads slower once anything in the process has used `xmlns: true`.
 */
class AnswerParser extends SaxesParser<typeof options> {}

function stateIn(start: string): number {
  return (new AnswerParser(options).write(start) as unknown as Collecting).state
}

const inEntity = stateIn('<a>&')

/** The parser's states, found by beginnings of documents: it does not name them. */
const beginnings: Readonly<Record<Exclude<Inside, 'other'>, readonly string[]>> = {
  text: ['<a>x'],
  value: ['<a b="x'],
  data: ['<a><![CDATA[x', '<a><![CDATA[x]', '<a><![CDATA[x]]'],
  instruction: ['<a><?p x', '<a><?p x?'],
  comment: ['<!--x', '<!--x-'],
  doctype: ['', ' "x', '[', '["x', '[<', '[<!', '[<!--', '[<!---', '[<!----', '[<?', '[<??'].map(
    (rest) => `<!DOCTYPE a ${rest}`,
  ),
}

const states: ReadonlyMap<number, Inside> = new Map(
  Object.entries(beginnings).flatMap(([inside, starts]) => starts.map((start) => [stateIn(start), inside as Inside])),
)
