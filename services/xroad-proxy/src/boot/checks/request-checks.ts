/**
 * Which endpoints have their requests checked, and against what: the types of the WSDL for generated files, what a
 * hand-written file declares of its params, or no more than their names. Endpoints that check nothing are left out.
 */
import { nearest } from '@services/config-file'
import { maxProblems } from '../../errors.ts'
import type { Endpoint, SoapEndpoint, ValidationMode } from '../../model.ts'
import { choiceProblems } from '../../soap/check/choices.ts'
import { type RequestCheckInSteps, toRequestCheckInSteps, type Validation } from '../../soap/check/check.ts'
import { CompiledContracts } from '../../soap/check/compiled-contracts.ts'
import { toDeclaredContract } from '../../soap/check/declared-contract.ts'
import type { Steps } from '../../steps.ts'
import type { GeneratedFrom, Ingested } from '../ingest/ingest.ts'
import { contractsOf } from './request-contracts.ts'

export interface RequestChecks {
  readonly checks: ReadonlyMap<SoapEndpoint, Validation>
  /** Those of them that refuse what does not fit. */
  readonly refusing: ReadonlySet<Endpoint>
  /** One WARN each. */
  readonly warnings: readonly string[]
}

export interface CheckOptions {
  readonly dslPath: string
  /** Of endpoints whose file does not say. */
  readonly usual: ValidationMode
  readonly generated: Ingested['generated']
}

export function* checkEndpoints(
  endpoints: readonly Endpoint[],
  { dslPath, usual, generated }: CheckOptions,
): Steps<RequestChecks> {
  const checks = new Map<SoapEndpoint, Validation>()
  const untyped: SoapEndpoint[] = []
  const bySource = Map.groupBy(generated.values(), ({ source }) => source)
  const compiled = new Map<string, CompiledWsdl>()
  for (const endpoint of endpoints) {
    const mode = endpoint.kind === 'soap' ? (endpoint.validation ?? usual) : 'off'
    if (endpoint.kind === 'rest' || mode === 'off') continue
    const from = generated.get(endpoint.file)
    if (endpoint.isGenerated && from === undefined) untyped.push(endpoint)
    yield
    const check = from === undefined ? { check: declaredCheck(endpoint) } : yield* typedCheck(from)
    checks.set(endpoint, { mode, ...check })
  }
  const refusing = new Set([...checks].filter(([, { mode }]) => mode === 'refuse').map(([endpoint]) => endpoint))
  return { checks, refusing, warnings: untyped.length === 0 ? [] : [tellUntyped(untyped)] }

  function* typedCheck({ source, name }: GeneratedFrom): Steps<Omit<Validation, 'mode'>> {
    const known = compiled.get(source) ?? (yield* compile(dslPath, bySource.get(source) ?? []))
    compiled.set(source, known)
    const root = known.roots[name] ?? 0
    return { check: toRequestCheckInSteps(known.contracts, root, nearest), flags: known.contracts.flagsOf(root) }
  }
}

interface CompiledWsdl {
  readonly contracts: CompiledContracts
  readonly roots: Readonly<Record<string, number>>
}

function* compile(dslPath: string, operations: readonly GeneratedFrom[]): Steps<CompiledWsdl> {
  const { roots, ...contracts } = yield* contractsOf(dslPath, operations)
  return { contracts: new CompiledContracts(contracts), roots }
}

function declaredCheck({ params, declared, choices }: SoapEndpoint): RequestCheckInSteps {
  const { contracts, root } = toDeclaredContract(params, declared)
  const check = toRequestCheckInSteps(new CompiledContracts(contracts), root, nearest)
  if (choices.length === 0) return check
  return function* checkBoth(document) {
    return [...(yield* check(document)), ...(yield* choiceProblems(document, choices))].slice(0, maxProblems)
  }
}

const maxNamed = 10

function tellUntyped(endpoints: readonly SoapEndpoint[]): string {
  const named = endpoints.slice(0, maxNamed).map(({ file }) => file)
  const more = endpoints.length - named.length
  return (
    `validate_requests checks no more than the names of params in ${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}: ` +
    'the WSDL that they were generated from was not read at this start; put it back into wsdl_watch_dir'
  )
}
