/**
 * What a file gets wrong in the declaration of a param, before there is any request: an expression that is not known
 * here, values that the param itself would refuse. Params that a file only names need none of this, so it is loaded
 * with the first declaration that does.
 */
import type { DeclaredParam } from '../../model.ts'
import { toTextType } from './declared-contract.ts'
import { maxEffort } from './pattern/automaton.ts'
import { toTextCheck } from './text-check.ts'

export { expressionProblem } from './text-check.ts'

/** For each value what would be right, as words that follow "expected"; undefined for one that is. */
export function problemsOfValues(
  { type, pattern }: Pick<DeclaredParam, 'type' | 'pattern'>,
  values: readonly string[],
): readonly (string | undefined)[] {
  const check = toTextCheck(toTextType({ type, pattern }))
  return values.map((value) => check.problemOf(value, { left: maxEffort }))
}
