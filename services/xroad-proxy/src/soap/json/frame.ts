/**
 * An element that is open: what is known about it, what has been collected, and its JSON once it ends. reader.ts
 * owns the order of elements; if the type of an element is known, schema-response.ts makes its value.
 */
import type { Fault } from '../../model.ts'
import type { Role } from './envelope-roles.ts'
import { type Json, joinJson, quote } from './json-text.ts'
import { toLeaf } from './leaf.ts'
import { type CollectedText, newLongText, shortText } from './long-text.ts'
import { addAttribute, joinMembers, Members } from './members.ts'
import {
  type Attributes,
  type InstancePrefixes,
  memberOf,
  readAttributes,
  toShapedValue,
  valueOf,
  withNamedType,
} from './schema-response.ts'
import type { Member } from './shape.ts'

/** As `Translation`, but a long text may come in pieces. */
export interface Translated {
  readonly body: Json
  readonly headers: Json
  readonly fault: Fault | undefined
  /** By which X-Road knows the message, if its header says so. */
  readonly messageId?: string | undefined
  readonly attachments?: Json
}

/** What is known of an element when it opens. */
interface Opening {
  readonly name: string
  readonly role: Role | undefined
  /** Members of a JSON object, separated by commas. */
  readonly attributes: Json
  /** Value of `xml:lang`, where a fault may have one. */
  readonly language: string | undefined
  /** What the schema says of it, where there is one. */
  readonly member: Member | undefined
  readonly isNil: boolean
  /** Prefixes that it has declared, to be taken back at its end. */
  readonly prefixes: readonly string[] | undefined
}

/** An element that is open. */
export interface Frame extends Opening {
  children: Members | undefined
  text: string
  /** Instead of `text`, once that is long. */
  long: CollectedText | undefined
}

export function addText(frame: Frame, run: string): void {
  if (frame.long !== undefined) {
    frame.long.add(run)
    return
  }
  if (isToldByFault(frame.role)) {
    if (frame.text.length < toldText) frame.text += run
    return
  }
  frame.text += run
  if (frame.text.length < shortText) return
  frame.long = newLongText(frame.member?.shape)
  if (frame.long === undefined) return
  frame.long.add(frame.text)
  frame.text = ''
}

/** More than any reply or log line holds of one part of a fault, so that a cut is visible. */
const toldText = 128 * 1024

/** A fault tells the text itself, not its JSON. */
function isToldByFault(role: Role | undefined): boolean {
  return role === 'fault code' || role === 'fault string' || role === 'fault text'
}

/** Where an element opens. */
interface FrameContext {
  /** What the Body holds, where that is known. */
  readonly body: Member | undefined
  readonly parent: Frame | undefined
  readonly instance: InstancePrefixes
}

export function toFrame(
  name: string,
  role: Role | undefined,
  attributes: Attributes,
  { body, parent, instance }: FrameContext,
): Frame {
  const language = role === 'fault text' ? valueOf('xml:lang', attributes) : undefined
  if (body === undefined) {
    const members = toMembers(attributes)
    return opened({ name, role, language, member: undefined, isNil: false, prefixes: undefined, attributes: members })
  }
  const prefixes = instance.enter(attributes)
  const declared = findMember(name, role, body, parent)
  const member = declared === undefined ? undefined : withNamedType(declared, attributes, instance)
  if (member === undefined || member.shape.kind === 'plain')
    return opened({ name, role, language, member, isNil: false, prefixes, attributes: toMembers(attributes) })
  const { members, isNil } = readAttributes(attributes, member.shape, instance)
  return opened({ name, role, language, member, isNil, prefixes, attributes: members })
}

/** One object of one form for every element. Measured: with a spread the whole translation takes an eighth more. */
function opened({ name, role, attributes, language, member, isNil, prefixes }: Opening): Frame {
  return { name, role, attributes, language, member, isNil, prefixes, children: undefined, text: '', long: undefined }
}

/** Without an Envelope the document is what the Body would hold. */
function findMember(name: string, role: Role | undefined, body: Member, parent: Frame | undefined): Member | undefined {
  if (role === 'body') return body
  if (role !== undefined) return undefined
  return memberOf(parent === undefined ? body : parent.member, name)
}

/** White space at the start counts. */
export function isVerbatim({ member }: Frame): boolean {
  return member !== undefined && (member.shape.text === 'preserved' || member.shape.text === 'replaced')
}

export function toFrameValue(frame: Frame, text: string): Json {
  const shape = frame.member?.shape
  return shape === undefined || shape.kind === 'plain' ? toValue(frame, text) : toShapedValue(shape, frame)
}

/** `"@a":"1","@b":"2"`, or nothing. */
function toMembers(attributes: Attributes): Json {
  if (attributes.members !== undefined) return attributes.members
  let members: Json = ''
  // The parser's object has no prototype.
  for (const name in attributes.few) members = addAttribute(members, name, quote(attributes.few[name] as string))
  if (attributes.more !== undefined) {
    for (const [name, value] of attributes.more)
      members = addAttribute(members, name, attributes.escaped?.get(name) ?? quote(value))
  }
  return members
}

function toValue({ attributes, children, long }: Frame, text: string): Json {
  if (children === undefined && attributes === '') return long?.toJson() ?? toLeaf(text)
  let members = attributes
  if (children !== undefined) members = joinMembers(members, children.toJson())
  if (long !== undefined && !long.isBlank) members = joinMembers(members, joinJson('"#text":', long.toJson()))
  else if (text !== '') members = joinMembers(members, `"#text":${JSON.stringify(text)}`)
  return typeof members === 'string' ? `{${members}}` : joinJson(joinJson('{', members), '}')
}

/** Header and Body count by their local names; whatever else is in an Envelope is not part of the response. */
export function addChild(parent: Frame, { name, role, member }: Frame, value: Json): void {
  if (parent.role === 'envelope' && role === undefined) return
  parent.children ??= new Members()
  if (role === 'header' || role === 'body') parent.children.add(role, value)
  else if (member?.isList) parent.children.addItem(member.name, value)
  else parent.children.add(member?.name ?? name, value)
}

export function toTranslation({ name, role, member, children }: Frame, value: Json): Translated {
  if (role !== 'envelope') {
    const body = joinJson(joinJson(`{"${member?.name ?? name}":`, value), '}')
    return { body, headers: 'null', fault: undefined }
  }
  return { body: children?.get('body') ?? 'null', headers: children?.get('header') ?? 'null', fault: undefined }
}
