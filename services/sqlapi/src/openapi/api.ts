/** What boot knows of the endpoints -> what the description is made from. Pure. */
import type { Config } from '../boot/config/schema.ts'
import type { Dialect, Endpoint, Script } from '../model.ts'
import { datasourcesByProject, projectRules } from '../project-datasource.ts'
import type { Api, Operation, Parameter } from './document/operation.ts'

export interface ApiFacts {
  readonly version: string
  readonly config: Config
  readonly datasources: readonly { readonly name: string; readonly dialect: Dialect }[]
  readonly endpoints: Iterable<Endpoint>
}

export function toApi({ version, config, datasources, endpoints }: ApiFacts): Api {
  const names = datasources.map(({ name }) => name)
  const datasourceOf = datasourcesByProject(projectRules(config))
  const dialectOf = new Map(datasources.map(({ name, dialect }) => [name, dialect]))
  const operations = Array.from(endpoints, (endpoint) => {
    const name = datasourceOf(endpoint.project)
    return toOperation(endpoint, name === undefined ? undefined : dialectOf.get(name))
  })
  return { version, operations, datasources: config.allowDatasourceHeader ? names.toSorted() : [] }
}

/** Without a dialect of its own a file is read as one that some datasource has. */
function toOperation(endpoint: Endpoint, dialect: Dialect | undefined): Operation {
  const { method, project, path, scripts } = endpoint
  const script = dialect === undefined ? Object.values(scripts)[0] : scripts[dialect]
  return {
    method,
    project,
    path,
    needsDatasource: dialect === undefined,
    parameters: script === undefined ? [] : toParameters(script),
  }
}

function toParameters({ parameters, statements }: Script): Parameter[] {
  const slots = statements.flatMap((statement) => statement.slots)
  return parameters.map((name) => ({
    name,
    isExpanded: slots.some((slot) => slot.name === name && slot.role !== 'value'),
  }))
}
