/**
 * The tree of a request and the names of its parameters -> JSON Schema of the body that a caller sends, and an example
 * of one. Both follow the flat shape of the parameters, not the nesting of the envelope. What fits the schema makes a
 * valid envelope; the words of the WSDL come along.
 */
import { type Field, fieldsOf } from '../request/fields.ts'
import { paramChoices } from '../request/param-choices.ts'
import { isLeaf, isTextAlone, nameParams, type Slot } from '../request/param-names.ts'
import { isNullable, type RequestAttachment, type RequestElement, type RequestText } from '../request/request.ts'
import { describeChoices } from './choice-schema.ts'
import { exampleValue, isValue, withIdentities } from './example.ts'
import { fixedValue, toRequestValue } from './request-value.ts'
import { type Json, type JsonSchema, kindOf, orNull, toJson } from './value-schema.ts'
import { toValueWords, toWords } from './words.ts'

export interface RequestSchema {
  readonly schema: JsonSchema
  readonly example: JsonSchema
}

export function describeRequest(root: RequestElement): RequestSchema {
  const { nameOf } = nameParams(root)
  const { schema, example } = describeScope(root, nameOf)
  return { schema, example: withIdentities(example) }
}

type Names = ReadonlyMap<Slot, string>

/** The object for an element: the params of the request, or an item of a list. */
function describeScope(element: RequestElement, nameOf: Names): RequestSchema {
  if (element.alternatives.length > 0) return describeAlternatives(element, nameOf)
  const found = fieldsOf(element)
  const named = found.fields.map((field) => ({ name: nameOf.get(field.slot) ?? '', field }))
  const required = named.filter(({ field }) => !field.isOptional && field.part === undefined).map((entry) => entry.name)
  const dependent = dependencies(named, nameOf)
  const properties = Object.fromEntries(named.map((entry) => [entry.name, fieldSchema(entry.field, nameOf)]))
  const schema = {
    type: 'object',
    ...(named.length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(dependent.length === 0 ? {} : { dependentRequired: Object.fromEntries(dependent) }),
    ...describeChoices(paramChoices(found, nameOf), properties),
  }
  const shown = named.filter(({ field }) => isOfFirstBranches(field))
  return { schema, example: Object.fromEntries(shown.map(({ name, field }) => [name, fieldExample(field, nameOf)])) }
}

/** An example takes the first branch of each choice. */
function isOfFirstBranches({ part }: Field): boolean {
  for (let at = part; at !== undefined; at = at.outer)
    if (at.choice !== undefined && at.choice.branches[0] !== at) return false
  return true
}

/**
 * A caller that gives a value of a part gives all that the part cannot do without. The first of these stands for all:
 * the others need it, and it needs them. What a branch of a choice needs is said with the choice.
 */
function dependencies(
  fields: readonly { readonly name: string; readonly field: Field }[],
  nameOf: Names,
): readonly (readonly [string, readonly string[]])[] {
  return fields.flatMap(({ name, field: { slot, part } }) => {
    const needed = new Set<Slot>()
    for (let at = part; at !== undefined; at = at.outer) {
      if (at.choice !== undefined) continue
      const [first] = at.needed
      if (first === slot) for (const each of at.needed) needed.add(each)
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
    ...(isTextAlone(alternative) ? itemOf(alternative, nameOf) : describeScope(alternative, nameOf)),
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

function fieldSchema(field: Field, nameOf: Names): JsonSchema {
  switch (field.kind) {
    case 'text': {
      const { slot, element } = field
      return { ...valueSchema(slot, element.isNillable), ...withDefault(slot, wordsOf(element)) }
    }
    case 'attribute':
      return { ...valueSchema(field.slot, false), ...withDefault(field.slot, toWords(field.slot.documentation)) }
    case 'scope': {
      const { slot } = field
      const { schema } = itemOf(slot, nameOf)
      const item = isNullable(slot) ? orNull(schema) : schema
      return { ...(slot.isRepeating ? listOf(slot, item) : item), ...wordsOf(slot) }
    }
    case 'flag':
      return { ...(field.isOptional ? { type: 'boolean' } : meant), ...toWords(field.slot.documentation) }
    case 'branch':
      return meant
  }
}

/** Of a branch that holds nothing else all that can be said. */
const meant: JsonSchema = { type: 'boolean', enum: [true] }

function fieldExample(field: Field, nameOf: Names): Json {
  switch (field.kind) {
    case 'text':
    case 'attribute':
      return valueExample(field.slot)
    case 'scope': {
      const { slot } = field
      const { example } = itemOf(slot, nameOf)
      return slot.isRepeating ? Array.from({ length: Math.max(leastOf(slot), 1) }, () => example) : example
    }
    case 'flag':
    case 'branch':
      return true
  }
}

function leastOf({ isOptional, occurs }: RequestElement): number {
  return Math.min(isOptional && occurs.min <= 1 ? 0 : occurs.min, maxExampleItems)
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

function valueSchema({ type, fixed, attachment }: RequestText, isNillable: boolean): JsonSchema {
  if (attachment !== undefined) return attachmentSchema(attachment, isNillable)
  return fixed === undefined ? toRequestValue(type, isNillable) : fixedValue(type, fixed, isNillable)
}

/** Without a pattern: a validator would run it over megabytes, and who decodes the text sees what is wrong with it. */
function attachmentSchema({ type }: RequestAttachment, isNillable: boolean): JsonSchema {
  const schema = {
    type: 'string',
    contentEncoding: 'base64',
    ...(type === undefined ? {} : { contentMediaType: type }),
  }
  return isNillable ? orNull(schema) : schema
}

/** What the schema itself names first. */
function valueExample({ type, fixed, default: usual, attachment }: RequestText): Json {
  if (attachment !== undefined) return 'AAAA'
  const value = fixed ?? (usual !== undefined && isValue(type, usual) ? usual : undefined)
  return (value === undefined ? undefined : toNamed(type, value)) ?? exampleValue(type)
}

/** Undefined for a value that fits its type but is no number of JSON that all readers understand alike. */
function toNamed(type: RequestText['type'], value: string): Json | undefined {
  const { item } = type
  if (item === undefined) return toSent(type, value)
  const items = value
    .trim()
    .split(/\s+/u)
    .map((text) => toSent(item, text))
  return items.every((each) => each !== undefined) ? items : undefined
}

/** As a caller sends it: a number whose digits a pattern or a list of values restricts is sent as text. */
function toSent(type: RequestText['type'], text: string): Json | undefined {
  const { type: expected } = toRequestValue(type, false)
  if (expected === 'string') return text
  const value = toJson(text, kindOf(type))
  const isNumber = expected === 'integer' || expected === 'number'
  return isNumber && typeof value !== 'number' ? undefined : value
}

function wordsOf({ documentation, text }: RequestElement): JsonSchema {
  return withWords(toWords(documentation), text === undefined ? '' : toValueWords(text.type))
}

function withWords(words: JsonSchema, more: string): JsonSchema {
  if (more === '') return words
  const before = typeof words['description'] === 'string' ? `${words['description']}\n\n` : ''
  return { ...words, description: `${before}${more}` }
}

/** People are told what the keyword cannot say. */
function withDefault({ type, default: value }: RequestText, words: JsonSchema): JsonSchema {
  if (value === undefined) return words
  const named = isValue(type, value) ? toNamed(type, value) : undefined
  return named === undefined ? withWords(words, `Default: ${value.trim()}`) : { ...words, default: named }
}
