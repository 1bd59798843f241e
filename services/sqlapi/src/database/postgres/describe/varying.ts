/**
 * A statement that was prepared -> which columns of its result have another type with other kinds of values, as `:x` in
 * `SELECT :x AS x` has: nobody knows what they are before a request comes. Only expressions can; each parameter is
 * tried by itself, because the others may have to be what they are.
 */
import type { Statement } from '../../../model.ts'
import { render } from '../plans/plan.ts'
import type { Session } from '../sessions/session.ts'
import { kindsOf } from '../types/candidates.ts'
import type { Code } from '../types/encode.ts'
import type { ColumnDescription } from '../wire/frames.ts'
import { toServerError, type Typed } from './types.ts'

/** Kinds of values that make other types of expressions than a null does, where a statement takes them. */
const kinds: readonly Code[] = ['t', 'i', 'f', 'b']

/** Statements with more names are tried with the first ones. */
const maxNames = 30

/** Numbers of the columns. */
export async function findVarying(
  session: Session,
  statement: Statement,
  { columns = [] }: Typed,
): Promise<ReadonlySet<number>> {
  const varying = new Set<number>()
  const names = statement.names.length
  if (names === 0 || columns.every(({ tableID }) => tableID !== 0)) return varying
  const tries = Array.from({ length: Math.min(names, maxNames) }, (_, source) =>
    (kindsOf(statement.declared?.[source]) ?? kinds).map(async (kind) => {
      const others = await columnsWith(session, statement, 'n'.repeat(source) + kind + 'n'.repeat(names - source - 1))
      for (const [index, { dataTypeID }] of columns.entries()) {
        if (others?.[index] !== undefined && others[index].dataTypeID !== dataTypeID) varying.add(index)
      }
    }),
  )
  await Promise.all(tries.flat())
  return varying
}

/** With the declared types of such values; nothing where the statement does not take these. */
async function columnsWith(
  session: Session,
  statement: Statement,
  shape: string,
): Promise<readonly ColumnDescription[] | undefined> {
  const { text, parameters } = render(statement, shape, { membership: false, perSlot: false })
  try {
    const { columns } = await session.prepareText(
      text,
      parameters.map(({ candidates }) => candidates[0] as number),
    )
    return columns
  } catch (error) {
    toServerError(error)
    return undefined
  }
}
