/**
 * What is known of all endpoints -> the OpenAPI 3.1 description, as JSON text. The same for the same endpoints in
 * whatever order. Pure. Requests are in request.ts, responses in response.ts.
 */
import type { Schema } from './schemas.ts'
import { batch, encodePath, nameOperations, type OperationNames } from './names.ts'
import type { Api, Operation } from './operation.ts'
import { bodySchema, exampleBody, queryParameters } from './request.ts'
import { errorComponents, errorResponses, rowSchema } from './response.ts'

const json = 'application/json'

/** The other formats have no schema: clients made from the description would get a union of rows and text. */
const rowsWords = 'The rows; `Accept: text/csv` and `Accept: application/x-ndjson` give the same in these formats.'

/** Characters by which the text is indented, 0 for a text without line breaks. */
export function writeDocument(api: Api, indent: number = 0): string {
  return JSON.stringify(toDocument(api), null, indent)
}

function toDocument(api: Api): Schema {
  const names = nameOperations(api.operations)
  const entries = api.operations
    .flatMap((operation) => describe(operation, names.get(operation) as OperationNames, api))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const paths = new Map<string, Schema>()
  for (const { path, item } of entries) paths.set(path, { ...paths.get(path), ...item })
  return {
    openapi: '3.1.0',
    info: { title: 'sqlapi', version: api.version },
    // Relative to the address of the description itself: a proxy in front may put a path before it.
    servers: [{ url: '.' }],
    tags: tagsOf(api.operations).map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: components(api, names),
  }
}

function tagsOf(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap(ownTags))].sort()
}

function ownTags({ tags, project }: Operation): readonly string[] {
  return tags === undefined || tags.length === 0 ? [project] : tags
}

interface Entry {
  readonly path: string
  /** One operation, by its method. */
  readonly item: Schema
}

function describe(operation: Operation, names: OperationNames, api: Api): Entry[] {
  const { path, method, parameters } = operation
  const header = datasourceHeader(operation, api)
  const row = { $ref: `#/components/schemas/${names.single}_row` }
  const rows = { type: 'array', items: row }
  if (method === 'GET') {
    const get = {
      operationId: names.single,
      ...words(operation),
      parameters: [...queryParameters(parameters), ...header],
      responses: responses(rowsWords, rows),
    }
    return [{ path: encodePath(path), item: { get } }]
  }
  const headers = header.length === 0 ? {} : { parameters: header }
  const schema = { $ref: `#/components/schemas/${names.single}_parameters` }
  const example = exampleBody(parameters)
  const post = {
    operationId: names.single,
    ...words(operation),
    ...headers,
    requestBody: {
      ...(parameters.some(({ fallback }) => fallback === undefined) ? { required: true } : {}),
      content: { [json]: { schema, example } },
    },
    responses: responses(rowsWords, rows),
  }
  const queries = { type: 'array', items: schema }
  const batchPost = {
    operationId: names.batch,
    ...words(operation),
    // What people read shows both forms of a file together.
    'x-batch-of': names.single,
    ...headers,
    requestBody: {
      required: true,
      content: {
        [json]: {
          schema: { type: 'object', required: ['queries'], properties: { queries } },
          example: { queries: [example] },
        },
      },
    },
    responses: responses('The rows of each element, in its order; all of it is one transaction.', {
      type: 'array',
      items: rows,
    }),
  }
  return [
    { path: encodePath(path), item: { post } },
    { path: encodePath(`${path}${batch}`), item: { post: batchPost } },
  ]
}

/** What comments say of the whole file. */
function words(operation: Operation): Schema {
  const { summary, description, deprecated } = operation
  const texts = [description, deprecated && `Deprecated: ${deprecated}`].filter(
    (text) => text !== undefined && text !== '',
  )
  return {
    tags: ownTags(operation),
    ...(summary === undefined ? {} : { summary }),
    ...(texts.length === 0 ? {} : { description: texts.join('\n\n') }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
  }
}

function datasourceHeader({ needsDatasource }: Operation, { datasources }: Api): Schema[] {
  if (!hasChoice(datasources, needsDatasource)) return []
  const name = needsDatasource ? 'datasource_needed' : 'datasource'
  return [{ $ref: `#/components/parameters/${name}` }]
}

/** With a single one there is nothing to choose, unless the project has none at all. */
function hasChoice(datasources: readonly string[], isNeeded: boolean): boolean {
  return datasources.length >= (isNeeded ? 1 : 2)
}

function responses(description: string, schema: Schema): Schema {
  return { 200: { description, content: { [json]: { schema } } }, ...errorResponses }
}

function components(
  { operations, datasources, hasFullErrors }: Api,
  names: ReadonlyMap<Operation, OperationNames>,
): Schema {
  const schemas = Array.from(names, ([{ method, parameters, columns }, { single }]): [string, Schema][] => [
    ...(method === 'POST' ? [[`${single}_parameters`, bodySchema(parameters)] as [string, Schema]] : []),
    [`${single}_row`, rowSchema(columns)],
  ])
  const hasSome = (isNeeded: boolean): boolean =>
    hasChoice(datasources, isNeeded) && operations.some(({ needsDatasource }) => needsDatasource === isNeeded)
  const parameters = {
    ...(hasSome(false) ? { datasource: headerParameter(datasources, false) } : {}),
    ...(hasSome(true) ? { datasource_needed: headerParameter(datasources, true) } : {}),
  }
  const errors = errorComponents(hasFullErrors)
  return {
    schemas: { ...Object.fromEntries(schemas.flat()), ...errors.schemas },
    responses: errors.responses,
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  }
}

function headerParameter(datasources: readonly string[], required: boolean): Schema {
  const description = required
    ? 'The datasource to run on; the project has none of its own.'
    : "The datasource to run on, in place of the project's own."
  const [example] = datasources
  return {
    name: 'X-Datasource',
    in: 'header',
    required,
    description,
    schema: { type: 'string', enum: datasources },
    ...(required ? { example } : {}),
  }
}
