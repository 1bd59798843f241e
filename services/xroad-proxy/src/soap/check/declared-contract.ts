/**
 * The params that a DSL file declares -> the contract of its requests. Params without a declaration may be anything.
 */
import type { DeclaredParam, ParamType } from '../../model.ts'
import type { ContractNode, RequestContract, TextType } from './contract.ts'

/** Type -> what stands for it in builtins.ts; `array` and `object` are not texts. */
const bases: Readonly<Record<Exclude<ParamType, 'array' | 'object'>, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'ownNumber',
  boolean: 'boolean',
  date: 'ownDate',
}

export function toDeclaredContract(names: readonly string[], declared: readonly DeclaredParam[] = []): RequestContract {
  const byName = new Map(declared.map((param) => [param.name, param]))
  const types: TextType[] = []
  const scope = names.map((name): ContractNode => {
    const { type, isRequired = false, pattern, enumeration } = byName.get(name) ?? {}
    const required = isRequired ? ({ isRequired } as const) : {}
    if (type === 'array' || type === 'object') return { kind: 'any', name, ...required, is: type }
    if (type === undefined && pattern === undefined && enumeration === undefined)
      return { kind: 'any', name, ...required }
    types.push(toTextType({ type, pattern, enumeration }))
    return { kind: 'text', name, type: types.length - 1, ...required }
  })
  return { contracts: { types, scopes: [scope] }, root: 0 }
}

export function toTextType({
  type,
  pattern,
  enumeration,
}: {
  readonly type?: ParamType | undefined
  readonly pattern?: string | undefined
  readonly enumeration?: readonly string[] | undefined
}): TextType {
  return {
    base: type === undefined || type === 'array' || type === 'object' ? 'anySimpleType' : bases[type],
    ...(enumeration === undefined ? {} : { enumeration }),
    ...(pattern === undefined ? {} : { expression: pattern }),
  }
}
