/**
 * Choices between params by their names, as a DSL file has them: what is wrong with an object whose values may be
 * anything. Files that are made of a WSDL have choices in their contract instead, branch by branch.
 */
import type { RequestProblem } from '../../errors.ts'
import type { ParamBranch, ParamChoice } from '../../model.ts'
import { isObject, type JsonObject, valueOf } from './values.ts'

export function choiceProblems(document: JsonObject, choices: readonly ParamChoice[]): readonly RequestProblem[] {
  return choices.flatMap((choice) =>
    objectsWithin(document, choice.within, '').flatMap(([path, object]) => problemsOf(choice, object, path)),
  )
}

/** The objects that names lead to, each with the path before its params; of a list each item. */
function objectsWithin(
  value: unknown,
  [name, ...inner]: readonly string[],
  path: string,
): readonly (readonly [path: string, object: JsonObject])[] {
  if (!isObject(value)) return []
  if (name === undefined) return [[path, value]]
  const found = valueOf(value, name)
  if (!Array.isArray(found)) return objectsWithin(found, inner, `${path}${name}.`)
  return found.flatMap((item: unknown, index) => objectsWithin(item, inner, `${path}${name}[${index}].`))
}

function problemsOf({ branches, isRequired, around }: ParamChoice, object: JsonObject, path: string): RequestProblem[] {
  const isGiven = (param: string): boolean => isThere(valueOf(object, param))
  const given = branches.filter(({ params }) => params.some(isGiven))
  const [first, ...others] = given
  if (first === undefined) {
    const isNeeded = isRequired && (around.length === 0 || around.some(isGiven))
    return isNeeded ? [{ param: path + firstOf(branches), problem: tellMissing(branches) }] : []
  }
  const missing = first.required.filter((param) => !isGiven(param))
  const name = first.params.find(isGiven) ?? ''
  return [
    ...missing.map((param) => ({ param: path + param, problem: `missing, as ${name} is there` })),
    ...others.map(({ params }) => ({
      param: path + (params.find(isGiven) ?? ''),
      problem: `cannot stand beside ${name}; give only one of the two`,
    })),
  ]
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

function firstOf([branch]: readonly ParamBranch[]): string {
  return branch?.params[0] ?? ''
}

const maxNamed = 10

/** In words that follow the name of the first. */
export function tellMissing(branches: readonly Pick<ParamBranch, 'params'>[]): string {
  const [, ...others] = branches.map(({ params: [first = ''] }) => first)
  if (others.length === 0) return 'missing'
  return `missing, expected it or ${others.length > 1 ? 'one of ' : ''}${others.slice(0, maxNamed).join(', ')}`
}
