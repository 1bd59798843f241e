/** Requests for every endpoint of an OpenAPI description: one without values, one with a value for each param. */
import type { Question } from '../running/service.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: Schema
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const methods = new Set(['get', 'post', 'put', 'patch', 'delete'])

export function sampleRequests(title: string, description: string): Question[] {
  const document = JSON.parse(description) as Description
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.has(method))
      .flatMap(([method, operation]) => requestsOf(title, path, method.toUpperCase(), { document, operation })),
  )
}

interface Described {
  readonly document: Description
  readonly operation: Operation
}

function requestsOf(title: string, path: string, method: string, { document, operation }: Described): Question[] {
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each))
  const query = parameters.filter((each) => each.in === 'query')
  const filled = path.replaceAll(/\{(\w+)\}/g, '1')
  const { schema } = operation.requestBody?.content?.['application/json'] ?? {}
  const search = query.map(
    ({ name, schema: type = {} }) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(text(sample(document, type, 0)))}`,
  )
  const value = schema === undefined ? undefined : JSON.stringify(sample(document, schema, 0))
  const headers = { 'Content-Type': 'application/json' }
  const withBody = (body: string | undefined): object => (method === 'GET' ? {} : { headers, body: body ?? '{}' })
  return [
    { title: `${title} ${method} ${path}`, method, path: filled, ...withBody('{}') },
    {
      title: `${title} ${method} ${path} with values`,
      method,
      path: search.length === 0 ? filled : `${filled}?${search.join('&')}`,
      ...withBody(value),
    },
  ]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function resolve<Item extends object>(document: Description, item: Item): Item {
  const { $ref } = item as { $ref?: string }
  if ($ref === undefined) return item
  const steps = $ref.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[unescaped(step)], document) as Item
}

function unescaped(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

const deepest = 6

const formats: Readonly<Record<string, string>> = {
  date: '2024-02-29',
  'date-time': '2024-02-29T12:30:00Z',
  time: '12:30:00',
  uuid: '9b2504e0-4f89-41d3-9a0c-0305e82c3302',
  byte: 'AAAA',
}

function sample(document: Description, given: Schema, depth: number): unknown {
  const schema = resolve(document, given)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = schema.oneOf ?? schema.anyOf ?? []
  if (first !== undefined && schema.properties === undefined) return sample(document, first, depth)
  const parts = [schema, ...(schema.allOf ?? []).map((each) => resolve(document, each))]
  const properties = Object.assign({}, ...parts.map((each) => each.properties ?? {})) as Record<string, Schema>
  const type = [schema.type].flat()[0] ?? (Object.keys(properties).length > 0 ? 'object' : 'string')
  if (type === 'object') {
    if (depth > deepest) return {}
    return Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, sample(document, each, depth + 1)]),
    )
  }
  if (type === 'array') return depth > deepest ? [] : [sample(document, schema.items ?? {}, depth + 1)]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return formats[schema.format ?? ''] ?? '1'
}
