/**
 * What the description of an endpoint gains from its WSDL: titles and notes, types of the request with an example,
 * types of the response in the shape that is in force. Operations come in, pieces of OpenAPI out; openapi.ts puts them
 * in their places.
 *
 * Types of responses are components, written once for each WSDL and shape. All of them together are bounded.
 */
import type { ResponseShape, SoapEndpoint } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import type { Operation, Wsdl } from '../../wsdl/operations/operations.ts'
import { describeRequest } from '../../wsdl/description/request-schema.ts'
import { ResponseSchemas } from '../../wsdl/description/response-schema.ts'
import { TypedResponseSchemas } from '../../wsdl/description/typed-response.ts'
import type { JsonSchema } from '../../wsdl/description/value-schema.ts'
import { toWords } from '../../wsdl/description/words.ts'
import { closeObjects } from './closed-schema.ts'
import type { EndpointTypes, TypedEndpoint } from './openapi.ts'
import type { GeneratedFrom } from '../ingest/ingest.ts'

export interface TypeOptions {
  /** By DSL file. */
  readonly generated: ReadonlyMap<string, GeneratedFrom>
  /** Endpoints that answer with the types of their WSDL. */
  readonly bodies: ReadonlyMap<SoapEndpoint, unknown>
  /** Of hand-written files that replace generated ones: only their responses have types. */
  readonly replaced: ReadonlyMap<string, GeneratedFrom>
  /** Endpoints that refuse requests that do not fit. */
  readonly refusing?: ReadonlySet<unknown>
  readonly maxCharacters?: number
}

/** Of all types together. What comes when they are used up is described without types. */
const maxTypeCharacters = 64 * 1024 * 1024

export function typeEndpoints(options: TypeOptions): EndpointTypes {
  const types = new Types(options)
  return {
    prepare: (endpoint) => types.prepare(endpoint),
    of: (endpoint) => types.of(endpoint),
    schemas: types.schemas,
  }
}

class Types {
  /** Key -> definition, of all WSDLs. */
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #options: TypeOptions
  readonly #responses: Readonly<Record<'plain' | 'schema', Map<Wsdl, Responses>>> = {
    plain: new Map(),
    schema: new Map(),
  }
  readonly #requestParts = new Map<Wsdl, Map<string, string>>()
  readonly #prefixes = new Map<Wsdl, string>()
  readonly #takenPrefixes = new Set<string>()
  #left: number

  constructor(options: TypeOptions) {
    this.#options = options
    this.#left = options.maxCharacters ?? maxTypeCharacters
  }

  *prepare(endpoint: SoapEndpoint): Steps<void> {
    if (this.#left > 0) yield* this.#sourceOf(endpoint)?.prepare() ?? []
  }

  of(endpoint: SoapEndpoint): TypedEndpoint | undefined {
    if (this.#left <= 0) return undefined
    const { generated, bodies } = this.#options
    const isTyped = bodies.has(endpoint)
    const from = this.#sourceOf(endpoint)
    if (from === undefined) return undefined
    const shape: ResponseShape = isTyped ? 'schema' : 'plain'
    const body = this.#response(from, shape)
    if (!generated.has(endpoint.file)) return this.#spend({ body, shape })
    const { title, description: words, ...others } = toWords(from.operation.documentation)
    const { schema: whole, example } = describeRequest(from.request)
    const isRefusing = this.#options.refusing?.has(endpoint) === true
    const schema = this.#shareParts(from.wsdl, isRefusing ? (closeObjects(whole) as JsonSchema) : whole)
    const description = [...(typeof words === 'string' ? [words] : []), ...from.notes].join('\n\n')
    return this.#spend({
      ...(typeof title === 'string' ? { summary: title } : {}),
      ...(description === '' ? {} : { description }),
      others,
      request: { schema, example },
      body,
      shape,
    })
  }

  #sourceOf(endpoint: SoapEndpoint): GeneratedFrom | undefined {
    const { generated, replaced, bodies } = this.#options
    return generated.get(endpoint.file) ?? (bodies.has(endpoint) ? replaced.get(endpoint.file) : undefined)
  }

  /** Large parts of requests are components: hundreds of operations may take the same one. */
  #shareParts(wsdl: Wsdl, schema: JsonSchema): JsonSchema {
    const properties = Object.entries((schema['properties'] ?? {}) as JsonSchema)
    if (!properties.some(([, property]) => isObjectSchema(property))) return schema
    const shared = properties.map(
      ([name, property]) => [name, isObjectSchema(property) ? this.#share(wsdl, name, property) : property] as const,
    )
    return { ...schema, properties: Object.fromEntries(shared) }
  }

  #share(wsdl: Wsdl, name: string, part: JsonSchema): JsonSchema {
    const text = JSON.stringify(part)
    if (text.length < minSharedCharacters) return part
    const parts = this.#requestParts.get(wsdl) ?? new Map<string, string>()
    this.#requestParts.set(wsdl, parts)
    let key = parts.get(text)
    if (key === undefined) {
      const wished = `${this.#prefixOf(wsdl)}request.${name.replace(/[^A-Za-z0-9._-]/gu, '_')}`
      key = wished
      for (let count = 2; Object.hasOwn(this.schemas, key); count++) key = `${wished}_${count}`
      parts.set(text, key)
      this.schemas[key] = this.#spend(part)
    }
    return { $ref: `#/components/schemas/${key}` }
  }

  #response(
    { wsdl, operation: { output } }: { wsdl: Wsdl; operation: Operation },
    shape: 'plain' | 'schema',
  ): JsonSchema {
    if (output === undefined) return {}
    let responses = this.#responses[shape].get(wsdl)
    if (responses === undefined) {
      const prefix = this.#prefixOf(wsdl)
      const toReference = (key: string): string => `#/components/schemas/${prefix}${key}`
      const schemas =
        shape === 'schema' ? new TypedResponseSchemas(toReference) : new ResponseSchemas(wsdl, toReference)
      responses = { prefix, schemas, written: 0 }
      this.#responses[shape].set(wsdl, responses)
    }
    const body = responses.schemas.describe(output)
    const definitions = [...responses.schemas.definitions]
    for (const [key, definition] of definitions.slice(responses.written)) {
      this.schemas[`${responses.prefix}${key}`] = this.#spend(definition)
    }
    responses.written = definitions.length
    return body
  }

  /** Made of the WSDL's name; with a dot, which no other component has. */
  #prefixOf(wsdl: Wsdl): string {
    const known = this.#prefixes.get(wsdl)
    if (known !== undefined) return known
    const name = wsdl.file
      .replace(/\.wsdl$/iu, '')
      .replaceAll('/', '.')
      .replace(/[^A-Za-z0-9._-]/gu, '_')
    let prefix = `${name}.`
    for (let count = 2; this.#takenPrefixes.has(prefix); count++) prefix = `${name}_${count}.`
    this.#takenPrefixes.add(prefix)
    this.#prefixes.set(wsdl, prefix)
    return prefix
  }

  #spend<Part extends object>(part: Part): Part {
    this.#left -= JSON.stringify(part).length
    return part
  }
}

const minSharedCharacters = 2000

function isObjectSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null && 'properties' in schema
}

interface Responses {
  readonly prefix: string
  readonly schemas: TypedResponseSchemas | ResponseSchemas
  /** How many of its definitions are in. */
  written: number
}
