/**
 * Finds the plan of a statement for one shape of values, by asking PostgreSQL (manual, "When a type does not fit"): the
 * text in one form after another, and for each form the types (search.ts). Done once per statement and shape; what was
 * found is kept by the datasource (statements.ts).
 *
 * Runs on a connection of its own; inside a transaction each attempt is behind a savepoint.
 */
import type { Statement } from '../../../model.ts'
import type { Rendered } from '../../../sql/position.ts'
import { listsOf, type Plan, render, type Rendering } from './plan.ts'
import { type Found, findTypes, mayBeOfTypes } from './search.ts'
import { keepsText } from '../types/candidates.ts'
import type { Code, ElementForm } from '../types/encode.ts'
import { oid } from '../types/types.ts'

/** What settling needs of a connection. */
export interface Preparer {
  /** Prepares the text and gives the types that the server reports; rejects with the server's error. */
  describe(text: string, types: readonly number[]): Promise<readonly number[]>
  /** Undefined for a type that is not an array. */
  elementsOf(type: number): Promise<ElementForm | undefined>
  /** Told of an error and the text that it is about. */
  noteSent?(error: unknown, rendered: Rendered): void
}

export async function settle(preparer: Preparer, name: string, statement: Statement, shape: string): Promise<Plan> {
  let firstError: unknown
  for (const { rendering, keeps, isTrial } of formsOf(statement, shape)) {
    const rendered = render(statement, shape, rendering)
    const candidates = rendered.parameters.map((parameter) =>
      keeps(parameter.source) ? parameter.candidates.slice(0, 1) : parameter.candidates,
    )
    try {
      const found = await findTypes((types) => preparer.describe(rendered.text, types), candidates)
      return await toPlan(preparer, name, rendered, found)
    } catch (error) {
      preparer.noteSent?.(error, rendered)
      if (!mayBeOfTypes(error) && !(isTrial === true && isOfGrammar(error))) throw error
      firstError ??= error
    }
  }
  throw firstError
}

interface Form {
  readonly rendering: Rendering
  /** Whether a name, by its number, keeps its declared type. */
  readonly keeps: (source: number) => boolean
  /** PostgreSQL may refuse it for other reasons than types, which are not the statement's. */
  readonly isTrial?: boolean
}

function isOfGrammar(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('42') === true
}

/** From what the file says to what is left to guess: the first that PostgreSQL accepts is taken. */
function* formsOf(statement: Statement, shape: string): Generator<Form> {
  const lists = listsOf(statement, shape)
  const membership = lists.size > 0
  const isRepeated = statement.slots.length > statement.names.length
  if (membership) yield { rendering: { membership: false, perSlot: false }, keeps: () => true }
  // A column of text gets the text, even if another place of the name needs the declared type.
  const texts = isRepeated ? textsOf(statement, shape) : noNames
  if (texts.size > 0) {
    yield { rendering: { membership, perSlot: false }, keeps: (source) => texts.has(source) }
    // `GROUP BY :x` is another expression than `:x` then.
    yield { rendering: { membership, perSlot: true }, keeps: () => false, isTrial: true }
  }
  yield { rendering: { membership, perSlot: false }, keeps: () => false }
  if (isRepeated) yield { rendering: { membership, perSlot: true }, keeps: () => false }
  // An open parameter in a plain `IN ($1)` would take the list for one element, so only the others are searched for.
  if (membership) yield { rendering: { membership: false, perSlot: false }, keeps: (source) => lists.has(source) }
}

const noNames: ReadonlySet<number> = new Set()

/** Numbers of the names that are tried as texts before they are tried as what they are declared. */
function textsOf(statement: Statement, shape: string): ReadonlySet<number> {
  const slots = statement.slots.filter((slot) => keepsText(statement, slot, shape.charAt(slot.source) as Code))
  return new Set(slots.map(({ source }) => source))
}

async function toPlan(
  preparer: Preparer,
  name: string,
  { text, ends, parameters: untyped }: ReturnType<typeof render>,
  { chosen, reported }: Found,
): Promise<Plan> {
  const parameters = await Promise.all(
    untyped.map(async ({ source }, index) => {
      const type = reported[index] ?? oid.unspecified
      return { source, type, elements: await preparer.elementsOf(type) }
    }),
  )
  const isNarrow = (type: number | undefined): boolean => type === oid.int4 || type === oid.int4Array
  const narrow = parameters.filter((_, index) => isNarrow(chosen[index])).map(({ source }) => source)
  return { name, text, ends, parameters, narrow }
}
