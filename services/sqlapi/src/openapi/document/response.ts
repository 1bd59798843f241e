/** Columns and errors -> what the description says of responses. Pure. */
import { type ErrorStatus, type FailureDetails, failures } from '../../errors.ts'
import { orNull, type Schema, toSchema } from './schemas.ts'
import type { Column, ColumnType } from './operation.ts'

/** One row; columns that nobody knows may be called anything. */
export function rowSchema(columns: readonly Column[] | undefined): Schema {
  if (columns === undefined) return { type: 'object', additionalProperties: true }
  return {
    type: 'object',
    ...(columns.length === 0 ? {} : { required: columns.map(({ key }) => key) }),
    properties: Object.fromEntries(
      columns.map(({ key, type, isNullable, description }) => [
        key,
        { ...columnSchema(type, isNullable), ...(description === undefined ? {} : { description }) },
      ]),
    ),
  }
}

function columnSchema(type: ColumnType | undefined, isNullable: boolean): Schema {
  if (type === undefined) return {}
  if (type === 'pgobject') return isNullable ? orNull(pgobject) : pgobject
  return isNullable || type.holdsNoNumbers === true ? orNull(toSchema(type)) : toSchema(type)
}

const pgobject = {
  type: 'object',
  required: ['type', 'value'],
  properties: { type: { type: 'string' }, value: { type: 'string' } },
}

/** The statuses of errors that any request may get, smallest first. */
const statuses = [...new Set(Object.values(failures).map(({ status }) => status))].sort((a, b) => a - b)

/** What the statuses are about; the names of a status come from the table of errors. */
const meanings: Readonly<Record<ErrorStatus, string>> = {
  400: 'The request cannot be answered; `error` says why by name, `message` in words.',
  413: 'The body of the request is too large.',
  415: 'The body of the request is compressed; the service decodes no `Content-Encoding`.',
  500: 'A fault of the service; the log has the cause.',
}

/** The errors of each operation, as references. */
export const errorResponses: Schema = Object.fromEntries(
  statuses.map((status) => [status, { $ref: `#/components/responses/error_${status}` }]),
)

/** What those references lead to. */
export function errorComponents(hasFullErrors: boolean): { readonly responses: Schema; readonly schemas: Schema } {
  return {
    responses: Object.fromEntries(
      statuses.map((status) => [
        `error_${status}`,
        {
          description: meanings[status],
          content: { 'application/json': { schema: { $ref: `#/components/schemas/error_${status}` } } },
        },
      ]),
    ),
    schemas: Object.fromEntries(
      statuses.map((status) => [`error_${status}`, errorSchema(status, hasFullErrors ? details : {})]),
    ),
  }
}

/** What a database adds where it has something to add. */
const details = {
  detail: { type: 'string' },
  hint: { type: 'string' },
  position: {
    type: 'object',
    required: ['file', 'line', 'column'],
    properties: { file: { type: 'string' }, line: { type: 'integer' }, column: { type: 'integer' } },
  },
  sqlstate: { type: 'string' },
  code: { type: 'integer' },
} as const satisfies Record<keyof FailureDetails, Schema>

function errorSchema(status: number, more: Schema): Schema {
  const own = Object.values(failures).filter((failure) => failure.status === status)
  const isOfDatabase = own.some(({ error }) => error === failures.statement_failed.error)
  return {
    type: 'object',
    required: ['error', 'message'],
    properties: {
      error: { type: 'string', enum: [...new Set(own.map(({ error }) => error))] },
      message: { type: 'string' },
      ...(isOfDatabase ? more : {}),
    },
  }
}
