/**
 * The types that a place of a statement may be prepared with, for a kind of value: those of the value alone
 * (encode.ts), and the one that the file declares for the parameter. Pure.
 */
import type { DeclaredParameter, ParameterSlot, Statement, ValueTypeName } from '../../../model.ts'
import { candidateElementTypes, candidateTypes, type Code, isList } from './encode.ts'
import { oid } from './types.ts'

/** Declared types whose values are texts in JSON: the type of one value and of a list. */
const declaredTypes: Readonly<Partial<Record<ValueTypeName, readonly [one: number, list: number]>>> = {
  date: [oid.date, oid.dateArray],
  timestamp: [oid.timestamp, oid.timestampArray],
  uuid: [oid.uuid, oid.uuidArray],
}
const zonedTimestamp = [oid.timestamptz, oid.timestamptzArray] as const

type Slot = Pick<ParameterSlot, 'source' | 'role'>
type Declaring = Pick<Statement, 'declared' | 'effect'>

/** The first is tried first, and is that of the declaration, if there is one for such values. */
export function candidatesOf(statement: Declaring, slot: Slot, code: Code): readonly number[] {
  const usual = usualOf(slot, code)
  const own = declaredType(statement.declared?.[slot.source], slot.role, code)
  if (own === undefined) return usual
  const [first = own, ...others] = usual
  return keepsText(statement, slot, code) ? [first, own, ...others] : [own, ...usual]
}

/**
 * Whether text is tried before the declared type: columns of text take every type, but in the form in which PostgreSQL
 * writes it. They get what was sent.
 */
export function keepsText({ declared, effect }: Declaring, slot: Slot, code: Code): boolean {
  const [first] = usualOf(slot, code)
  if (effect !== 'write' || (first !== oid.text && first !== oid.textArray)) return false
  return declaredType(declared?.[slot.source], slot.role, code) !== undefined
}

function usualOf({ role }: Slot, code: Code): readonly number[] {
  return (role === 'array' && isList(code) ? candidateElementTypes : candidateTypes)[code]
}

function declaredType(
  declared: DeclaredParameter | undefined,
  role: ParameterSlot['role'],
  code: Code,
): number | undefined {
  if (declared?.type === undefined) return undefined
  const [one, list] = (code === 'z' || code === 'Z' ? zonedTimestamp : declaredTypes[declared.type]) ?? []
  if (code === 'n') return declared.list && role === 'value' ? list : one
  if (code === 't' || code === 'z') return one
  return code === 'T' || code === 'Z' || code === 'e' ? list : undefined
}

/** The kinds of values, besides null, that a parameter with this declaration may have as one value. */
export function kindsOf(declared: DeclaredParameter | undefined): readonly Code[] | undefined {
  if (declared?.type === undefined || declaredTypes[declared.type] === undefined) return undefined
  if (declared.type === 'timestamp') return declared.list ? ['T', 'Z'] : ['t', 'z']
  return declared.list ? ['T'] : ['t']
}
