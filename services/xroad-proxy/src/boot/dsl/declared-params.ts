/**
 * The field `params` of a SOAP file: a list of names, or a map of names with what each value has to be. Checks what a
 * declaration alone can get wrong; requests are held against it by soap/check.
 */
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { checked, flag, list, names, oneOf, section, strictText, text } from '@services/config-file'
import type { DeclaredParam } from '../../model.ts'

/** Loaded with the first declaration that needs it: most trees have none, and each start would pay for it. */
const load = createRequire(import.meta.url)
function declarations(): typeof import('../../soap/check/declaration.ts') {
  return load(`../../soap/check/declaration${extname(import.meta.url)}`) as ReturnType<typeof declarations>
}

const types = ['string', 'integer', 'number', 'boolean', 'date', 'array', 'object'] as const
const meanings = { pattern: 'an expression such as [0-9]{11}, which the whole value has to match' }

export const paramList = list(
  strictText('the name of a key in quotes or letters'),
  'a list of names, or a map of names with what they are',
)
  .prefault([])
  .describe('Keys of the JSON body that the template may use; all others are dropped.')

const param = section({
  type: oneOf(types).exactOptional().describe('What the value has to be; left out, anything.'),
  required: flag().default(false).describe('Whether it has to be there.'),
  pattern: checked(text(meanings.pattern), (given) => declarations().expressionProblem(given), meanings.pattern)
    .exactOptional()
    .describe('ECMAScript expression that the whole value has to match, without looking ahead, behind or back.'),
  enum: list(text('a value'), 'a list of values').exactOptional().describe('The only values that are allowed.'),
  description: text('what the param is').exactOptional().describe('Words for people, in /api.'),
})

export const paramMap = names(param, 'a list of names, or a map of names with what they are').describe(
  'Keys of the JSON body that the template may use, with what each value has to be.',
)

interface GivenParam {
  readonly type?: DeclaredParam['type']
  readonly required: boolean
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly description?: string
}

export function toDeclared(
  name: string,
  { type, required, pattern, enum: values, description }: GivenParam,
): DeclaredParam {
  return Object.freeze({ name, type, isRequired: required, pattern, enumeration: values, description })
}

/** What no request could ever meet, by param; for the author of the file. */
export function declarationProblems({
  name,
  type,
  pattern,
  enumeration,
}: DeclaredParam): readonly DeclarationProblem[] {
  const problems: DeclarationProblem[] = []
  for (const [field, given] of Object.entries({ pattern, enum: enumeration })) {
    if (given === undefined || (type !== 'array' && type !== 'object')) continue
    problems.push({
      path: ['params', name, field],
      message: `has no meaning for a param of type ${type}; leave it out`,
    })
  }
  if (problems.length > 0 || enumeration === undefined) return problems
  if (enumeration.length === 0)
    return [{ path: ['params', name, 'enum'], message: 'found an empty list, expected values' }]
  const wanted = declarations().problemsOfValues({ type, pattern }, enumeration)
  return wanted.flatMap((words, index): DeclarationProblem[] => {
    return words === undefined ? [] : [{ path: ['params', name, 'enum', index], message: `expected ${words}` }]
  })
}

export interface DeclarationProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}
