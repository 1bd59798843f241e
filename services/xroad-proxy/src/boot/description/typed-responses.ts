/**
 * Which endpoints answer with the types of their WSDL, and what those types are: endpoints and the operations that
 * their files stand for in, shapes for the translation out. Only a file whose WSDL was read at this start can have one.
 */
import type { Endpoint, ResponseShape, SoapEndpoint } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import { type Member, toBody } from '../../soap/json/shape.ts'
import { ResponseObjects } from '../../wsdl/description/response-objects.ts'
import type { Wsdl } from '../../wsdl/operations/operations.ts'
import { Shapes } from '../../wsdl/description/shape.ts'
import type { Ingested } from '../ingest/ingest.ts'

export interface TypedResponses {
  /** What the Body holds, for those that answer with types. */
  readonly bodies: ReadonlyMap<SoapEndpoint, Member>
  /** One WARN each. */
  readonly warnings: readonly string[]
}

export function* typeResponses(
  endpoints: readonly Endpoint[],
  { generated, replaced }: Pick<Ingested, 'generated' | 'replaced'>,
  usual: ResponseShape,
): Steps<TypedResponses> {
  const bodies = new Map<SoapEndpoint, Member>()
  const plain = new Map<SoapEndpoint, Reason>()
  const sources = new Map<Wsdl, { objects: ResponseObjects; shapes: Shapes }>()
  for (const endpoint of endpoints) {
    if (endpoint.kind !== 'soap' || (endpoint.response ?? usual) !== 'schema') continue
    // What a person wrote may call something else by the same name, unless it says that it does not.
    const own = endpoint.response === 'schema' ? replaced.get(endpoint.file) : undefined
    const from = generated.get(endpoint.file) ?? own
    yield* from?.prepare() ?? []
    yield
    const { wsdl, operation } = from ?? {}
    if (wsdl === undefined || operation === undefined) {
      plain.set(endpoint, replaced.has(endpoint.file) ? 'by_hand' : 'no_wsdl')
      continue
    }
    const { objects, shapes } = sources.get(wsdl) ?? { objects: new ResponseObjects(), shapes: new Shapes() }
    sources.set(wsdl, { objects, shapes })
    try {
      const element = operation.output === undefined ? undefined : objects.of(operation.output)
      if (element === undefined) plain.set(endpoint, 'no_types')
      else bodies.set(endpoint, toBody(shapes.of(element)))
    } catch {
      // Others write WSDLs: whatever one holds, the service starts.
      plain.set(endpoint, 'odd_types')
    }
  }
  return { bodies, warnings: [...toldByFile(plain), ...toldByConfig(plain)] }
}

/** Why a response stays plain: for a file that asks for types itself, and for those that the configuration asks for. */
const reasons = {
  no_wsdl: [
    'schema needs a WSDL that has this operation',
    'no WSDL that was read at this start has their operations; response: plain in a file says that this is meant',
  ],
  no_types: [
    'the WSDL does not tell what the answer holds',
    'their WSDL does not tell what the answer holds; response: plain in its sidecar says that this is meant',
  ],
  odd_types: [
    'what the WSDL says of the answer cannot be used',
    'what their WSDL says of the answers cannot be used; response: plain in its sidecar says that this is meant',
  ],
  by_hand: [
    '',
    'they were written by hand in the place of generated files; response: schema in a file gives it the types of its WSDL',
  ],
} as const

type Reason = keyof typeof reasons

function toldByFile(plain: ReadonlyMap<SoapEndpoint, Reason>): readonly string[] {
  return [...plain].flatMap(([{ file, response }, reason]) =>
    response === 'schema' ? [`${file}: response: ${reasons[reason][0]}; the answer stays plain`] : [],
  )
}

const maxNamed = 10

/** One line for all files of a reason: there may be hundreds. */
function toldByConfig(plain: ReadonlyMap<SoapEndpoint, Reason>): readonly string[] {
  const asked = [...plain].filter(([{ response }]) => response === undefined)
  return Array.from(
    Map.groupBy(asked, ([, reason]) => reason),
    ([reason, found]) => {
      const named = found.slice(0, maxNamed).map(([{ file }]) => file)
      const more = found.length - named.length
      const files = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
      return `soap_response: schema has no effect on ${files}: ${reasons[reason][1]}; the answers stay plain`
    },
  )
}
