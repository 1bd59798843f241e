/**
 * Choices between params by their names, as a DSL file has them: what is wrong with an object whose values may be
 * anything. Files that are made of a WSDL have choices in their contract instead, branch by branch.
 */
import { maxProblems, type RequestProblem } from '../../errors.ts'
import type { ParamBranch, ParamChoice } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import { isObject, type JsonObject, valueOf } from './values.ts'

/** Objects that are looked at between two pauses. */
const stepObjects = 10_000

/** At most `maxProblems`. */
export function* choiceProblems(
  document: JsonObject,
  choices: readonly ParamChoice[],
): Steps<readonly RequestProblem[]> {
  const problems: RequestProblem[] = []
  let objects = 0
  for (const choice of choices) {
    for (const [path, object] of objectsWithin(document, choice.within, '')) {
      if (object !== undefined) problems.push(...problemsOf(choice, object, path))
      if (problems.length >= maxProblems) return problems.slice(0, maxProblems)
      objects++
      if (objects % stepObjects === 0) yield
    }
  }
  return problems
}

/** The objects that names lead to, each with the path before its params; of a list each item, which may be none. */
function* objectsWithin(
  value: unknown,
  [name, ...inner]: readonly string[],
  path: string,
): Generator<readonly [path: string, object: JsonObject | undefined], void, void> {
  const object = isObject(value) ? value : undefined
  if (object === undefined || name === undefined) {
    yield [path, object]
    return
  }
  const found = valueOf(object, name)
  const items: readonly unknown[] = Array.isArray(found) ? found : [found]
  for (const [index, item] of items.entries()) {
    yield* objectsWithin(item, inner, Array.isArray(found) ? `${path}${name}[${index}].` : `${path}${name}.`)
  }
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
  const more = others.length - maxNamed
  const named = [...others.slice(0, maxNamed), ...(more > 0 ? [`${more} more, which /api lists`] : [])]
  return `missing, expected it or ${others.length > 1 ? 'one of ' : ''}${named.join(', ')}`
}
