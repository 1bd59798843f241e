/**
 * Choices between params -> the keywords of JSON Schema that a request has to fit: `oneOf` with an alternative for each
 * branch, which rules the params of the others out, and one for none of them where that will do.
 */
import type { ParamBranch, ParamChoice } from '../../model.ts'
import type { Json, JsonSchema } from './value-schema.ts'

/** `properties` are the schemas of all params of the object. */
export function describeChoices(choices: readonly ParamChoice[], properties: JsonSchema): JsonSchema {
  const found = choices.map((choice) => ({ oneOf: alternativesOf(choice, properties) }))
  const [only] = found
  if (only === undefined) return {}
  return found.length === 1 ? only : { allOf: found }
}

/** Of all alternatives of a choice; of one that would rule out more they only say what each needs. */
const maxExcluded = 5000

function alternativesOf(choice: ParamChoice, properties: JsonSchema): readonly JsonSchema[] {
  const { branches, isRequired, around } = choice
  const all = branches.flatMap(({ params }) => params)
  const isShort = all.length * branches.length > maxExcluded
  const alternatives = branches.map((branch) => {
    const own = new Set(branch.params)
    const others = isShort ? [] : all.filter((param) => !own.has(param))
    return join(given(branch, properties), ruledOut(others, properties))
  })
  if (isRequired && around.length === 0) return alternatives
  return [...alternatives, ruledOut([...all, ...around], properties)]
}

/** Something of the branch, and all that it needs. */
function given({ params, required }: ParamBranch, properties: JsonSchema): JsonSchema {
  if (required.length > 0) return present(required, properties)
  const [first, ...others] = params.map((param) => present([param], properties))
  return first === undefined || others.length > 0
    ? { anyOf: [...(first === undefined ? [] : [first]), ...others] }
    : first
}

/** An empty list is nothing. */
function present(params: readonly string[], properties: JsonSchema): JsonSchema {
  const lists = params.filter((param) => mayBeList(properties[param]))
  const filled = Object.fromEntries(lists.map((param) => [param, { minItems: 1 }]))
  return { required: params, ...(lists.length === 0 ? {} : { properties: filled }) }
}

function ruledOut(params: readonly string[], properties: JsonSchema): JsonSchema {
  if (params.length === 0) return {}
  const none = (param: string): Json =>
    (properties[param] as JsonSchema)['type'] === 'array' ? { maxItems: 0 } : false
  return { properties: Object.fromEntries(params.map((param) => [param, none(param)])) }
}

function mayBeList(schema: Json | undefined): boolean {
  const { type, anyOf = [] } = schema as JsonSchema
  return [type].flat().includes('array') || (anyOf as readonly Json[]).some(mayBeList)
}

/** Of an alternative's two halves each may speak of params. */
function join(one: JsonSchema, other: JsonSchema): JsonSchema {
  const properties = { ...(one['properties'] as JsonSchema), ...(other['properties'] as JsonSchema) }
  return { ...one, ...other, ...(Object.keys(properties).length === 0 ? {} : { properties }) }
}
