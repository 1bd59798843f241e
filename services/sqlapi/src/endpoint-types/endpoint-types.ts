/**
 * What databases say of the statements of a file -> what the endpoint takes and gives: the parameters of all
 * statements, and the keys of the rows that answer. Pure. What a type is in JSON is json-types.ts's.
 */
import type { DatabaseType, DescribedColumn, DescribedParameter, StatementDescription } from '../description.ts'
import { planColumns } from '../json/keys.ts'
import type { Script } from '../model.ts'

export interface EndpointTypes {
  /** In the order of first use. */
  readonly parameters: readonly DescribedParameter[]
  /** The keys of a row, in their order; none where there is never a row; undefined when it is unknown. */
  readonly keys: readonly DescribedColumn[] | undefined
}

/** `descriptions` are those of the script's statements. */
export function toEndpointTypes(script: Script, descriptions: readonly StatementDescription[]): EndpointTypes {
  const parameters = descriptions.flatMap((description) =>
    description.outcome === 'described' ? description.parameters : [],
  )
  const slots = script.statements.flatMap((statement) => statement.slots)
  return {
    parameters: script.parameters.map((name) => ({
      name,
      type: commonType(parameters.filter((parameter) => parameter.name === name)),
      isList: slots.some((slot) => slot.name === name && slot.role !== 'value'),
    })),
    keys: keysOf(descriptions),
  }
}

/** The type of one parameter in all statements that were described, where they agree. */
function commonType(places: readonly DescribedParameter[]): DatabaseType | undefined {
  const type = places[0]?.type
  return places.every((place) => place.type?.name === type?.name) ? type : undefined
}

/** Those of the last statement with a result, as long as each one behind it is known to have none. */
function keysOf(descriptions: readonly StatementDescription[]): readonly DescribedColumn[] | undefined {
  for (const description of descriptions.toReversed()) {
    if (description.outcome !== 'described') return undefined
    const { columns } = description
    if (columns !== undefined) return shownColumns(columns)
  }
  return []
}

/** Of several columns with one key the last, where the first is. */
function shownColumns(columns: readonly DescribedColumn[]): readonly DescribedColumn[] {
  return planColumns(columns.map(({ column }) => column)).map(({ column }) => columns[column] as DescribedColumn)
}
