/**
 * The choices between params that a DSL file declares -> those of its endpoint, and what is wrong with them: names that
 * are not params of the file, and names in two branches.
 */
import { flag, list, nearest, type Problem, section, strictText, type ValueOf } from '@services/config-file'
import type { ParamChoice } from '../../model.ts'

const paramNames = (meaning: string) => list(strictText('the name of a key in quotes or letters'), meaning)

/** The field as a file has it. */
export const choiceList = list(
  section({
    branches: list(
      section({
        params: paramNames('a list of names').describe('Params of the branch.'),
        required: paramNames('a list of names')
          .exactOptional()
          .describe('Those that a caller of the branch has to give; all of them if left out.'),
      }),
      'a list of branches, each with params',
    ).describe('Branches, of which a request gives one; of two the template takes the first.'),
    required: flag().default(true).describe('Whether one of the branches has to be given.'),
    around: paramNames('a list of names')
      .prefault([])
      .describe('The choice is required only where one of these params is given.'),
    within: paramNames('a list of names')
      .prefault([])
      .describe('Params that lead to the object, or the items of the list, that holds these; none for the body.'),
  }),
  'a list of choices, each with branches',
)
  .prefault([])
  .describe('Which params rule each other out.')

type Declared = ValueOf<typeof choiceList>

/** What a branch needs is all of it, where the file does not say. */
export function toChoices(choices: Declared): readonly ParamChoice[] {
  return Object.freeze(
    choices.map(({ within, branches, required, around }) => ({
      within,
      branches: branches.map((branch) => ({ params: branch.params, required: branch.required ?? branch.params })),
      isRequired: required,
      around,
    })),
  )
}

/** Of params inside others only the outermost are known. */
export function choiceWarnings(choices: Declared, params: readonly string[]): readonly Problem[] {
  return choices.flatMap(({ within, branches, around }, index) => {
    const path = ['choices', index]
    const [outermost] = within
    const known = outermost === undefined ? params : undefined
    const seen = new Set<string>()
    const twice = new Set(
      branches.flatMap((branch) => branch.params.filter((name) => seen.size === seen.add(name).size)),
    )
    return [
      ...(outermost === undefined ? [] : strangers([...path, 'within'], [outermost], params)),
      ...strangers([...path, 'around'], around, known),
      ...branches.flatMap((branch, at) => [
        ...strangers([...path, 'branches', at, 'params'], branch.params, known),
        ...strangers([...path, 'branches', at, 'required'], branch.required ?? [], branch.params, ' of its branch'),
      ]),
      ...Array.from(twice, (name) => ({ path: [...path, 'branches'], message: `${name} is in two branches` })),
    ]
  })
}

function strangers(
  path: Problem['path'],
  names: readonly string[],
  known: readonly string[] | undefined,
  whose = '',
): readonly Problem[] {
  if (known === undefined) return []
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      return {
        path,
        message: `${name} is not among the params${whose}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      }
    })
}
