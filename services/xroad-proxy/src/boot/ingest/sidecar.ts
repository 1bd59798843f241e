/**
 * The text of a sidecar, `<name>.meta.yaml` beside a WSDL -> what it says about the service, and whether that agrees
 * with `client_data`. destination.ts decides what becomes of the operations.
 */
import {
  byLine,
  joinProblems,
  locate,
  names,
  oneOf,
  parse,
  type Path,
  type Problem,
  readYamlIn,
  section,
  text,
  toFieldName,
} from '@services/config-file'
import type { Identity } from '../../model.ts'
import type { SidecarLines } from '../../wsdl/dsl/write.ts'
import { validation } from '../config/schema.ts'
import { limitFields } from '../dsl/dsl-schema.ts'

/** Undefined for what is left out or empty. */
export interface Sidecar {
  readonly memberClass: string | undefined
  readonly memberCode: string | undefined
  readonly subsystemCode: string | undefined
  readonly serviceCode: string | undefined
  readonly serviceUrl: string | undefined
  /** Whose service it is; undefined where it is our own. */
  readonly provider: Provider | undefined
  /** Who calls, by a name of `clients`; undefined for `client_data`. */
  readonly client: string | undefined
  /** Of all operations; an empty one says that they have none. */
  readonly serviceVersion: string | undefined
  /** Of single operations, by their names; likewise. */
  readonly serviceVersions: Readonly<Record<string, string>>
}

export interface Provider {
  readonly memberClass: string
  readonly memberCode: string
  /** Empty for a member that offers the service in its own name. */
  readonly subsystemCode: string
  /** Empty for our own. */
  readonly xroadInstance: string
}

/** The sidecar as a whole cannot be used; the message begins with its file and line. */
export class SidecarError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SidecarError'
  }
}

const fields = {
  member_class: code('a member class').describe('Class of the member whose service it is.'),
  member_code: code('a registry code').describe('Its registry code, digits as they are written.'),
  subsystem_code: code('a subsystem code').describe('Its subsystem.'),
  service_code: code('a service code').describe('Code of the service; of every operation of the WSDL.'),
  service_url: code('a public address').describe('Address that is called directly, without X-Road.'),
  provider: section({
    member_class: text('a member class', { filled: true }).transform(trimmed).describe('Member class of the provider.'),
    member_code: text('a registry code', { filled: true })
      .transform(trimmed)
      .describe('Registry code of the provider.'),
    subsystem_code: code('a subsystem code').describe('Subsystem of the provider.'),
    xroad_instance: code('an X-Road instance').describe('Instance of the provider; our own if left out.'),
  })
    .exactOptional()
    .describe('The member whose service it is, where that is not us.'),
  client: code('a name of clients in the configuration').describe('Who calls; client_data if left out.'),
  service_version: text('a version such as v2')
    .transform(trimmed)
    .exactOptional()
    .describe('Version of all operations; an empty text for none.'),
  service_versions: names(text('a version such as v2'), 'operations with a version each')
    .prefault({})
    .describe('Versions of single operations, by name.'),
  response: oneOf(['plain', 'schema']).exactOptional().describe('Shape of the answers of all operations.'),
  attachments: oneOf(['none', 'list', 'base64']).exactOptional().describe('What answers show of attachments.'),
  validate_requests: validation
    .exactOptional()
    .describe('What becomes of requests that do not fit: off, warn or refuse.'),
  ...limitFields,
}

/** What the file may say, from the declaration above. */
const sidecarFile = {
  title: 'sidecar of a WSDL',
  fields: section(fields),
  unknownFields: 'ignored',
  emptyFields: 'left out',
  bareTexts: 'taken',
} as const

export const sidecarFields = Object.keys(fields)

function code(meaning: string) {
  return text(meaning).transform(trimmed).default('')
}

function trimmed(given: string): string {
  return given.trim()
}

export interface ReadSidecar {
  readonly sidecar: Sidecar
  /** What it puts into the DSL file of each operation. */
  readonly lines: SidecarLines
  readonly warnings: readonly string[]
  /** File, line and field, the start of a message about it. */
  readonly placeOf: (...path: readonly string[]) => string
}

/** Throws `SidecarError`. */
export function readSidecar(bytes: Uint8Array, file: string): ReadSidecar {
  const content = decode(bytes, file)
  const data = readYamlIn(file, content, (message) => new SidecarError(message))
  const { value, problems, unknown } = parse(sidecarFile, data)
  const places = locate(content)
  const placeOf = (...path: Path): string => `${file}:${places.lineOf(path)}: ${path.join('.')}`
  const told = ({ path, message }: Problem): string => `${placeOf(...path)}: ${message}`
  const warnings = byLine(unknown, places).map(told)
  if (value === undefined) throw new SidecarError(joinProblems([...problems, ...unknown], places, told))
  const { provider, serviceVersion, serviceVersions, ...codes } = value
  const { response, attachments, validateRequests, timeoutSecs, maxResponseBytes } = value
  const sidecar = {
    memberClass: codes.memberClass || undefined,
    memberCode: codes.memberCode || undefined,
    subsystemCode: codes.subsystemCode || undefined,
    serviceCode: codes.serviceCode || undefined,
    serviceUrl: codes.serviceUrl || undefined,
    client: codes.client || undefined,
    provider,
    serviceVersion,
    serviceVersions,
  }
  const { client } = sidecar
  return {
    sidecar,
    lines: { client, response, attachments, validation: validateRequests, timeoutSecs, maxResponseBytes },
    warnings: [...warnings, ...[...unusedOf(sidecar), ...placeholdersOf(sidecar)].map(told)],
    placeOf,
  }
}

/** What has no effect beside another field. */
function unusedOf(sidecar: Sidecar): readonly Problem[] {
  if (sidecar.serviceUrl === undefined) return []
  const useless = (['provider', 'client'] as const).filter((field) => sidecar[field] !== undefined)
  const message = 'has no effect beside service_url, which is called without X-Road'
  return useless.map((field) => ({ path: [field], message }))
}

/** Codes that nobody has filled in: X-Road has none with these characters. */
function placeholdersOf({ provider, memberClass, memberCode, subsystemCode }: Sidecar): readonly Problem[] {
  const own = provider ?? { memberClass, memberCode, subsystemCode, xroadInstance: undefined }
  const section = provider === undefined ? [] : ['provider']
  const codes: readonly (readonly [field: string, text: string | undefined])[] = [
    ['member_class', own.memberClass],
    ['member_code', own.memberCode],
    ['subsystem_code', own.subsystemCode],
    ['xroad_instance', own.xroadInstance],
  ]
  return codes.flatMap(([field, text = '']) => {
    if (!/[<>]/.test(text)) return []
    const found = JSON.stringify(text.slice(0, maxShownLength))
    return [{ path: [...section, field], message: `found ${found}, still a placeholder` }]
  })
}

const maxShownLength = 64

/**
 * Where the sidecar names another member or subsystem than its client, `client_data` or the one of `clients`; only what
 * both of them say is compared.
 */
export function identityProblem(sidecar: Sidecar, client: Identity): string | undefined {
  const pairs: readonly (readonly [string, string | undefined, string])[] = [
    ['member_class', sidecar.memberClass, client.memberClass],
    ['member_code', sidecar.memberCode, client.memberCode],
    ['subsystem_code', sidecar.subsystemCode, client.subsystemCode],
  ]
  const differing = pairs.find(([, said, own]) => said !== undefined && own !== '' && said !== own)
  if (differing === undefined) return undefined
  const [field, said = '', own] = differing
  const section = sidecar.client === undefined ? 'client_data' : toFieldName(['clients', sidecar.client])
  return `${field} is ${JSON.stringify(said)} here and ${JSON.stringify(own)} in ${section}`
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SidecarError(`${file}: is not UTF-8 text; save it as UTF-8`)
  }
}
