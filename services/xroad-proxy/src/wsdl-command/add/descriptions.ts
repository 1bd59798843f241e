/**
 * The OpenAPI description of a REST service -> two files in the tree of DSL files, the description and the DSL file
 * that names it, and what the next start makes of them. What a description may hold is for boot/openapi/.
 */
import { join } from 'node:path'
import { namesOf as namesOfClients } from '../../boot/config/client-identity.ts'
import type { Config } from '../../boot/config/schema.ts'
import { surveyEndpoints } from '../../boot/dsl/endpoints.ts'
import type { Identity } from '../../model.ts'
import { AddProblem } from './add-problem.ts'
import { fileNameOf } from './gather.ts'
import type { NewFile } from './install.ts'

export interface OfferedDescription {
  readonly service: string
  readonly bytes: Uint8Array
}

export interface NewDescription {
  readonly service: string
  /** Relative to the tree of DSL files. */
  readonly dslFile: string
  readonly descriptionFile: string
  readonly files: readonly NewFile[]
}

export interface CallOfService {
  /** A folder, or a folder and a name that is before that of the service. */
  readonly owner: string
  readonly provider: Identity
  /** Who calls, by a name of `clients`. */
  readonly client: string | undefined
  /** Left out where it is that of the provider. */
  readonly ownInstance: string
}

export function toNewDescription({ service, bytes }: OfferedDescription, around: CallOfService): NewDescription {
  const [folder, subsystem] = around.owner.split('/')
  const name = `${folder}/${subsystem === undefined ? '' : `${subsystem}-`}${fileNameOf(service)}`
  const description = `${name}.openapi.${isJson(bytes) ? 'json' : 'yaml'}`
  const dsl = writeDsl(service, description.slice(`${folder}/`.length), around)
  const files = [
    { file: description, content: bytes, isShared: false },
    { file: `${name}.yml`, content: Buffer.from(dsl), isShared: false },
  ]
  return { service, dslFile: `${name}.yml`, descriptionFile: description, files }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString())
    return true
  } catch {
    return false
  }
}

function writeDsl(service: string, description: string, { provider, client, ownInstance }: CallOfService): string {
  const { instance, memberClass, memberCode, subsystemCode } = provider
  const lines = [
    '# Its endpoints are in the description; written by xroad-proxy wsdl add.',
    'kind: rest',
    `openapi: ${description}`,
    ...(client === undefined ? [] : [`client: ${JSON.stringify(client)}`]),
    'target:',
    ...(instance === ownInstance ? [] : [`  xroad_instance: ${JSON.stringify(instance)}`]),
    `  member_class: ${JSON.stringify(memberClass)}`,
    `  member_code: ${JSON.stringify(memberCode)}`,
    `  subsystem_code: ${JSON.stringify(subsystemCode)}`,
    `  service_code: ${JSON.stringify(service.toWellFormed())}`,
  ]
  return `${lines.join('\n')}\n`
}

export interface ExplainedDescriptions {
  /** Method and path of each. */
  readonly endpoints: readonly string[]
  readonly warnings: readonly string[]
}

/** The tree as the next start reads it; a description that would stop it, or gives no endpoint, is an `AddProblem`. */
export async function explainDescriptions(
  added: readonly NewDescription[],
  settings: Config,
): Promise<ExplainedDescriptions> {
  if (added.length === 0) return { endpoints: [], warnings: [] }
  const { dslPath } = settings
  // What reads descriptions is loaded only where there are any.
  const { importDescriptions } = await import('../../boot/openapi/import.ts')
  const survey = importDescriptions(surveyEndpoints(dslPath, namesOfClients(settings), process.env), dslPath)
  const warnings: string[] = []
  const endpoints = added.flatMap(({ dslFile, descriptionFile }) => {
    const file = join(dslPath, dslFile)
    const own = [file, join(dslPath, descriptionFile)]
    const isOwn = (message: string): boolean => own.some((each) => message.startsWith(each))
    const problem = survey.problems.find((each) => each.file === file || isOwn(each.message))
    if (problem !== undefined) throw new AddProblem(problem.message)
    const told = [...survey.warnings, ...survey.descriptionWarnings].filter(isOwn)
    const found = survey.endpoints.filter((endpoint) => endpoint.file === file)
    if (found.length === 0) throw new AddProblem(told[0] ?? `${own[1]} has no operation that can be called`)
    warnings.push(...told)
    return found.flatMap((endpoint) => {
      const { group, service } = endpoint
      const { methods, path } = endpoint.kind === 'rest' ? endpoint : { methods: [], path: '' }
      return methods.map((method) => `${method} /${group}/${service}${path}`)
    })
  })
  return { endpoints, warnings }
}
