/**
 * Which endpoints answer with the types of their WSDL, and what those types are: endpoints and the operations that their files
 * stand for in, shapes for the translation out. Only a file whose WSDL was read at this start can have one.
 */
import type { Endpoint, ResponseShape, SoapEndpoint } from '../model.ts'
import { toBody } from '../soap/shape.ts'
import type { Member } from '../soap/shape.ts'
import { Outlines } from '../wsdl/outline.ts'
import type { Wsdl } from '../wsdl/operations.ts'
import { Shapes } from '../wsdl/shape.ts'
import type { Ingested } from './wsdl/ingest.ts'

export interface TypedAnswers {
  /** What the Body holds, for those that answer with types. */
  readonly bodies: ReadonlyMap<SoapEndpoint, Member>
  /** One WARN each. */
  readonly warnings: readonly string[]
}

export function typeAnswers(
  endpoints: readonly Endpoint[],
  { generated, replaced }: Pick<Ingested, 'generated' | 'replaced'>,
  usual: ResponseShape,
): TypedAnswers {
  const bodies = new Map<SoapEndpoint, Member>()
  const warnings: string[] = []
  const sources = new Map<Wsdl, { outlines: Outlines; shapes: Shapes }>()
  for (const endpoint of endpoints) {
    if (endpoint.kind !== 'soap' || (endpoint.response ?? usual) !== 'schema') continue
    // What a person wrote may call something else by the same name, unless it says that it does not.
    const own = endpoint.response === 'schema' ? replaced.get(endpoint.file) : undefined
    const { wsdl, operation } = generated.get(endpoint.file) ?? own ?? {}
    const warn = (reason: string): void => {
      if (endpoint.response === 'schema') warnings.push(`${endpoint.file}: response: ${reason}; the answer stays plain`)
    }
    if (wsdl === undefined || operation === undefined) {
      warn('schema needs a WSDL that has this operation')
      continue
    }
    const { outlines, shapes } = sources.get(wsdl) ?? { outlines: new Outlines(wsdl.schema), shapes: new Shapes() }
    sources.set(wsdl, { outlines, shapes })
    const element = operation.output === undefined ? undefined : outlines.of(operation.output)
    if (element === undefined) warn('the WSDL does not tell what the answer holds')
    else bodies.set(endpoint, toBody(shapes.of(element)))
  }
  return { bodies, warnings }
}
