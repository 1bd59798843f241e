/**
 * Finds the plan of a statement for one shape of values, by asking PostgreSQL (manual, "Binding"). The declared types are
 * tried first; where preparing fails on types, the types are left to PostgreSQL, then given back to every parameter that
 * can keep its own. Done once per statement and shape; what was found is kept by the datasource (statements.ts).
 *
 * Runs on a connection of its own; inside a transaction each attempt stands behind a savepoint.
 */
import type { Statement } from '../../model.ts'
import { hasMembership, type Place, type Plan, render, type Rendering } from './plan.ts'
import { oid } from './types.ts'

/** What settling needs of a connection. */
export interface Preparer {
  /** Prepares the text and gives the types that the server reports; rejects with the server's error. */
  describe(text: string, types: readonly number[]): Promise<readonly number[]>
  isArrayType(type: number): Promise<boolean>
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

export function isTypeError(error: unknown): boolean {
  return typeErrors.has((error as { code?: string }).code ?? '')
}

export async function settle(preparer: Preparer, name: string, statement: Statement, shape: string): Promise<Plan> {
  const attempts = [...attemptsFor(statement, shape)]
  let firstError: unknown
  for (const { rendering, types } of attempts) {
    const { text, places } = render(statement, shape, rendering)
    try {
      const found =
        types === 'declared'
          ? await declared(preparer, text, places)
          : await restored(preparer, text, places, await inferred(preparer, text, places.length))
      return await toPlan(preparer, name, text, places, found)
    } catch (error) {
      if (!isTypeError(error)) throw error
      firstError ??= error
    }
  }
  throw firstError
}

interface Attempt {
  readonly rendering: Rendering
  readonly types: 'declared' | 'inferred'
}

/** From what the file says to what is left to guess: the first that PostgreSQL accepts is taken. */
function* attemptsFor(statement: Statement, shape: string): Generator<Attempt> {
  const memberships = hasMembership(statement, shape) ? [false, true] : [false]
  for (const membership of memberships) yield { rendering: { membership, perPlace: false }, types: 'declared' }
  if (statement.slots.length === 0) return
  // A plain `IN ($1)` without a type would take the list for one element, so only membership is inferred.
  const membership = memberships.length > 1
  yield { rendering: { membership, perPlace: false }, types: 'inferred' }
  yield { rendering: { membership, perPlace: true }, types: 'inferred' }
}

async function declared(preparer: Preparer, text: string, places: readonly Place[]): Promise<readonly number[]> {
  return describe(
    preparer,
    text,
    places.map((place) => place.declared),
  )
}

function inferred(preparer: Preparer, text: string, count: number): Promise<readonly number[]> {
  return describe(
    preparer,
    text,
    Array.from({ length: count }, () => oid.unspecified),
  )
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
  text: string,
  places: readonly Place[],
  types: readonly number[],
): Promise<Plan> {
  const parameters = await Promise.all(
    places.map(async ({ source }, index) => {
      const type = types[index] ?? oid.unspecified
      return { source, type, isArray: await preparer.isArrayType(type) }
    }),
  )
  return { name, text, parameters }
}
