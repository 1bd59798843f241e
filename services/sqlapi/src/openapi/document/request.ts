/**
 * Parameters of a file -> what the description says of a request, with an example that the endpoint accepts. A GET has a query
 * string, whose values are texts; a POST has a JSON object. Pure.
 */
import { exampleOf, givenSchema, orNull, type Schema } from './kinds.ts'
import type { Parameter } from './operation.ts'

/** The parameters of a GET. */
export function queryParameters(parameters: readonly Parameter[]): Schema[] {
  return parameters.map((parameter) => {
    const { name, fallback, description } = parameter
    const example = exampleInQuery(parameter)
    return {
      name,
      in: 'query',
      required: fallback === undefined,
      ...(description === undefined ? {} : { description }),
      schema: withFallback(withChoices(querySchema(parameter), parameter), parameter),
      ...(example === undefined ? {} : { example }),
    }
  })
}

/** A value of a query string is text. Only a declared list takes repeated keys; any other is written as the database reads it. */
function querySchema({ type, isDeclared }: Parameter): Schema {
  if (type === undefined || (type.isList === true && isDeclared !== true)) return { type: 'string' }
  const single = type.kind === 'json' ? jsonAsText : (givenSchema({ kind: type.kind }) as Schema)
  return type.isList === true ? { type: 'array', items: single } : single
}

const jsonAsText = { type: 'string', contentMediaType: 'application/json' }

/** Nothing where the value that is bound without one is null: a query string has no null. */
function exampleInQuery(parameter: Parameter): unknown {
  const { type, isDeclared } = parameter
  const isList = type?.isList === true && isDeclared === true
  // What PostgreSQL reads as an array without elements.
  if (type?.isList === true && !isList) return '{}'
  const value = exampleValue(parameter, isList)
  if (value === null) return undefined
  if (type === undefined) return typeof value === 'string' ? value : JSON.stringify(value)
  if (type.kind !== 'json') return value
  return isList ? [value].flat().map((each) => JSON.stringify(each)) : JSON.stringify(value)
}

/** The object that a POST takes, and one of which a batch takes many. */
export function bodySchema(parameters: readonly Parameter[]): Schema {
  const required = parameters.filter(({ fallback }) => fallback === undefined).map(({ name }) => name)
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, property(parameter)])),
  }
}

function property(parameter: Parameter): Schema {
  const { description } = parameter
  const schema = withFallback(bodyValueSchema(parameter), parameter)
  return description === undefined ? schema : { ...schema, description }
}

/** Null always passes. Where a list is expanded, one value may stand for a list of one. */
function bodyValueSchema(parameter: Parameter): Schema {
  const { type, isExpanded } = parameter
  const schema = withChoices(givenSchema(type) ?? {}, parameter)
  if (Object.keys(schema).length === 0) return schema
  if (isExpanded && type?.isList !== true) {
    return { anyOf: [schema, { type: 'array', items: orNull(schema) }, { type: 'null' }] }
  }
  return schema['enum'] === undefined ? orNull(schema) : { anyOf: [schema, { type: 'null' }] }
}

export function exampleBody(parameters: readonly Parameter[]): Schema {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const { type, isExpanded } = parameter
      return [parameter.name, exampleValue(parameter, type?.isList === true || isExpanded)]
    }),
  )
}

function exampleValue({ type, fallback, choices }: Parameter, isList: boolean): unknown {
  if (fallback !== undefined) return fallback.json
  const value = choices?.[0] ?? exampleOf(type)
  return isList && !Array.isArray(value) ? [value] : value
}

/** The choices of a list are those of its elements. */
function withChoices(schema: Schema, { type, choices }: Parameter): Schema {
  if (choices === undefined) return schema
  if (schema['type'] !== 'array') return { ...schema, enum: choices }
  return { ...schema, items: { ...givenSchema(type && { kind: type.kind }), enum: choices } }
}

function withFallback(schema: Schema, { fallback }: Parameter): Schema {
  return fallback === undefined ? schema : { ...schema, default: fallback.json }
}
