/**
 * The tree of a request and the names of its parameters -> JSON Schema of the body that a caller sends, and an example of
 * one. Both follow the flat shape of the parameters, not the nesting of the envelope.
 */
import { isFlag, isLeaf, nameParams } from './params.ts'
import type { Slot } from './params.ts'
import type { RequestElement, RequestNode, RequestText } from './request.ts'
import { exampleValue } from './example.ts'
import { kindOf, toJson, toRequestValue } from './value-schema.ts'
import type { Json, JsonSchema } from './value-schema.ts'
import { toValueWords, toWords } from './words.ts'

export interface RequestSchema {
  readonly schema: JsonSchema
  readonly example: JsonSchema
}

export function describeRequest(root: RequestElement): RequestSchema {
  const { nameOf } = nameParams(root)
  return toObject(collect(root, false), nameOf)
}

/** One parameter, before it has a name. */
interface Field {
  readonly slot: Slot
  readonly isOptional: boolean
  readonly schema: (nameOf: Names) => JsonSchema
  readonly example: (nameOf: Names) => Json
}

type Names = ReadonlyMap<Slot, string>

function toObject(fields: readonly Field[], nameOf: Names): RequestSchema {
  const named = fields.map((it) => ({ ...it, name: nameOf.get(it.slot) ?? '' }))
  const required = named.filter((it) => !it.isOptional).map((it) => it.name)
  const schema = {
    type: 'object',
    ...(named.length === 0 ? {} : { properties: Object.fromEntries(named.map((it) => [it.name, it.schema(nameOf)])) }),
    ...(required.length === 0 ? {} : { required }),
  }
  return { schema, example: Object.fromEntries(named.map((it) => [it.name, it.example(nameOf)])) }
}

/** The parameters of one element; those inside a branch that may be left out may be left out too. */
function collect(element: RequestElement, isOptional: boolean): readonly Field[] {
  const { text, attributes, children } = element
  const own = text === undefined || text.fixed !== undefined ? [] : [textField(element, text, isOptional)]
  const named = attributes
    .filter((it) => it.fixed === undefined)
    .map((it): Field => ({
      slot: it,
      isOptional: isOptional || !it.isRequired,
      schema: () => ({ ...toRequestValue(it.type, false), ...toWords(it.documentation), ...defaultOf(it) }),
      example: () => exampleValue(it.type),
    }))
  return [...own, ...named, ...children.flatMap((it) => collectNode(it, isOptional))]
}

function collectNode(node: RequestNode, isOptional: boolean): readonly Field[] {
  if (node.kind === 'group') return node.children.flatMap((it) => collectNode(it, true))
  if (node.isRepeating) return [listField(node, isOptional || node.isOptional)]
  if (isFlag(node)) return [flagField(node)]
  return collect(node, isOptional || node.isOptional)
}

function textField(element: RequestElement, text: RequestText, isOptional: boolean): Field {
  return {
    slot: text,
    isOptional,
    schema: () => ({ ...toRequestValue(text.type, element.isNillable), ...wordsOf(element), ...defaultOf(text) }),
    example: () => exampleValue(text.type),
  }
}

function flagField(element: RequestElement): Field {
  return {
    slot: element,
    isOptional: true,
    schema: () => ({ type: 'boolean', ...toWords(element.documentation) }),
    example: () => true,
  }
}

function listField(element: RequestElement, isOptional: boolean): Field {
  const { text } = element
  const items = (nameOf: Names): RequestSchema | { schema: JsonSchema; example: Json } => {
    if (!isLeaf(element)) return toObject(collect(element, false), nameOf)
    if (text === undefined) return { schema: {}, example: true }
    return { schema: toRequestValue(text.type, element.isNillable), example: exampleValue(text.type) }
  }
  return {
    slot: element,
    isOptional,
    schema: (nameOf) => ({ type: 'array', items: items(nameOf).schema, ...wordsOf(element) }),
    example: (nameOf) => [items(nameOf).example],
  }
}

function wordsOf({ documentation, text }: RequestElement): JsonSchema {
  const words = toWords(documentation)
  const values = text === undefined ? '' : toValueWords(text.type)
  if (values === '') return words
  const before = typeof words['description'] === 'string' ? `${words['description']}\n\n` : ''
  return { ...words, description: `${before}${values}` }
}

function defaultOf({ type, default: value }: RequestText): JsonSchema {
  return value === undefined ? {} : { default: toJson(value, kindOf(type)) }
}
