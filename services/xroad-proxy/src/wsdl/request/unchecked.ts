/**
 * An element or an attribute of a request -> what its schema says of several values together and the check of requests
 * does not look at, one sentence each. soap/check judges one value at a time.
 */
import type { OutlineElement } from '../outline/outline.ts'
import type { SimpleType } from '../schema/simple-type.ts'

const rules: Readonly<Record<string, string>> = {
  ID: 'that no two values of xs:ID are the same',
  IDREF: 'that a value of xs:IDREF is one of xs:ID',
  ENTITY: 'xs:ENTITY, as a SOAP message declares no entities',
}

/** For `unique`, `key` and `keyref`. */
export function uncheckedOf({ constraints }: OutlineElement): readonly string[] {
  return constraints.map((constraint) => `not checked: ${constraint}`)
}

export function uncheckedIn({ builtin, item, members }: SimpleType): readonly string[] {
  const inner = [...(item === undefined ? [] : [item]), ...members].flatMap(uncheckedIn)
  const rule = item === undefined && Object.hasOwn(rules, builtin) ? rules[builtin] : undefined
  return rule === undefined ? inner : [`not checked: ${rule}`, ...inner]
}
