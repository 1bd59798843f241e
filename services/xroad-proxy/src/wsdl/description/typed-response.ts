/**
 * ResponseObjects of responses -> JSON Schemas of what the translation by the schema gives
 * (soap/json/schema-response.ts): lists are arrays, texts have one type, nil is null. Types become definitions that
 * refer to each other, written once for all operations of the WSDL. What is not listed may be there too.
 */
import type { SimpleType } from '../schema/simple-type.ts'
import { type ResponseMember, type ResponseObject, ResponseObjects, type ResponseValue } from './response-objects.ts'
import type { OutlineElement } from '../outline/outline.ts'
import { type Json, type JsonSchema, orNull, toTypedSchema } from './value-schema.ts'
import { toWords } from './words.ts'

const maxAlternatives = 50

export class TypedResponseSchemas {
  /** Filled as operations are described. */
  readonly definitions = new Map<string, JsonSchema>()
  readonly #objects = new ResponseObjects()
  readonly #toReference: (key: string) => string
  readonly #keys = new Map<ResponseObject, string>()
  readonly #taken = new Set<string>()
  readonly #waiting: ResponseObject[] = []

  /** `toReference` makes the `$ref` of a definition's key. */
  constructor(toReference: (key: string) => string) {
    this.#toReference = toReference
  }

  /** The schema of `body`, which holds this element. */
  describe(output: OutlineElement): JsonSchema {
    const element = this.#objects.of(output)
    const property = this.#member(element)
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.definitions.set(this.#keyOf(next), this.#definition(next))
    }
    return { type: 'object', properties: { [element.name]: property }, required: [element.name] }
  }

  #member({ value, isList, isNillable, documentation }: ResponseMember): JsonSchema {
    const one = this.#value(value)
    const item = isNillable && Object.keys(one).length > 0 ? orNull(one) : one
    return { ...(isList ? { type: 'array', items: item } : item), ...toWords(documentation) }
  }

  #value(value: ResponseValue): JsonSchema {
    switch (value.kind) {
      case 'anything':
        return {}
      case 'text':
        return toTypedSchema(value.type)
      case 'object':
        return this.#object(value.object)
    }
  }

  /** What is derived has all of what it is derived from, so that more of them than anybody reads may be left out. */
  #object(object: ResponseObject): JsonSchema {
    const [one, ...others] = [object, ...object.derived.values()]
      .slice(0, maxAlternatives)
      .map((object) => ({ $ref: this.#toReference(this.#keyOf(object)) }))
    return one === undefined || others.length > 0 ? { anyOf: [...others, ...(one === undefined ? [] : [one])] } : one
  }

  #keyOf(object: ResponseObject): string {
    const known = this.#keys.get(object)
    if (known !== undefined) return known
    let key = object.name
    for (let count = 2; this.#taken.has(key); count++) key = `${object.name}_${count}`
    this.#taken.add(key)
    this.#keys.set(object, key)
    this.#waiting.push(object)
    return key
  }

  #definition({ text, isMixed, attributes, members, documentation }: ResponseObject): JsonSchema {
    const properties = new Map<string, Json>()
    const required: string[] = []
    for (const attribute of attributes) {
      properties.set(`@${attribute.name}`, { ...attributeSchema(attribute.type), ...toWords(attribute.documentation) })
      if (attribute.isRequired) required.push(`@${attribute.name}`)
    }
    if (text !== undefined) {
      properties.set('#text', toTypedSchema(text))
      required.push('#text')
    }
    if (isMixed) properties.set('#text', { type: 'string' })
    for (const member of members) {
      properties.set(member.name, this.#member(member))
      if (member.isRequired || member.isList) required.push(member.name)
    }
    return {
      type: 'object',
      ...(properties.size === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(required.length === 0 ? {} : { required }),
      ...toWords(documentation),
    }
  }
}

function attributeSchema(type: SimpleType | undefined): JsonSchema {
  return type === undefined ? { type: 'string' } : toTypedSchema(type)
}
