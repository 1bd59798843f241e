/**
 * Parameters of a file -> what the description says of a request, with an example that the endpoint accepts. A GET has
 * a query string, whose values are texts; a POST has a JSON object. Pure.
 */
import { exampleOf, orNull, type Schema, toSchema } from './schemas.ts'
import type { JsonType } from '../../endpoint-types/json-types.ts'
import type { Parameter } from './operation.ts'

/** The parameters of a GET. */
export function queryParameters(parameters: readonly Parameter[]): Schema[] {
  return parameters.map((parameter) => {
    const { name, fallback, description } = parameter
    const example = exampleInQuery(parameter)
    const schema = querySchema(parameter)
    return {
      name,
      in: 'query',
      required: fallback === undefined,
      ...(description === undefined ? {} : { description }),
      // The example of a parameter with a default is that default, in the form in which a query string has it.
      schema: fallback === undefined || example === undefined ? schema : { ...schema, default: example },
      ...(example === undefined ? {} : { example }),
    }
  })
}

/**
 * A value of a query string is text. Only a declared list takes repeated keys; any other is written as the database
 * reads it.
 */
function querySchema(parameter: Parameter): Schema {
  const { type } = parameter
  if (isUndeclaredList(parameter)) return { type: 'string' }
  if (type?.type !== 'array') return withChoices(textSchema(type), parameter)
  return { type: 'array', items: withChoices(textSchema(type.items), parameter) }
}

function textSchema(type: JsonType | undefined): Schema {
  if (type === undefined) return { type: 'string' }
  return type.type === 'any' ? { type: 'string', contentMediaType: 'application/json' } : toSchema(type)
}

function isUndeclaredList({ type, isDeclared }: Parameter): boolean {
  return type?.type === 'array' && isDeclared !== true
}

/** Nothing where the value that is bound without one is null. */
function exampleInQuery(parameter: Parameter): unknown {
  const { type } = parameter
  // What PostgreSQL reads as an array without elements. How it writes another one is not known here.
  if (isUndeclaredList(parameter)) return parameter.fallback === undefined ? '{}' : undefined
  const value = exampleValue(parameter)
  if (value === null) return undefined
  if (type === undefined) return asText(value)
  if (type.type === 'any') return JSON.stringify(value)
  return type.type === 'array' && type.items?.type === 'any'
    ? (value as unknown[]).map((each) => JSON.stringify(each))
    : value
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
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
  const schema = bodyValueSchema(parameter)
  return description === undefined ? schema : { ...schema, description }
}

/**
 * Null always passes. Where a list is expanded, one value may stand for a list of one. A default is with the
 * alternative that it is one of: beside `anyOf`, generators of client code would take the value for one that is always
 * there.
 */
function bodyValueSchema(parameter: Parameter): Schema {
  const { type, isExpanded, fallback } = parameter
  const isList = type?.type === 'array'
  const single = withChoices(type === undefined ? {} : toSchema(isList ? (type.items ?? anything) : type), parameter)
  const isAnything = Object.keys(single).length === 0
  const one = isList ? { type: 'array', items: orNull(single) } : single
  if (fallback === undefined && !(isExpanded && !isList && !isAnything)) return orNull(one)
  const list = isExpanded && !isList && !isAnything ? [{ type: 'array', items: orNull(single) }] : []
  const alternatives = isAnything && !isList ? [one] : [one, ...list, { type: 'null' }]
  return { anyOf: withFallback(alternatives, fallback) }
}

const anything: JsonType = { type: 'any' }

function withFallback(alternatives: readonly Schema[], fallback: Parameter['fallback']): readonly Schema[] {
  if (fallback === undefined) return alternatives
  const { json } = fallback
  const isOwn = ({ type }: Schema): boolean =>
    type === undefined || (json === null ? type === 'null' : (type === 'array') === Array.isArray(json))
  const own = alternatives.find(isOwn)
  return alternatives.map((each) => (each === own ? { ...each, default: json } : each))
}

export function exampleBody(parameters: readonly Parameter[]): Schema {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const value = exampleValue(parameter)
      const isWrapped = parameter.isExpanded && parameter.fallback === undefined && !Array.isArray(value)
      return [parameter.name, isWrapped ? [value] : value]
    }),
  )
}

function exampleValue({ type, fallback, choices, example }: Parameter): unknown {
  if (fallback !== undefined) return fallback.json
  if (choices !== undefined) return type?.type === 'array' ? [choices[0]] : choices[0]
  return example ?? exampleOf(type)
}

function withChoices(schema: Schema, { choices }: Parameter): Schema {
  return choices === undefined ? schema : { ...schema, enum: choices }
}
