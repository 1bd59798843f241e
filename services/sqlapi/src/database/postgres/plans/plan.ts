/**
 * A plan is one way to run one statement on PostgreSQL: the text with `$1..$n`, the type of each, and which value fills
 * it. It depends on the statement and on the kinds of the values (`shape`), never on the values. Pure: session.ts
 * makes prepared statements of plans, settle.ts finds the right plan.
 */
import type { JsonValue, ParameterSet, ParameterSlot, Statement } from '../../../model.ts'
import type { Rendered } from '../../../sql/position.ts'
import { bind, type Bound, type Code, type ElementForm, encode, fitsInt4, isList } from '../types/encode.ts'
import { candidatesOf } from '../types/candidates.ts'
import { oid } from '../types/types.ts'

/** `$n` of a plan: the value of the statement's name number `source`, with the type that it is prepared for. */
export interface PlanParameter {
  readonly source: number
  /** The type that the server reported; values are written for it. */
  readonly type: number
  /** Of an array. */
  readonly elements: ElementForm | undefined
}

/** Types from this number on are users' own: they may be made again under another number, so Parse leaves them open. */
const firstUserType = 16_384

export function declaredType({ type }: PlanParameter): number {
  return type < firstUserType ? type : oid.unspecified
}

export interface Plan extends Rendered {
  /** Name of the prepared statement, unique in the datasource. */
  readonly name: string
  readonly parameters: readonly PlanParameter[]
  /** Numbers of the names whose integers it takes as int4. Other values than those that fit need another plan. */
  readonly narrow: readonly number[]
}

/** How a list parameter alone in `IN (..)` is written: as it is, or as membership in an array. */
export interface Rendering {
  readonly membership: boolean
  /** One `$n` for each slot instead of one for each name, for a name that plays roles of different types. */
  readonly perSlot: boolean
}

/** A statement's values for one call, by name number, and the shape that their codes make. */
export interface Binding {
  readonly values: readonly Bound[]
  /** Becomes wider where a plan takes integers as int4 and one of these does not fit. */
  shape: string
}

export function bindStatement(statement: Statement, set: ParameterSet): Binding {
  const { names, declared } = statement
  const values = names.map((name, source) => bind(name, set.get(name) as JsonValue, declared?.[source]?.type))
  let shape = ''
  for (const { code } of values) shape += code
  return { values, shape }
}

const wide: Readonly<Record<string, Code>> = { i: 'l', I: 'L' }

/** The shape of the plan that these values need: the same where they fit the plan that was made for their kinds. */
export function widen({ narrow }: Plan, { values, shape }: Binding): string {
  let wider = shape
  for (const source of narrow) {
    if (!fitsInt4(values[source] as Bound)) {
      const code = wider.charAt(source)
      wider = wider.slice(0, source) + (wide[code] ?? code) + wider.slice(source + 1)
    }
  }
  return wider
}

/** What a `$n` stands for, before it has a type. */
export interface UntypedParameter {
  readonly source: number
  /** The types to try, the declared one first. */
  readonly candidates: readonly number[]
}

/** The statement's text for one shape and rendering, with the parameters that its `$n` stand for. */
export function render(
  statement: Statement,
  shape: string,
  rendering: Rendering,
): Rendered & { readonly parameters: UntypedParameter[] } {
  const parameters: UntypedParameter[] = []
  const numbers = new Map<string, number>()
  const numberOf = (slot: ParameterSlot, code: Code): number => {
    const candidates = candidatesOf(statement, slot, code)
    const key = rendering.perSlot ? `${parameters.length}` : `${slot.source} ${candidates[0]}`
    const known = numbers.get(key)
    if (known !== undefined) return known
    parameters.push({ source: slot.source, candidates })
    numbers.set(key, parameters.length)
    return parameters.length
  }
  let text = statement.pieces[0] as string
  const ends: number[] = []
  for (const [index, slot] of statement.slots.entries()) {
    const code = shape.charAt(slot.source) as Code
    const next = statement.pieces[index + 1] as string
    text = setApart(text, renderSlot(slot, `$${numberOf(slot, code)}`, code, rendering), next)
    ends.push(text.length)
    text += next
  }
  return { text, ends, parameters }
}

/**
 * Adds what is in a slot's place. Blanks separate a placeholder from words beside it: `LIMIT$1` is one name, and
 * `$1AS` no token.
 */
function setApart(text: string, inPlace: string, next: string): string {
  const gap = inPlace.startsWith('$') && endsInWord.test(text) ? ' ' : ''
  return text + gap + inPlace + (endsInWord.test(inPlace) && beginsWithWord.test(next) ? ' ' : '')
}

const endsInWord = /[\w$\u0080-\uffff]$/
const beginsWithWord = /^[\w$\u0080-\uffff]/

function renderSlot(slot: ParameterSlot, placeholder: string, code: Code, { membership }: Rendering): string {
  const { role, before, after, cast } = slot
  if (role === 'value' || !isList(code)) return `${before}${placeholder}${after}`
  const list = cast === '' ? placeholder : `${placeholder}${cast}[]`
  if (role === 'array') return list
  // With a cast the plain form would compare with the text of the whole list.
  if (!membership && cast === '') return `${before}${placeholder}${after}`
  return role === 'in' ? `= ANY (${list})` : `<> ALL (${list})`
}

/**
 * Numbers of the names whose parameters the membership rendering writes otherwise than the plain one, for this shape.
 */
export function listsOf(statement: Statement, shape: string): ReadonlySet<number> {
  const slots = statement.slots.filter(
    ({ source, role, cast }) =>
      (role === 'in' || role === 'notIn') && cast === '' && isList(shape.charAt(source) as Code),
  )
  return new Set(slots.map(({ source }) => source))
}

/** The texts of all `$n`, in order. */
export function encodeAll(plan: Plan, { values }: Binding): (string | null)[] {
  return plan.parameters.map(({ source, type, elements }) => encode(values[source] as Bound, type, elements))
}
