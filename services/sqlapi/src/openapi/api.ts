/**
 * What boot, the comments of the files and their databases know of the endpoints -> what the description is made from.
 * Pure. A declared type comes before that of a database; whatever nobody knows is left out.
 */
import type { Config } from '../boot/config/schema.ts'
import type { Datasource } from '../boot/config/config.ts'
import { type Documentation, documentationOf } from '../declarations/documentation.ts'
import type { DescribedColumn } from '../description.ts'
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import { type JsonType, jsonTypeOfParameter } from '../endpoint-types/json-types.ts'
import type { DeclaredParameter, Endpoint, Script, ValueTypeName } from '../model.ts'
import { datasourceFinder } from '../project-datasource.ts'
import { columnType } from './column-types.ts'
import type { Api, Column, Operation, Parameter } from './document/operation.ts'
import { exampleOfDatabaseType } from './examples.ts'
import { plainChoice, plainValue } from './plain-values.ts'

export interface ApiFacts {
  readonly version: string
  readonly config: Config
  readonly datasources: readonly Datasource[]
  readonly endpoints: Iterable<Endpoint>
}

/** What the databases, or a lock file, say; an endpoint that they say nothing of is missing. */
export type KnownTypes = ReadonlyMap<Endpoint, EndpointTypes>

export function toApi({ version, config, datasources, endpoints }: ApiFacts, types: KnownTypes): Api {
  const datasourceOf = datasourceFinder({ config, datasources })
  const operations = Array.from(endpoints, (endpoint) =>
    toOperation(endpoint, datasourceOf(endpoint.project), types.get(endpoint)),
  )
  const names = config.allowDatasourceHeader ? datasources.map(({ name }) => name) : []
  return { version, operations, datasources: names.toSorted(), hasFullErrors: config.errors === 'full' }
}

/** Without a datasource of its own a file is read as the dialect of some other has it. */
function toOperation(
  endpoint: Endpoint,
  datasource: Datasource | undefined,
  types: EndpointTypes | undefined,
): Operation {
  const { method, project, path, scripts, declarations } = endpoint
  const script = datasource === undefined ? Object.values(scripts)[0] : scripts[datasource.dialect]
  const said = declarations === undefined ? undefined : documentationOf(declarations)
  return {
    method,
    project,
    path,
    needsDatasource: datasource === undefined,
    summary: said?.summary,
    description: said?.description,
    tags: said?.tags,
    deprecated: said?.deprecated,
    parameters: script === undefined ? [] : toParameters(script, { endpoint, said, datasource, types }),
    columns: datasource === undefined ? undefined : toColumns(types?.keys, said, datasource),
  }
}

/** What is known of an endpoint, from wherever. */
interface Known {
  readonly endpoint: Endpoint
  readonly said: Documentation | undefined
  readonly datasource: Datasource | undefined
  readonly types: EndpointTypes | undefined
}

function toParameters(
  { parameters, statements }: Script,
  { endpoint: { declarations }, said, datasource, types }: Known,
): Parameter[] {
  const slots = statements.flatMap((statement) => statement.slots)
  const declared = new Map(declarations?.params.map((each) => [each.name, each]))
  const described = new Map(types?.parameters.map((each) => [each.name, each.type]))
  return parameters.map((name) => {
    const type = described.get(name)
    const own = declared.get(name)
    const ownType = declaredType(own)
    const ofDatabase =
      type === undefined || datasource === undefined ? undefined : { type, dialect: datasource.dialect }
    const known = ofDatabase && jsonTypeOfParameter(ofDatabase.type, ofDatabase.dialect)
    return {
      name,
      isExpanded: slots.some((slot) => slot.name === name && slot.role !== 'value'),
      type: ownType ?? known,
      example:
        ownType === undefined && ofDatabase ? exampleOfDatabaseType(ofDatabase.type, ofDatabase.dialect) : undefined,
      isDeclared: ownType !== undefined,
      fallback: own?.default === undefined ? undefined : { json: plainValue(own.default) },
      choices: choicesOf(said?.params.get(name)?.enum, ownType ?? known),
      description: said?.params.get(name)?.description,
    }
  })
}

function choicesOf(labels: readonly string[] | undefined, type: JsonType | undefined): unknown[] | undefined {
  return labels?.length === 0 ? undefined : labels?.map((label) => plainChoice(label, elementOf(type)))
}

function elementOf(type: JsonType | undefined): JsonType | undefined {
  return type?.type === 'array' ? type.items : type
}

const declaredTypes: Readonly<Record<ValueTypeName, JsonType>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  timestamp: { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  json: { type: 'any' },
}

function declaredType(own: DeclaredParameter | undefined): JsonType | undefined {
  if (own?.type === undefined) return undefined
  const type = declaredTypes[own.type]
  return own.list ? { type: 'array', items: type } : type
}

function toColumns(
  keys: readonly DescribedColumn[] | undefined,
  said: Documentation | undefined,
  datasource: Datasource,
): Column[] | undefined {
  return keys?.map(({ key, type, nullable }) => ({
    key,
    type: columnType(type, datasource),
    isNullable: nullable !== false,
    description: said?.results.get(key)?.description,
  }))
}
