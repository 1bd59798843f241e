/**
 * The JSON of one element whose type is known, from what frame.ts has collected of it, and the attributes of such an
 * element. Names are without prefixes, lists are lists, texts have their types, nil is null. What the type does not
 * list is kept by the plain rules, under its name as written, so that nothing of a response is lost. Also which
 * prefixes mean one namespace at some place, for `xsi:nil` and `xsi:type` here and for inclusions.ts.
 */
import { trimBlank } from './leaf.ts'
import { type Json, joinJson, quote } from './json-text.ts'
import type { CollectedText } from './long-text.ts'
import { addAttribute, joinMembers, Members } from './members.ts'
import type { Member, Shape } from './shape.ts'
import { toTypedValue } from './typed-value.ts'

/** Of one element: as the parser gives them, and those that are too many for it. */
export interface Attributes {
  readonly few: Readonly<Record<string, string>>
  readonly more: ReadonlyMap<string, string> | undefined
  /** The JSON of `more`, where no type says otherwise. */
  readonly members?: Json | undefined
  /** The JSON of long values among `more`, as texts. */
  readonly escaped?: ReadonlyMap<string, Json> | undefined
}

/** Those of an element that has too many for the parser, while they are collected. */
export interface ManyAttributes extends Attributes {
  readonly more: Map<string, string>
  members: Json | undefined
  escaped: Map<string, Json> | undefined
}

export function valueOf(name: string, { few, more }: Attributes): string | undefined {
  return few[name] ?? more?.get(name)
}

function* entriesOf({ few, more }: Attributes): Generator<readonly [string, string]> {
  // The parser's object has no prototype.
  for (const name in few) yield [name, few[name] as string]
  if (more !== undefined) yield* more
}

/** Prefixes that mean one namespace, for the elements that are open. */
export class NamespacePrefixes {
  readonly #namespace: string
  /** As attributes declare them: the hash of such a text is known already, and there may be a hundred thousand. */
  readonly #declarations = new Set<string>()
  /** Declarations of the element that opens next which change something. */
  #taken: string[] | undefined

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  has(prefix: string): boolean {
    return this.#declarations.size > 0 && this.#declarations.has(`xmlns:${prefix}`)
  }

  /** An attribute of the element that opens next, where it has too many for one step. */
  take(name: string, value: string): void {
    if (this.#changes(name, value)) (this.#taken ??= []).push(name)
  }

  /** An element opens; its `more` have been taken. Gives the declarations that change something inside, for `leave`. */
  enter({ few }: Attributes): readonly string[] {
    for (const name in few) this.take(name, few[name] as string)
    const changed = this.#taken ?? none
    this.#taken = undefined
    return changed
  }

  leave(changed: readonly string[]): void {
    for (const name of changed) if (!this.#declarations.delete(name)) this.#declarations.add(name)
  }

  /** Declares a prefix, if that is what the attribute does; whether that changes anything. */
  #changes(name: string, value: string): boolean {
    if (!name.startsWith('xmlns:')) return false
    if (value !== this.#namespace) return this.#declarations.delete(name)
    const before = this.#declarations.size
    return this.#declarations.add(name).size > before
  }
}

const none: readonly string[] = []

const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

/** Those of the namespace of `nil` and `type`. */
export class InstancePrefixes extends NamespacePrefixes {
  constructor() {
    super(instanceNamespace)
  }
}

/** The member that an element is, by its local name. */
export function memberOf(parent: Member | undefined, name: string): Member | undefined {
  const members = parent?.shape.members
  return members === undefined || members.size === 0 ? undefined : members.get(localName(name))
}

/** The member with the type that the element itself names, where that is one of those derived from its own. */
export function withNamedType(member: Member, attributes: Attributes, instance: InstancePrefixes): Member {
  if (member.shape.derived.size === 0) return member
  for (const [name, value] of entriesOf(attributes)) {
    if (!name.endsWith(':type') || !instance.has(name.slice(0, -':type'.length))) continue
    const shape = member.shape.derived.get(localName(trimBlank(value)))
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
  const read: Reading = { members: '', isNil: false, taken: undefined, shape, instance }
  const { few, more, escaped } = attributes
  // The parser's object has no prototype.
  for (const name in few) readAttribute(read, name, few[name] as string)
  if (more !== undefined) for (const [name, value] of more) readAttribute(read, name, value, escaped?.get(name))
  return read
}

interface Reading {
  members: Json
  isNil: boolean
  /** Local names that have had their type. */
  taken: Set<string> | undefined
  readonly shape: Shape
  readonly instance: InstancePrefixes
}

/** `json` is that of the value as a text, where it is made already. */
function readAttribute(read: Reading, name: string, value: string, json?: Json): void {
  if (name === 'xmlns' || name.startsWith('xmlns:')) return
  const colon = name.indexOf(':')
  if (colon >= 0 && read.instance.has(name.slice(0, colon))) {
    if (name.slice(colon + 1) === 'nil') read.isNil = /^(?:true|1)$/.test(trimBlank(value))
    return
  }
  const local = name.slice(colon + 1)
  const kind = read.taken?.has(local) ? undefined : read.shape.attributes.get(local)
  if (kind === undefined) {
    read.members = addAttribute(read.members, name, json ?? quote(value))
    return
  }
  read.taken ??= new Set()
  read.taken.add(local)
  read.members = addAttribute(read.members, local, toTypedValue(kind, value))
}

/** What has been collected of an element. */
interface Collected {
  readonly attributes: Json
  readonly isNil: boolean
  readonly children: Members | undefined
  readonly text: string
  readonly long: CollectedText | undefined
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
