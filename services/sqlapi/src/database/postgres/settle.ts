/**
 * Finds the plan of a statement for one shape of values, by asking PostgreSQL (manual, "Binding"). The declared types are
 * tried first; where preparing fails on types, the types are left to PostgreSQL, then given back to every parameter that
 * can keep its own. Done once per statement and shape; what was found is kept by the datasource (statements.ts).
 *
 * Runs on a connection of its own; inside a transaction each attempt stands behind a savepoint.
 */
import type { Statement } from '../../model.ts'
import type { Rendered } from '../../sql/place.ts'
import { hasMembership, type Place, type Plan, render, type Rendering } from './plan.ts'
import { oid } from './types.ts'

/** What settling needs of a connection. */
export interface Preparer {
  /** Prepares the text and gives the types that the server reports; rejects with the server's error. */
  describe(text: string, types: readonly number[]): Promise<readonly number[]>
  isArrayType(type: number): Promise<boolean>
  /** Told of an error and the text that it is about. */
  noteSent?(error: unknown, rendered: Rendered): void
}

/** Errors that say that a parameter's type does not fit, by SQLSTATE. */
const typeErrors = new Set([
  '42804', // datatype mismatch
  '42883', // undefined function or operator
  '42846', // cannot coerce
  '42P08', // ambiguous parameter
  '42P18', // indeterminate datatype
  '42809', // wrong object type: `= ANY` of something that is no array
  '42725', // ambiguous function
])

/** More parameters than this are not given their own types back one by one. */
const maxRestored = 32
/** No more than so many are opened one by one: a statement that is simply wrong pays for all attempts each time. */
const maxOpened = 8

export function isTypeError(error: unknown): boolean {
  return typeErrors.has((error as { code?: string }).code ?? '')
}

export async function settle(preparer: Preparer, name: string, statement: Statement, shape: string): Promise<Plan> {
  let firstError: unknown
  for (const { rendering, find } of attemptsFor(statement, shape)) {
    const rendered = render(statement, shape, rendering)
    const { text, places } = rendered
    try {
      return await toPlan(preparer, name, rendered, await find(preparer, text, places))
    } catch (error) {
      preparer.noteSent?.(error, rendered)
      if (!isTypeError(error)) throw error
      firstError ??= error
    }
  }
  throw firstError
}

/** Finds types with which the text can be prepared; rejects with the server's error. */
type Find = (preparer: Preparer, text: string, places: readonly Place[]) => Promise<readonly number[]>

interface Attempt {
  readonly rendering: Rendering
  readonly find: Find
}

/** From what the file says to what is left to guess: the first that PostgreSQL accepts is taken. */
function* attemptsFor(statement: Statement, shape: string): Generator<Attempt> {
  const membership = hasMembership(statement, shape)
  yield { rendering: { membership: false, perPlace: false }, find: declared }
  if (membership) yield { rendering: { membership, perPlace: false }, find: declared }
  if (statement.slots.length === 0) return
  // A plain `IN ($1)` without a type would take the list for one element, so only membership is inferred.
  yield { rendering: { membership, perPlace: false }, find: inferred }
  yield { rendering: { membership, perPlace: true }, find: inferred }
  yield { rendering: { membership, perPlace: false }, find: partlyInferred }
}

function declared(preparer: Preparer, text: string, places: readonly Place[]): Promise<readonly number[]> {
  return describe(
    preparer,
    text,
    places.map((place) => place.declared),
  )
}

/** Leaves all types to the server, then gives every parameter its own back where it can keep that. */
async function inferred(preparer: Preparer, text: string, places: readonly Place[]): Promise<readonly number[]> {
  const open = places.map(() => oid.unspecified)
  return restored(preparer, text, places, await describe(preparer, text, open))
}

/**
 * Leaves one type to the server, then more and more: with all of them open an operator may have nothing left to go by
 * (`$1 + $2`).
 */
async function partlyInferred(preparer: Preparer, text: string, places: readonly Place[]): Promise<readonly number[]> {
  const own = places.map((place) => place.declared)
  const indexes = places.slice(0, maxOpened).keys().toArray()
  const singles = indexes.map((index) => own.with(index, oid.unspecified))
  const growing = indexes.map((last) => own.map((type, index) => (index <= last ? oid.unspecified : type)))
  let lastError: unknown
  for (const types of [...singles, ...growing]) {
    try {
      return await describe(preparer, text, types)
    } catch (error) {
      if (!isTypeError(error)) throw error
      lastError = error
    }
  }
  throw lastError
}

/** Prepares, and where the server asks for a parameter's type (42P18) offers text. */
async function describe(preparer: Preparer, text: string, wanted: readonly number[]): Promise<readonly number[]> {
  const types = [...wanted]
  for (;;) {
    try {
      return await preparer.describe(text, types)
    } catch (error) {
      const unknown = indeterminateParameter(error)
      if (unknown === undefined || types[unknown] !== oid.unspecified) throw error
      types[unknown] = oid.text
    }
  }
}

/** Index of the parameter in `could not determine data type of parameter $2`, in whatever language. */
function indeterminateParameter(error: unknown): number | undefined {
  const { code, message } = error as { code?: string; message?: string }
  if (code !== '42P18') return undefined
  const number = /\$(\d+)/.exec(message ?? '')?.[1]
  return number === undefined ? undefined : Number(number) - 1
}

/** Gives every parameter its declared type back where that still prepares: one call's oddity must not change the others. */
async function restored(
  preparer: Preparer,
  text: string,
  places: readonly Place[],
  found: readonly number[],
): Promise<readonly number[]> {
  let types = found
  const candidates = places.flatMap(({ declared }, index) =>
    declared === oid.unspecified || declared === found[index] ? [] : [index],
  )
  if (candidates.length < 2) return types
  for (const index of candidates.slice(0, maxRestored)) {
    const attempt = types.with(index, (places[index] as Place).declared)
    try {
      await preparer.describe(text, attempt)
      types = attempt
    } catch (error) {
      if (!isTypeError(error)) throw error
    }
  }
  return types
}

async function toPlan(
  preparer: Preparer,
  name: string,
  { text, ends, places }: ReturnType<typeof render>,
  types: readonly number[],
): Promise<Plan> {
  const parameters = await Promise.all(
    places.map(async ({ source }, index) => {
      const type = types[index] ?? oid.unspecified
      return { source, type, isArray: await preparer.isArrayType(type) }
    }),
  )
  return { name, text, ends, parameters }
}
