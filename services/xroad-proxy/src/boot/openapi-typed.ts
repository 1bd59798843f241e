/**
 * What the description of an endpoint gains from its WSDL: titles and notes, types of the request with an example, types of
 * the answer in the shape that is in force. Operations come in, pieces of OpenAPI out; openapi.ts puts them in their places.
 *
 * Types of answers are components, written once for each WSDL and shape. All of them together are bounded.
 */
import type { ResponseShape, SoapEndpoint } from '../model.ts'
import type { Operation, Wsdl } from '../wsdl/operations.ts'
import { describeRequest } from '../wsdl/request-schema.ts'
import { ResponseSchemas } from '../wsdl/response-schema.ts'
import { TypedResponseSchemas } from '../wsdl/typed-response.ts'
import type { JsonSchema } from '../wsdl/value-schema.ts'
import { toWords } from '../wsdl/words.ts'
import type { EndpointTypes, TypedEndpoint } from './openapi.ts'
import type { GeneratedFrom } from './wsdl/ingest.ts'

export interface TypeOptions {
  /** By DSL file. */
  readonly generated: ReadonlyMap<string, GeneratedFrom>
  /** Endpoints that answer with the types of their WSDL. */
  readonly bodies: ReadonlyMap<SoapEndpoint, unknown>
  /** Of hand-written files that stand in the place of generated ones: only their answers have types. */
  readonly replaced: ReadonlyMap<string, GeneratedFrom>
  readonly maxCharacters?: number
}

/** Of all types together. What comes when they are used up is described without types. */
const maxTypeCharacters = 64 * 1024 * 1024

export function typeEndpoints(options: TypeOptions): EndpointTypes {
  const types = new Types(options)
  return { of: (endpoint) => types.of(endpoint), schemas: types.schemas }
}

class Types {
  /** Key -> definition, of all WSDLs. */
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #options: TypeOptions
  readonly #answers: Readonly<Record<'plain' | 'schema', Map<Wsdl, Answers>>> = { plain: new Map(), schema: new Map() }
  readonly #takenPrefixes = new Set<string>()
  #left: number

  constructor(options: TypeOptions) {
    this.#options = options
    this.#left = options.maxCharacters ?? maxTypeCharacters
  }

  of(endpoint: SoapEndpoint): TypedEndpoint | undefined {
    if (this.#left <= 0) return undefined
    const { generated, replaced, bodies } = this.#options
    const isTyped = bodies.has(endpoint)
    const from = generated.get(endpoint.file) ?? (isTyped ? replaced.get(endpoint.file) : undefined)
    if (from === undefined) return undefined
    const shape: ResponseShape = isTyped ? 'schema' : 'plain'
    const body = this.#answer(from, shape)
    if (!generated.has(endpoint.file)) return this.#spend({ body, shape })
    const { title, description: words, ...others } = toWords(from.operation.documentation)
    const { schema, example } = describeRequest(from.request)
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

  #answer(
    { wsdl, operation: { output } }: { wsdl: Wsdl; operation: Operation },
    shape: 'plain' | 'schema',
  ): JsonSchema {
    if (output === undefined) return {}
    let answers = this.#answers[shape].get(wsdl)
    if (answers === undefined) {
      const prefix = this.#prefixOf(wsdl)
      const toReference = (key: string): string => `#/components/schemas/${prefix}${key}`
      const schemas =
        shape === 'schema' ? new TypedResponseSchemas(wsdl, toReference) : new ResponseSchemas(wsdl, toReference)
      answers = { prefix, schemas, written: 0 }
      this.#answers[shape].set(wsdl, answers)
    }
    const body = answers.schemas.describe(output)
    const definitions = [...answers.schemas.definitions]
    for (const [key, definition] of definitions.slice(answers.written)) {
      this.schemas[`${answers.prefix}${key}`] = this.#spend(definition)
    }
    answers.written = definitions.length
    return body
  }

  /** Made of the WSDL's name; with a dot, which no other component has. */
  #prefixOf({ file }: Wsdl): string {
    const name = file
      .replace(/\.wsdl$/iu, '')
      .replaceAll('/', '.')
      .replace(/[^A-Za-z0-9._-]/gu, '_')
    let prefix = `${name}.`
    for (let count = 2; this.#takenPrefixes.has(prefix); count++) prefix = `${name}_${count}.`
    this.#takenPrefixes.add(prefix)
    return prefix
  }

  #spend<Part extends object>(part: Part): Part {
    this.#left -= JSON.stringify(part).length
    return part
  }
}

interface Answers {
  readonly prefix: string
  readonly schemas: TypedResponseSchemas | ResponseSchemas
  /** How many of its definitions are in. */
  written: number
}
