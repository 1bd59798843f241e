/**
 * The contracts of requests to generated endpoints, by WSDL. They are worked out once and kept beside what is
 * remembered of the WSDL, so that a later start need not read it again.
 */
import { createHash } from 'node:crypto'
import type { Contracts } from '../../soap/check/contract.ts'
import type { Steps } from '../../steps.ts'
import { RequestContracts } from '../../wsdl/description/request-contract.ts'
import type { GeneratedFrom } from '../ingest/ingest.ts'
import { recallContent, rememberContent } from '../ingest/kept-content.ts'
import { contractsName } from '../ingest/survey-memory.ts'

/** The contracts of a WSDL and the scope that each of its operations has for a body, by name. */
export interface WsdlContracts extends Contracts {
  readonly roots: Readonly<Record<string, number>>
}

/** `operations` are all of one WSDL. */
export function* contractsOf(dslPath: string, operations: readonly GeneratedFrom[]): Steps<WsdlContracts> {
  const [{ source, key } = { source: '', key: undefined }] = operations
  const names = operations.map(({ name }) => name)
  if (key === undefined) return yield* makeContracts(operations)
  const wanted = createHash('sha256')
    .update(JSON.stringify([key, names]))
    .digest('hex')
  const known = recallContent(dslPath, contractsName(source), wanted)
  if (known !== undefined) return JSON.parse(known.toString()) as WsdlContracts
  const made = yield* makeContracts(operations)
  rememberContent(dslPath, contractsName(source), wanted, Buffer.from(JSON.stringify(made)))
  return made
}

function* makeContracts(operations: readonly GeneratedFrom[]): Steps<WsdlContracts> {
  const contracts = new RequestContracts()
  const roots: [name: string, root: number][] = []
  for (const operation of operations) {
    yield* operation.prepare()
    yield
    roots.push([operation.name, contracts.add(operation.request)])
  }
  return { types: contracts.types, scopes: contracts.scopes, roots: Object.fromEntries(roots) }
}
