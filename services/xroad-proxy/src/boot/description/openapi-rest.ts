/**
 * What the OpenAPI of a REST service says of its endpoints -> the same in `/api`: parameters, bodies, responses besides
 * our errors, and the components that these refer to, under names of their own. What the service itself adds, drops or
 * sets is not the caller's matter. Pure.
 */
import type { DescribedEndpoint, RestEndpoint } from '../../model.ts'
import { errorReferences, errorsAt, type Json, text } from './openapi-errors.ts'

export interface RestParts {
  /** As the provider calls the operation. */
  readonly operationId: string | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
  /** Fields of the operation besides those. */
  readonly fields: Json
  /** Parameters of the path, by name. */
  readonly inPath: ReadonlyMap<string, Json>
  /** The others, without ours. */
  readonly parameters: readonly Json[]
}

const ownHeaders = /^(?:x-road-.*|accept|content-type|authorization|host|content-length|expect|connection)$/i
const passed = { $ref: '#/components/responses/passed' }

/** Keeps together what the endpoints of all descriptions refer to. */
export class RestDescriptions {
  readonly #described: ReadonlyMap<RestEndpoint, DescribedEndpoint>
  /** One for each document and service. */
  readonly #names = new Map<string, Names>()
  readonly schemas: Record<string, Json> = {}
  readonly securitySchemes: Record<string, Json> = {}

  constructor(described: ReadonlyMap<RestEndpoint, DescribedEndpoint>) {
    this.#described = described
  }

  of(endpoint: RestEndpoint): RestParts | undefined {
    const described = this.#described.get(endpoint)
    if (described === undefined) return undefined
    const { group, service, forwardBody, allowedQueryParams, headers } = endpoint
    const prefix = `openapi.${group}.${service}.`
    const names = this.#names.get(prefix) ?? new Names(prefix, described.components)
    this.#names.set(prefix, names)
    const { fields } = described
    const changed = new Set([...(headers?.remove ?? []), ...(headers?.set ?? []).map(({ name }) => name.toLowerCase())])
    const security = this.#security(names, fields['security'], changed)
    const { operationId, summary, description, requestBody, deprecated, externalDocs } = fields
    const parameters = names.renamed(fields['parameters']) as Json[]
    const parts = {
      operationId: textOf(operationId),
      summary: textOf(summary),
      description: textOf(description),
      inPath: new Map(parameters.filter((each) => each['in'] === 'path').map((each) => [String(each['name']), each])),
      parameters: otherParameters(parameters, changed, allowedQueryParams),
      fields: {
        ...(deprecated === true ? { deprecated } : {}),
        ...(externalDocs === undefined ? {} : { externalDocs }),
        ...(security.length === 0 ? {} : { security }),
        ...(requestBody === undefined || !forwardBody ? {} : { requestBody: names.renamed(requestBody) }),
        responses: toResponses(names.renamed(fields['responses']) as Json | undefined),
      },
    }
    for (const [name, schema] of names.schemas()) this.schemas[name] = schema
    return parts
  }

  /** Without what the Security Server and the file take care of. */
  #security(names: Names, given: unknown, changed: ReadonlySet<string>): readonly Json[] {
    const { securitySchemes } = names.components
    const schemes = (securitySchemes ?? {}) as Readonly<Record<string, Json | undefined>>
    const isOurs = (name: string): boolean => {
      const { type, in: place, name: header } = schemes[name] ?? {}
      if (type === undefined || type === 'mutualTLS') return true
      if (type === 'apiKey') return place === 'header' && changed.has(String(header).toLowerCase())
      return changed.has('authorization')
    }
    return (Array.isArray(given) ? (given as readonly Json[]) : []).flatMap((requirement) => {
      const needed = Object.entries(requirement).filter(([name]) => !isOurs(name))
      for (const [name] of needed) this.securitySchemes[names.of(name)] = schemes[name] as Json
      return needed.length === 0 ? [] : [Object.fromEntries(needed.map(([name, scopes]) => [names.of(name), scopes]))]
    })
  }
}

const schemaReference = '#/components/schemas/'

/** Names of components, distinguished by a prefix, and those that are needed. */
class Names {
  readonly components: Json
  readonly #prefix: string
  readonly #needed = new Set<string>()
  readonly #written = new Set<string>()

  constructor(prefix: string, components: Json) {
    this.components = components
    this.#prefix = prefix.replaceAll(/[^\w.-]/gu, '_')
  }

  of(name: string): string {
    return this.#prefix + name
  }

  /** A copy with the names that components have here. */
  renamed(data: unknown): unknown {
    if (Array.isArray(data)) return (data as readonly unknown[]).map((item) => this.renamed(item))
    if (!isObject(data)) return data
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => {
        if (key === '$ref' && typeof value === 'string') return [key, this.#reference(value)]
        return [key, key === 'discriminator' ? this.#discriminator(value) : this.renamed(value)]
      }),
    )
  }

  #reference(given: string): string {
    if (!given.startsWith(schemaReference)) return given
    const name = given.slice(schemaReference.length)
    this.#needed.add(name)
    return schemaReference + this.of(name)
  }

  /** Or a property of that name. */
  #discriminator(given: unknown): unknown {
    const mapping = isObject(given) ? given['mapping'] : undefined
    if (!isObject(given) || !isObject(mapping)) return this.renamed(given)
    const targets = Object.entries(mapping).map(([value, target]) => {
      const name = String(target)
      return [value, this.#reference(name.startsWith('#') ? name : schemaReference + name)] as const
    })
    return { ...given, mapping: Object.fromEntries(targets) }
  }

  /** Those that have become needed, and those that they need. */
  *schemas(): Generator<readonly [string, Json]> {
    const all = (this.components['schemas'] ?? {}) as Json
    // The set grows while it is read.
    for (const name of this.#needed) {
      this.#needed.delete(name)
      if (this.#written.has(name)) continue
      this.#written.add(name)
      yield [this.of(name), (this.renamed(Object.hasOwn(all, name) ? all[name] : {}) ?? {}) as Json]
    }
  }
}

/** All but those of the path. */
function otherParameters(
  described: readonly Json[],
  changed: ReadonlySet<string>,
  allowed: ReadonlySet<string> | undefined,
): readonly Json[] {
  const others = described.filter(({ in: place, name }) => {
    if (place === 'header') return !ownHeaders.test(String(name)) && !changed.has(String(name).toLowerCase())
    if (place === 'cookie') return !changed.has('cookie')
    return place === 'query' && (allowed === undefined || allowed.has(String(name)))
  })
  const known = new Set(others.filter((parameter) => parameter['in'] === 'query').map(({ name }) => name))
  const more = [...(allowed ?? [])].filter((name) => !known.has(name))
  return [...others, ...more.map((name) => ({ name, in: 'query', schema: text }))]
}

/** The provider's, and where it has the status of one of our errors, that one or ours. */
function toResponses(given: Json = {}): Json {
  const own = Object.entries(given).filter(([status]) => /^(?:[1-5](?:\d\d|XX)|default)$/.test(status))
  const described = Object.fromEntries(own.map(([status, response]) => [status, withoutLinks(response as Json)]))
  const isSuccess = own.some(([status]) => status.startsWith('2'))
  const errors = Object.entries(errorReferences.rest).map(([status, reference]) => {
    const theirs = described[status]
    return [status, theirs === undefined ? reference : withErrors(theirs, errorsAt('rest', Number(status)))] as const
  })
  return {
    ...(isSuccess ? {} : { 200: passed }),
    '2XX': passed,
    default: passed,
    ...described,
    ...Object.fromEntries(errors),
  }
}

/** Links name operations of the provider's document. */
function withoutLinks(response: Json): Json {
  const { links: _, ...others } = response
  return others
}

function withErrors(theirs: Json, errors: readonly Json[]): Json {
  if (errors.length === 0) return theirs
  const content = (theirs['content'] ?? {}) as Readonly<Record<string, Json>>
  const json = content['application/json']
  const schema = { anyOf: [...errors, ...(json?.['schema'] === undefined ? [] : [json['schema']])] }
  return { ...theirs, content: { ...content, 'application/json': { ...json, schema } } }
}

function textOf(data: unknown): string | undefined {
  return typeof data === 'string' && data.trim() !== '' ? data : undefined
}

function isObject(data: unknown): data is Json {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
}
