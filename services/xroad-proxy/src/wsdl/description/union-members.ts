/**
 * What numbers and booleans look like as texts, and the members of a union with the patterns of the union: a
 * restriction of a union by a pattern holds for the text of each member.
 */
import type { SimpleType } from '../schema/simple-type.ts'
import { type Kind, kindOf } from './value-schema.ts'

/** What texts of a kind look like, as a pattern of XML Schema. */
export const lexical: Readonly<Partial<Record<Kind, string>>> = {
  integer: String.raw`[\-+]?\d+`,
  number: String.raw`[\-+]?(\d+(\.\d*)?|\.\d+)([eE][\-+]?\d+)?`,
  boolean: 'true|false|0|1',
}

export function narrowedMembers({ members, patterns }: SimpleType): readonly SimpleType[] {
  if (patterns.length === 0) return members
  return members.map((member) => {
    const own = member.members.length > 0 || member.isList ? undefined : lexical[kindOf(member)]
    return { ...member, patterns: [...(own === undefined ? [] : [own]), ...member.patterns, ...patterns] }
  })
}
