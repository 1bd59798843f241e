/**
 * The tree of a request and the names of its parameters -> JSON Schema of the body that a caller sends, and an example of
 * one. Both follow the flat shape of the parameters, not the nesting of the envelope. What fits the schema makes a valid
 * envelope; the words of the WSDL come along.
 */
import { isFlag, isLeaf, isScope, nameParams } from '../request/param-names.ts'
import type { Slot } from '../request/param-names.ts'
import type { RequestAttribute, RequestElement, RequestNode, RequestText } from '../request/request.ts'
import { exampleValue } from './example.ts'
import { fixedValue, toRequestValue } from './request-value.ts'
import { kindOf, orNull, toJson } from './value-schema.ts'
import type { Json, JsonSchema } from './value-schema.ts'
import { toValueWords, toWords } from './words.ts'

export interface RequestSchema {
  readonly schema: JsonSchema
  readonly example: JsonSchema
}

export function describeRequest(root: RequestElement): RequestSchema {
  const { nameOf } = nameParams(root)
  return describeScope(root, nameOf)
}

/** One parameter, before it has a name. */
interface Field {
  readonly slot: Slot
  readonly isOptional: boolean
  /** The innermost branch that it stands in; undefined for one that is always there. */
  readonly branch: Branch | undefined
  readonly schema: (nameOf: Names) => JsonSchema
  readonly example: (nameOf: Names) => Json
}

/** Elements that may be left out together, and what they need once any of them is given. */
interface Branch {
  readonly outer: Branch | undefined
  readonly needed: Slot[]
}

type Names = ReadonlyMap<Slot, string>

/** The object for an element: the params of the request, or an item of a list. */
function describeScope(element: RequestElement, nameOf: Names): RequestSchema {
  if (element.alternatives.length > 0) return describeAlternatives(element, nameOf)
  const fields = collect(element, undefined)
  for (const { slot, isOptional, branch } of fields) if (!isOptional) branch?.needed.push(slot)
  const named = fields.map((field) => ({ name: nameOf.get(field.slot) ?? '', field }))
  const required = named
    .filter(({ field }) => !field.isOptional && field.branch === undefined)
    .map((entry) => entry.name)
  const dependent = dependencies(named, nameOf)
  const schema = {
    type: 'object',
    ...(named.length === 0
      ? {}
      : { properties: Object.fromEntries(named.map((entry) => [entry.name, entry.field.schema(nameOf)])) }),
    ...(required.length === 0 ? {} : { required }),
    ...(dependent.length === 0 ? {} : { dependentRequired: Object.fromEntries(dependent) }),
  }
  return { schema, example: Object.fromEntries(named.map((entry) => [entry.name, entry.field.example(nameOf)])) }
}

/**
 * Whoever gives a value of a branch gives all that the branch cannot do without. The first of these stands for all: the others
 * need it, and it needs them.
 */
function dependencies(
  fields: readonly { readonly name: string; readonly field: Field }[],
  nameOf: Names,
): readonly (readonly [string, readonly string[]])[] {
  return fields.flatMap(({ name, field: { slot, branch } }) => {
    const needed = new Set<Slot>()
    for (let it = branch; it !== undefined; it = it.outer) {
      const [first] = it.needed
      if (first === slot) for (const each of it.needed) needed.add(each)
      else if (first !== undefined) needed.add(first)
    }
    needed.delete(slot)
    return needed.size === 0 ? [] : [[name, Array.from(needed, (field) => nameOf.get(field) ?? '')] as const]
  })
}

/** One of the types that an element may have. */
function describeAlternatives({ alternatives }: RequestElement, nameOf: Names): RequestSchema {
  const described = alternatives.map((alternative) => ({
    name: nameOf.get(alternative) ?? '',
    ...describeScope(alternative, nameOf),
  }))
  const [first] = described
  return {
    schema: {
      oneOf: described.map(({ name, schema }) => ({
        type: 'object',
        properties: { [name]: schema },
        required: [name],
        additionalProperties: false,
      })),
    },
    example: first === undefined ? {} : { [first.name]: first.example },
  }
}

/** The parameters of one element that is there. */
function collect(element: RequestElement, branch: Branch | undefined): readonly Field[] {
  const { text, attributes, children } = element
  const own = text === undefined || text.isConstant ? [] : [textField(element, text, branch)]
  const free = attributes.filter((attribute) => !attribute.isConstant)
  return [
    ...own,
    ...free.map((attribute) => attributeField(attribute, branch)),
    ...children.flatMap((child) => collectNode(child, branch)),
  ]
}

function collectNode(node: RequestNode, outer: Branch | undefined): readonly Field[] {
  if (node.kind === 'group') {
    const branch = toBranch(outer)
    return node.children.flatMap((child) => collectNode(child, branch))
  }
  if (node.isAlwaysNil) return []
  if (node.isRepeating || isScope(node)) return [scopeField(node, outer)]
  if (isFlag(node)) return [flagField(node, outer)]
  // Without any value an optional element is left out, and one that may be nil and holds elements is nil.
  const isBranch = node.isOptional || (node.isNillable && node.text === undefined)
  return collect(node, isBranch ? toBranch(outer) : outer)
}

function textField(element: RequestElement, text: RequestText, branch: Branch | undefined): Field {
  return {
    slot: text,
    isOptional: false,
    branch,
    schema: () => ({ ...valueSchema(text, element.isNillable), ...wordsOf(element), ...defaultOf(text) }),
    example: () => valueExample(text),
  }
}

function attributeField(attribute: RequestAttribute, branch: Branch | undefined): Field {
  return {
    slot: attribute,
    isOptional: !attribute.isRequired,
    branch,
    schema: () => ({
      ...valueSchema(attribute, false),
      ...toWords(attribute.documentation),
      ...defaultOf(attribute),
    }),
    example: () => valueExample(attribute),
  }
}

function flagField(element: RequestElement, branch: Branch | undefined): Field {
  return {
    slot: element,
    isOptional: true,
    branch,
    schema: () => ({ type: 'boolean', ...toWords(element.documentation) }),
    example: () => true,
  }
}

/** A list, or an object with names of its own. */
function scopeField(element: RequestElement, branch: Branch | undefined): Field {
  const { isRepeating, isNillable, isOptional, occurs } = element
  const least = Math.min(isOptional && occurs.min <= 1 ? 0 : occurs.min, maxExampleItems)
  return {
    slot: element,
    isOptional: isOptional || (isNillable && !isRepeating),
    branch,
    schema: (nameOf) => {
      const { schema } = itemOf(element, nameOf)
      const item = isNillable ? orNull(schema) : schema
      return { ...(isRepeating ? listOf(element, item) : item), ...wordsOf(element) }
    },
    example: (nameOf) => {
      const { example } = itemOf(element, nameOf)
      return isRepeating ? Array.from({ length: Math.max(least, 1) }, () => example) : example
    },
  }
}

const maxExampleItems = 100

/** Large branches are shared by many requests, with all that is within them, names included. */
const described = new WeakMap<RequestElement, RequestSchema>()

function describeShared(element: RequestElement, nameOf: Names): RequestSchema {
  const known = described.get(element)
  if (known !== undefined || !element.isObject) return known ?? describeScope(element, nameOf)
  const made = describeScope(element, nameOf)
  described.set(element, made)
  return made
}

function itemOf(element: RequestElement, nameOf: Names): { readonly schema: JsonSchema; readonly example: Json } {
  if (!isLeaf(element)) return describeShared(element, nameOf)
  const { text } = element
  if (text === undefined) return { schema: {}, example: true }
  return { schema: valueSchema(text, false), example: valueExample(text) }
}

/** An empty list is nobody's mistake where nothing has to be there. */
function listOf({ isOptional, occurs: { min, max } }: RequestElement, items: JsonSchema): JsonSchema {
  return {
    type: 'array',
    items,
    ...(isOptional && min <= 1 ? {} : { minItems: min }),
    ...(max === Infinity ? {} : { maxItems: max }),
  }
}

function toBranch(outer: Branch | undefined): Branch {
  return { outer, needed: [] }
}

function valueSchema({ type, fixed }: RequestText, isNillable: boolean): JsonSchema {
  return fixed === undefined ? toRequestValue(type, isNillable) : fixedValue(type, fixed, isNillable)
}

/** What the schema itself names first. */
function valueExample({ type, fixed, default: usual }: RequestText): Json {
  const named = fixed ?? usual
  if (named === undefined) return exampleValue(type)
  return toNamed(type, named)
}

function toNamed(type: RequestText['type'], value: string): Json {
  return type.item === undefined
    ? toJson(value, kindOf(type))
    : value
        .trim()
        .split(/\s+/u)
        .map((text) => toJson(text, kindOf(type.item ?? type)))
}

function wordsOf({ documentation, text }: RequestElement): JsonSchema {
  const words = toWords(documentation)
  const values = text === undefined ? '' : toValueWords(text.type)
  if (values === '') return words
  const before = typeof words['description'] === 'string' ? `${words['description']}\n\n` : ''
  return { ...words, description: `${before}${values}` }
}

function defaultOf({ type, default: value }: RequestText): JsonSchema {
  return value === undefined ? {} : { default: toNamed(type, value) }
}
