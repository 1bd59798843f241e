/**
 * ResponseObjects of responses -> the shapes that responses are translated by: plain data that holds nothing of the
 * WSDL.
 */
import { anyShape, type Member, type Shape, type ValueKind } from '../../soap/json/shape.ts'
import type { SimpleType } from '../schema/simple-type.ts'
import type { ResponseMember, ResponseObject, ResponseValue } from './response-objects.ts'

/** One for the objects of one WSDL: what is shared there is shared here. */
export class Shapes {
  readonly #shapes = new Map<ResponseObject, Shape>()
  readonly #waiting: (() => void)[] = []

  of(element: ResponseMember): Member {
    const member = this.#member(element)
    for (let fill = this.#waiting.pop(); fill !== undefined; fill = this.#waiting.pop()) fill()
    return member
  }

  #member({ name, isList, value }: ResponseMember): Member {
    return { name, isList, shape: this.#shape(value) }
  }

  #shape(value: ResponseValue): Shape {
    switch (value.kind) {
      case 'anything':
        return anyShape
      case 'text':
        return valueShapes[valueKindOf(value.type)]
      case 'object':
        return this.#object(value.object)
    }
  }

  #object(object: ResponseObject): Shape {
    const known = this.#shapes.get(object)
    if (known !== undefined) return known
    const members = new Map<string, Member>()
    const derived = new Map<string, Shape>()
    const shape: Shape = {
      kind: 'object',
      text: object.text === undefined ? undefined : valueKindOf(object.text),
      attributes: new Map(
        object.attributes.map(({ name, type }) => [name, type === undefined ? 'preserved' : valueKindOf(type)]),
      ),
      members,
      lists: object.members.filter(({ isList }) => isList).map(({ name }) => name),
      derived,
    }
    this.#shapes.set(object, shape)
    this.#waiting.push(() => {
      for (const member of object.members) members.set(member.name, this.#member(member))
      for (const [name, type] of object.derived) derived.set(name, this.#object(type))
    })
    return shape
  }
}

const kinds: Readonly<Record<string, ValueKind>> = {
  string: 'preserved',
  anySimpleType: 'preserved',
  anyAtomicType: 'preserved',
  normalizedString: 'replaced',
  boolean: 'boolean',
  decimal: 'decimal',
  float: 'float',
  double: 'float',
  ...Object.fromEntries(
    `integer nonPositiveInteger negativeInteger long int short byte nonNegativeInteger unsignedLong unsignedInt
    unsignedShort unsignedByte positiveInteger`
      .split(/\s+/u)
      .map((type) => [type, 'integer'] as const),
  ),
}

const whiteSpaces: Readonly<Record<string, ValueKind>> = {
  preserve: 'preserved',
  replace: 'replaced',
  collapse: 'collapsed',
}

function valueKindOf({ builtin, isList, members, facets }: SimpleType): ValueKind {
  if (isList || members.length > 0) return 'collapsed'
  const kind = kinds[builtin] ?? 'collapsed'
  const isText = kind === 'preserved' || kind === 'replaced'
  return isText ? (whiteSpaces[facets.get('whiteSpace') ?? ''] ?? kind) : kind
}

const valueShapes = Object.fromEntries(
  (['preserved', 'replaced', 'collapsed', 'integer', 'decimal', 'float', 'boolean'] as const).map((text) => [
    text,
    { ...anyShape, kind: 'value', text },
  ]),
) as Readonly<Record<ValueKind, Shape>>
