/**
 * The params of a file that was written by hand -> the JSON Schema of a body: what the file declares of each, or its
 * name alone.
 */
import type { DeclaredParam, ParamType, SoapEndpoint } from '../../model.ts'
import type { Json } from './openapi-errors.ts'

/** Of what is inside a param nothing is known. */
export function describeParams(
  { params, declared = [] }: Pick<SoapEndpoint, 'params' | 'declared'>,
  isRefusing: boolean,
): Json {
  const byName = new Map(declared.map((param) => [param.name, param]))
  const required = declared.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(params.map((name) => [name, describe(byName.get(name))])),
    ...(required.length === 0 ? {} : { required }),
    ...(isRefusing ? { additionalProperties: false } : {}),
  }
}

function describe(param: DeclaredParam | undefined): Json {
  if (param === undefined) return {}
  const { type, pattern, enumeration, description } = param
  return {
    ...(type === undefined ? {} : types[type]),
    ...(enumeration === undefined ? {} : { enum: enumeration.map((value) => toJson(value, type)) }),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    ...(description === undefined ? {} : { description }),
  }
}

const types: Readonly<Record<ParamType, Json>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  array: { type: 'array' },
  object: { type: 'object' },
}

/** As a caller would write it; digits that JSON's readers lose stay text. */
function toJson(value: string, type: ParamType | undefined): unknown {
  if (type === 'boolean') return value === 'true' || value === '1'
  if (type !== 'integer' && type !== 'number') return value
  const number = Number(value)
  return type === 'integer' && !Number.isSafeInteger(number) ? value : number
}
