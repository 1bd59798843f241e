/**
 * The contracts of one WSDL or DSL file, ready for requests: checks of texts, names and flags by scope. Worked out when
 * they are first met, so that a start does not pay for operations that nobody calls.
 */
import type { ContractNode, Contracts, Scope } from './contract.ts'
import { type TextCheck, toTextCheck } from './text-check.ts'

export class CompiledContracts {
  readonly #contracts: Contracts
  readonly #checks: TextCheck[] = []
  readonly #names = new Map<Scope, ReadonlySet<string>>()

  constructor(contracts: Contracts) {
    this.#contracts = contracts
  }

  checkOf(type: number): TextCheck {
    return (this.#checks[type] ??= toTextCheck(this.#contracts.types[type] ?? { base: 'anyType' }))
  }

  scopeOf(index: number): Scope {
    return this.#contracts.scopes[index] ?? []
  }

  /** Names of the elements of a scope that can hold nothing, those inside of objects left out. */
  flagsOf(index: number): ReadonlySet<string> {
    return new Set(this.scopeOf(index).flatMap(flagsIn))
  }

  namesOf(scope: Scope): ReadonlySet<string> {
    const known = this.#names.get(scope)
    if (known !== undefined) return known
    const names = new Set(scope.flatMap(namesIn))
    this.#names.set(scope, names)
    return names
  }
}

export function namesIn(node: ContractNode): readonly string[] {
  if (node.kind === 'group') return node.nodes.flatMap(namesIn)
  if (node.kind === 'choice') return node.branches.flat().flatMap(namesIn)
  return [node.name]
}

function flagsIn(node: ContractNode): readonly string[] {
  if (node.kind === 'group') return node.nodes.flatMap(flagsIn)
  if (node.kind === 'choice') return node.branches.flat().flatMap(flagsIn)
  return node.kind === 'flag' ? [node.name] : []
}
