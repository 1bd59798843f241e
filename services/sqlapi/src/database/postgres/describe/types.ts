/**
 * Finds types for the parameters of a statement whose values nobody knows yet. A null first, which leaves each type to
 * the server, then every type for each, then values of one kind after another in the forms that they have in requests:
 * what some request could run is never told as an error.
 */
import type { Statement } from '../../../model.ts'
import { offsetOfByte, offsetOfPoint, type Rendered } from '../../../sql/position.ts'
import { render } from '../plans/plan.ts'
import { findTypes, mayBeOfTypes } from '../plans/search.ts'
import { settle } from '../plans/settle.ts'
import { noteSent } from '../sessions/postgres-failures.ts'
import { NotStarted } from '../sessions/plan-run.ts'
import type { Session } from '../sessions/session.ts'
import { candidateElementTypes, candidateTypes, type Code } from '../types/encode.ts'
import { oid } from '../types/types.ts'
import { type ColumnDescription, ServerError } from '../wire/frames.ts'
import { functionAt } from './mistakes.ts'
import { sqlStates } from '../plans/sql-states.ts'

/** A statement that the server has prepared. */
export interface Typed {
  /** As it was sent. */
  readonly text: string
  /** By number of the name; undefined where its places want different types. */
  readonly parameters: readonly { readonly type: number | undefined }[]
  /** Of each `$n`. */
  readonly types: readonly number[]
  readonly columns: readonly ColumnDescription[] | undefined
}

/** Why it has not. */
export interface Refusal {
  readonly error: ServerError
  /** The function that it calls does not exist, whatever its arguments are. */
  readonly isUnknownFunction: boolean
  /** With other types of the parameters the server says something else. */
  readonly hasTypeInQuestion: boolean
  /** There are more combinations of types than were tried. */
  readonly isUndecided: boolean
}

/** Kinds of values besides null, in the order in which they are tried. */
const otherKinds: readonly Code[] = ['t', 'i', 'T', 'I', 'o', 'b', 'f', 'B', 'F', 'e', 'M']

/** Every type that some kind of value is sent as, none first. */
const everyType = [
  ...new Set([
    oid.unspecified,
    ...otherKinds.flatMap((kind) => [...candidateTypes[kind], ...candidateElementTypes[kind]]),
  ]),
]

/** Of combinations of types. */
const maxAttempts = 400

export async function findTypesOf(
  session: Session,
  statement: Statement,
): Promise<{ readonly typed: Typed } | Refusal> {
  const preparer = new Preparer(session)
  const first = await settleFor(preparer, statement, 'n')
  if ('typed' in first) return first
  const { error } = first
  if (!mayBeOfTypes(error)) return refused(error)
  if (await isUnknownFunction(session, error)) return refused(error, { isUnknownFunction: true })
  if (statement.names.length === 0) return refused(error)
  const { asked } = preparer
  const typed = await findAnyTypes(preparer, statement)
  if (typed !== undefined) return { typed }
  const isUndecided = preparer.asked - asked >= maxAttempts
  let hasTypeInQuestion = false
  for (const kind of otherKinds) {
    const other = await settleFor(preparer, statement, kind)
    if ('typed' in other) return other
    if (isPast(other.error, error)) hasTypeInQuestion = true
  }
  return refused(error, { hasTypeInQuestion, isUndecided: hasTypeInQuestion && isUndecided })
}

/** The server has read on to another mistake, or says something else of the same place. One before it tells nothing. */
function isPast({ message, position }: ServerError, first: ServerError): boolean {
  if (position === first.position || position === undefined || first.position === undefined) {
    return message !== first.message
  }
  return position > first.position
}

/** As the service does for values that are all of one kind. */
async function settleFor(
  preparer: Preparer,
  statement: Statement,
  kind: Code,
): Promise<{ readonly typed: Typed } | { readonly error: ServerError }> {
  try {
    const { text, parameters } = await settle(preparer, '', statement, kind.repeat(statement.names.length))
    return { typed: toTyped(preparer, statement, text, parameters) }
  } catch (error) {
    return { error: toServerError(error) }
  }
}

function refused(error: ServerError, said: Partial<Refusal> = {}): Refusal {
  return { error, isUnknownFunction: false, hasTypeInQuestion: false, isUndecided: false, ...said }
}

/** A parameter `$n`, with the number of its name. */
interface TypedParameter {
  readonly source: number
  readonly type: number
}

/** Of a name the type on which its places agree. */
function toTyped({ columns }: Preparer, { names }: Statement, text: string, placed: readonly TypedParameter[]): Typed {
  const parameters = names.map((_, source) => {
    const types = new Set(placed.filter((parameter) => parameter.source === source).map(({ type }) => type))
    const [type] = types
    return { type: types.size === 1 ? type : undefined }
  })
  return { text, columns, parameters, types: placed.map(({ type }) => type) }
}

/** Each place of a name by itself, with every existing type. */
async function findAnyTypes(preparer: Preparer, statement: Statement): Promise<Typed | undefined> {
  const shape = 'n'.repeat(statement.names.length)
  const { text, parameters } = render(statement, shape, { membership: false, perSlot: true })
  try {
    const { reported } = await findTypes(
      (types) => preparer.describe(text, types),
      // One with a declared type has that first.
      parameters.map(({ candidates }) => [...new Set([candidates[0] as number, ...everyType])]),
      maxAttempts,
    )
    const typed = parameters.map(({ source }, index) => ({ source, type: reported[index] as number }))
    return toTyped(preparer, statement, text, typed)
  } catch (error) {
    toServerError(error)
    return undefined
  }
}

/** The error of a statement; throws anything else. */
export function toServerError(error: unknown): ServerError {
  const said = error instanceof NotStarted ? error.cause : error
  if (said instanceof ServerError && said.severity === 'ERROR') return said
  throw error
}

async function isUnknownFunction(session: Session, { code, position, sent }: ServerError): Promise<boolean> {
  if (code !== sqlStates.undefinedFunction || position === undefined || sent === undefined) return false
  const { rendered, inBytes } = sent
  const offset = inBytes ? offsetOfByte(rendered.text, position) : offsetOfPoint(rendered.text, position)
  const name = functionAt(rendered.text, offset)
  if (name === undefined) return false
  return (await session.list('SELECT 1 FROM pg_catalog.pg_proc WHERE proname = $1 LIMIT 1', [name])).length === 0
}

/** Asks on a session, and keeps the columns of what was accepted last, which is what a search ends with. */
class Preparer {
  readonly #session: Session
  columns: readonly ColumnDescription[] | undefined
  /** How often the server has been asked. */
  asked = 0

  constructor(session: Session) {
    this.#session = session
  }

  readonly describe = async (text: string, types: readonly number[]): Promise<readonly number[]> => {
    this.asked++
    const { parameters, columns } = await this.#session.prepareText(text, types)
    this.columns = columns
    return parameters
  }

  readonly noteSent = (error: unknown, rendered: Rendered): void => noteSent(error, rendered, this.#session)

  /** What it takes to write values, of which there are none. */
  readonly elementsOf = (): Promise<undefined> => Promise.resolve(undefined)
}
