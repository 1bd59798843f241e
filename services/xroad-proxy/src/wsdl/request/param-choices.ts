/**
 * The choices of a request by the names of its params, plain values for the check of what a caller sends: the DSL
 * file has them (../dsl/write.ts) and so has its endpoint (`SoapEndpoint.choices`), and the schema in /api says the
 * same (description/choice-schema.ts).
 */
import type { ParamChoice } from '../../model.ts'
import { type Fields, fieldsOf, type Part } from './fields.ts'
import { isElement, isLeaf, type Params, type Slot } from './param-names.ts'
import type { RequestElement, RequestNode } from './request.ts'

export function choicesOf(root: RequestElement, nameOf: Params['nameOf']): readonly ParamChoice[] {
  return holdsChoice(root) ? choicesWithin(root, nameOf, []) : []
}

function choicesWithin(
  element: RequestElement,
  nameOf: Params['nameOf'],
  within: readonly string[],
): readonly ParamChoice[] {
  // Of several types each is an object of its own, named by its type.
  const found = element.alternatives.length > 0 ? undefined : fieldsOf(element)
  const own = found === undefined ? [] : paramChoices(found, nameOf, within)
  const slots: readonly Slot[] = found === undefined ? element.alternatives : found.fields.map(({ slot }) => slot)
  const inner = slots.flatMap((slot) =>
    isElement(slot) && !isLeaf(slot) ? choicesWithin(slot, nameOf, [...within, nameOf.get(slot) ?? '']) : [],
  )
  return [...own, ...inner]
}

/** Those of one object. */
export function paramChoices(
  { fields, choices }: Fields,
  nameOf: Params['nameOf'],
  within: readonly string[] = [],
): readonly ParamChoice[] {
  if (choices.length === 0) return []
  const toNames = (slots: readonly Slot[]): readonly string[] => slots.map((slot) => nameOf.get(slot) ?? '')
  const ofParts = new Map<Part, Slot[]>()
  for (const { slot, part } of fields) {
    for (let at = part; at !== undefined; at = at.outer) {
      const slots = ofParts.get(at)
      if (slots === undefined) ofParts.set(at, [slot])
      else slots.push(slot)
    }
  }
  return choices.map(({ branches, isOptional, part }) => ({
    within,
    branches: branches.map((branch) => ({
      params: toNames(ofParts.get(branch) ?? []),
      required: toNames(branch.needed),
    })),
    isRequired: !isOptional,
    around: isOptional || part === undefined ? [] : toNames(signsOf(part, ofParts.get(part) ?? [])),
  }))
}

/** Whether a part is there shows in what it cannot do without, if there is such a thing. */
function signsOf({ needed: [first] }: Part, all: readonly Slot[]): readonly Slot[] {
  return first === undefined ? all : [first]
}

function holdsChoice(node: RequestNode): boolean {
  switch (node.kind) {
    case 'choice':
      return true
    case 'group':
      return node.children.some(holdsChoice)
    case 'element':
      return node.children.some(holdsChoice) || node.alternatives.some(holdsChoice)
  }
}
