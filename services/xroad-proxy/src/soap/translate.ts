/**
 * XML text in, JSON texts of a SOAP answer out, in one pass: while an element is open, the JSON of what it holds so far is
 * kept as text; no tree is built of either side. Also the two caps on what is read, and the one error of this folder.
 *
 * What a text becomes is leaf.ts, how members of an object are put together members.ts, what is a fault envelope.ts. Where
 * the type of an element is known, its value is made by schema-answer.ts.
 * Where the bytes come from and in which charset they are is not known here: the text must hold whole surrogate pairs.
 */
import { SaxesParser } from 'saxes'
import type { Translation } from '../model.ts'
import { type FaultParts, readFaultPart, type Role, roleOf, toFault } from './envelope.ts'
import { isBlank, toLeaf, trimBlank } from './leaf.ts'
import { joinMembers, Members } from './members.ts'
import { memberOf, noPrefixes, prefixesAt, readAttributes, toShapedValue, withNamedType } from './schema-answer.ts'
import type { InstancePrefixes } from './schema-answer.ts'
import type { Member } from './shape.ts'

/** Levels of elements, the root being the first. */
export const maxDepth = 128

/** Tags, texts, CDATA sections, comments, processing instructions and the declaration of one document. */
export const maxEvents = 100_000

/** Characters that are read in one step; some milliseconds of work, unless they are one tag of a thousand attributes. */
const stepCharacters = 256 * 1024

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

/** An element that is open. */
interface Frame {
  readonly name: string
  readonly role: Role | undefined
  /** Members of a JSON object, separated by commas. */
  readonly attributes: string
  /** Value of `xml:lang`, where a fault may have one. */
  readonly language: string | undefined
  /** What the schema says of it, where there is one. */
  readonly member: Member | undefined
  readonly isNil: boolean
  readonly prefixes: InstancePrefixes
  children: Members | undefined
  text: string
}

const byteOrderMark = '\ufeff'
const declaration = /^<\?xml[\t\n\r ]/
const maxReasonLength = 100

const defaultLimits: Limits = { depth: maxDepth, events: maxEvents }

/** `body` says what the Body holds; without it everything is translated by the plain rules. */
export function translate(xml: string, limits: Limits = defaultLimits, body?: Member): Translation {
  return finish(translateInSteps(xml, { limits, body }))
}

interface StepOptions {
  readonly limits?: Limits
  readonly body?: Member | undefined
  readonly characters?: number
}

/** The same for a text that may be long, so that others get their turn meanwhile. */
export function* translateInSteps(
  xml: string,
  { limits = defaultLimits, body, characters = stepCharacters }: StepOptions = {},
): Steps<Translation> {
  const parser = new SaxesParser({ xmlns: false, position: false, defaultXMLVersion: '1.0', forceXMLVersion: true })
  const open: Frame[] = []
  const fault: FaultParts = {}
  let top: Frame | undefined
  let translation: Translation | undefined
  let events = 0

  const refuse = (reason: string): never => {
    throw new XmlError(`${parser.line}:${parser.column}: ${reason}`)
  }
  const count = (): void => {
    events += 1
    if (events > limits.events) refuse(`more than ${limits.events} parse events`)
  }

  // Seven handlers are the most: the engine keeps an object with more of them in a form that reads seven times slower.
  parser.on('opentag', ({ name, attributes }) => {
    count()
    if (open.length === limits.depth) refuse(`more than ${limits.depth} levels of elements`)
    const role = roleOf(name, top === undefined ? 'document' : top.role)
    top = toFrame(name, role, attributes, body, top)
    open.push(top)
  })
  parser.on('text', (run) => {
    if (!isBlank(run)) count()
    // White space at the start is not kept: it would be trimmed anyway, and most of it is the layout between elements.
    else if (top?.text === '' && !isVerbatim(top)) return
    if (top !== undefined) top.text += run
  })
  parser.on('cdata', (run) => {
    count()
    if (top !== undefined) top.text += run
  })
  parser.on('closetag', ({ isSelfClosing }) => {
    if (!isSelfClosing) count()
    const frame = open.pop()
    if (frame === undefined) return
    const text = trimBlank(frame.text)
    if (frame.isNil && (text !== '' || frame.children !== undefined)) refuse('an element that is nil has content')
    const value = toFrameValue(frame, text)
    if (frame.role !== undefined) readFaultPart(fault, { role: frame.role, text, value, language: frame.language })
    top = open.at(-1)
    if (top === undefined) translation = toTranslation(frame, value)
    else addChild(top, frame, value)
  })
  parser.on('comment', count)
  parser.on('processinginstruction', ({ target, body }) => {
    count()
    // `<?a?b?>`: the parser lets a target end at a question mark.
    const isBroken = body.startsWith('?') && xml.endsWith(`<?${target}${body}?>`, parser.position)
    if (isBroken) refuse('no white space after the target of a processing instruction')
  })
  parser.on('doctype', () => refuse('a DOCTYPE is not accepted'))

  // The parser would skip a second mark like the first one.
  if (xml.startsWith(byteOrderMark)) refuse('a byte-order mark inside the document')
  if (declaration.test(xml)) count()
  try {
    for (let at = 0; at < xml.length; at += characters) {
      if (at > 0) yield
      parser.write(xml.slice(at, at + characters))
    }
    parser.close()
  } catch (error) {
    if (error instanceof XmlError || !(error instanceof Error)) throw error
    // The parser asks a regular expression about the name of an entity, and that one has a stack to overflow.
    refuse(error instanceof RangeError ? 'a name is too long' : toReason(error.message))
  }
  return { ...(translation ?? refuse('no root element')), fault: toFault(fault) }
}

function toFrame(
  name: string,
  role: Role | undefined,
  attributes: Readonly<Record<string, string>>,
  body: Member | undefined,
  parent: Frame | undefined,
): Frame {
  const language = role === 'fault text' ? attributes['xml:lang'] : undefined
  const empty = { children: undefined, text: '' }
  if (body === undefined) {
    const members = toMembers(attributes)
    return {
      name,
      role,
      language,
      member: undefined,
      isNil: false,
      prefixes: noPrefixes,
      attributes: members,
      ...empty,
    }
  }
  const prefixes = prefixesAt(attributes, parent?.prefixes ?? noPrefixes)
  const declared = findMember(name, role, body, parent)
  const member = declared === undefined ? undefined : withNamedType(declared, attributes, prefixes)
  if (member === undefined || member.shape.kind === 'plain')
    return { name, role, language, member, isNil: false, prefixes, attributes: toMembers(attributes), ...empty }
  const { members, isNil } = readAttributes(attributes, member.shape, prefixes)
  return { name, role, language, member, isNil, prefixes, attributes: members, ...empty }
}

/** Without an Envelope the document is what the Body would hold. */
function findMember(name: string, role: Role | undefined, body: Member, parent: Frame | undefined): Member | undefined {
  if (role === 'body') return body
  if (role !== undefined) return undefined
  return memberOf(parent === undefined ? body : parent.member, name)
}

/** White space at the start counts. */
function isVerbatim({ member }: Frame): boolean {
  return member !== undefined && (member.shape.text === 'preserved' || member.shape.text === 'replaced')
}

function toFrameValue(frame: Frame, text: string): string {
  const shape = frame.member?.shape
  return shape === undefined || shape.kind === 'plain' ? toValue(frame, text) : toShapedValue(shape, frame)
}

/** `"@a":"1","@b":"2"`, or nothing. */
function toMembers(attributes: Readonly<Record<string, string>>): string {
  let members = ''
  // The parser's object has no prototype.
  for (const name in attributes) {
    members = joinMembers(members, `"@${name}":${JSON.stringify(attributes[name])}`)
  }
  return members
}

function toValue({ attributes, children }: Frame, text: string): string {
  if (children === undefined && attributes === '') return toLeaf(text)
  let members = attributes
  if (children !== undefined) members = joinMembers(members, children.toJson())
  if (text !== '') members = joinMembers(members, `"#text":${JSON.stringify(text)}`)
  return `{${members}}`
}

/** Header and Body count by their local names; whatever else stands in an Envelope is not part of the answer. */
function addChild(parent: Frame, { name, role, member }: Frame, value: string): void {
  if (parent.role === 'envelope' && role === undefined) return
  parent.children ??= new Members()
  if (role === 'header' || role === 'body') parent.children.add(role, value)
  else if (member?.isList) parent.children.addItem(member.name, value)
  else parent.children.add(member?.name ?? name, value)
}

function toTranslation({ name, role, member, children }: Frame, value: string): Translation {
  if (role !== 'envelope') return { body: `{"${member?.name ?? name}":${value}}`, headers: 'null', fault: undefined }
  return { body: children?.get('body') ?? 'null', headers: children?.get('header') ?? 'null', fault: undefined }
}

/** The parser names elements and attributes after a colon. */
function toReason(message: string): string {
  const [kind = ''] = message.split(':', 1)
  return kind.replace(/\.$/, '').slice(0, maxReasonLength)
}
