/**
 * The JSON of one element whose type is known, from what translate.ts has collected of it, and the attributes of such an
 * element. Names are without prefixes, lists are lists, texts have their types, nil is null. What the type does not list is
 * kept by the plain rules, under its name as written, so that nothing of an answer is lost.
 */
import { trimBlank } from './leaf.ts'
import { type Json, joinJson } from './json-text.ts'
import type { LongText } from './long-text.ts'
import { joinMembers, Members } from './members.ts'
import type { Member, Shape } from './shape.ts'
import { toTypedValue } from './typed-value.ts'

/** Of one element: as the parser gives them, and those that are too many for it. */
export interface Attributes {
  readonly few: Readonly<Record<string, string>>
  readonly more: ReadonlyMap<string, string> | undefined
  /** The JSON of `more`, where no type says otherwise. */
  readonly members?: Json | undefined
}

function* entriesOf({ few, more }: Attributes): Generator<readonly [string, string]> {
  // The parser's object has no prototype.
  for (const name in few) yield [name, few[name] as string]
  if (more !== undefined) yield* more
}

/** Prefixes that mean the namespace of `nil` and `type`, at one element. */
export type InstancePrefixes = ReadonlySet<string>

export const noPrefixes: InstancePrefixes = new Set()

const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

export function prefixesAt(attributes: Attributes, outer: InstancePrefixes): InstancePrefixes {
  let prefixes = outer
  for (const [name, value] of entriesOf(attributes)) {
    if (!name.startsWith('xmlns:')) continue
    const prefix = name.slice('xmlns:'.length)
    const isInstance = value === instanceNamespace
    if (isInstance === prefixes.has(prefix)) continue
    const changed = new Set(prefixes)
    if (isInstance) changed.add(prefix)
    else changed.delete(prefix)
    prefixes = changed
  }
  return prefixes
}

/** The member that an element is, by its local name. */
export function memberOf(parent: Member | undefined, name: string): Member | undefined {
  const members = parent?.shape.members
  return members === undefined || members.size === 0 ? undefined : members.get(localName(name))
}

/** The member with the type that the element itself names, where that is one of those derived from its own. */
export function withNamedType(member: Member, attributes: Attributes, instance: InstancePrefixes): Member {
  if (member.shape.derived.size === 0) return member
  for (const prefix of instance) {
    const named = attributes.few[`${prefix}:type`] ?? attributes.more?.get(`${prefix}:type`)
    const shape = named === undefined ? undefined : member.shape.derived.get(localName(trimBlank(named)))
    if (shape !== undefined) return { ...member, shape }
  }
  return member
}

export interface ReadAttributes {
  /** Members of a JSON object, separated by commas. */
  readonly members: Json
  readonly isNil: boolean
}

/** Declarations of prefixes and what is about the schema are left out. */
export function readAttributes(attributes: Attributes, shape: Shape, instance: InstancePrefixes): ReadAttributes {
  let members: Json = ''
  let isNil = false
  let taken: Set<string> | undefined
  for (const [name, value] of entriesOf(attributes)) {
    if (name === 'xmlns' || name.startsWith('xmlns:')) continue
    const colon = name.indexOf(':')
    if (colon >= 0 && instance.has(name.slice(0, colon))) {
      if (name.slice(colon + 1) === 'nil') isNil = /^(?:true|1)$/.test(trimBlank(value))
      continue
    }
    const local = name.slice(colon + 1)
    const kind = taken?.has(local) ? undefined : shape.attributes.get(local)
    if (kind !== undefined) {
      taken ??= new Set()
      taken.add(local)
    }
    const member =
      kind === undefined ? `"@${name}":${JSON.stringify(value)}` : `"@${local}":${toTypedValue(kind, value)}`
    members = joinMembers(members, member)
  }
  return { members, isNil }
}

/** What has been collected of an element. */
interface Collected {
  readonly attributes: Json
  readonly isNil: boolean
  readonly children: Members | undefined
  readonly text: string
  readonly long: LongText | undefined
}

export function toShapedValue(shape: Shape, { attributes, isNil, children, text, long }: Collected): Json {
  if (isNil) return 'null'
  if (shape.kind === 'value' && shape.text !== undefined && attributes === '' && children === undefined) {
    return long?.toJson() ?? toTypedValue(shape.text, text)
  }
  let members = attributes
  const held = withLists(shape.lists, children)
  if (held !== undefined) members = joinMembers(members, held.toJson())
  if (long !== undefined)
    members =
      long.isBlank && shape.text === undefined ? members : joinMembers(members, joinJson('"#text":', long.toJson()))
  else if (shape.text !== undefined) members = joinMembers(members, `"#text":${toTypedValue(shape.text, text)}`)
  else if (trimBlank(text) !== '') members = joinMembers(members, `"#text":${JSON.stringify(trimBlank(text))}`)
  return typeof members === 'string' ? `{${members}}` : joinJson(joinJson('{', members), '}')
}

/** A list of which nothing came is an empty one. */
function withLists(lists: readonly string[], children: Members | undefined): Members | undefined {
  if (lists.length === 0) return children
  const held = children ?? new Members()
  for (const name of lists) held.addList(name)
  return held
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
