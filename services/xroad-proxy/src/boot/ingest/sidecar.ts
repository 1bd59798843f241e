/**
 * The text of a sidecar, `<name>.meta.yaml` beside a WSDL -> what it says about the service, and whether that agrees
 * with `client_data`. destination.ts decides what becomes of the operations.
 */
import { inOneLine, locate, type Mapping, readYaml, tellUnknown, textOf, YamlError } from '@services/config-file'
import type { Identity } from '../../model.ts'
import type { AnswerFields } from '../../wsdl/request/write.ts'

/** Undefined for what is left out or empty. */
export interface Sidecar {
  readonly memberClass: string | undefined
  readonly memberCode: string | undefined
  readonly subsystemCode: string | undefined
  readonly serviceCode: string | undefined
  readonly serviceUrl: string | undefined
}

/** The sidecar as a whole cannot be used; the message begins with its file and line. */
export class SidecarError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SidecarError'
  }
}

export const sidecarFields = ['member_class', 'member_code', 'subsystem_code', 'service_code', 'service_url'] as const
type Field = (typeof sidecarFields)[number]

/** Fields that go into the DSL files as they are, and what they may say. */
const answerFields = { response: ['plain', 'schema'], attachments: ['none', 'list', 'base64'] } as const

export interface ReadSidecar {
  readonly sidecar: Sidecar
  /** About the answers of all operations. */
  readonly answers: AnswerFields
  readonly warnings: readonly string[]
}

/** Throws `SidecarError`. */
export function readSidecar(bytes: Uint8Array, file: string): ReadSidecar {
  const text = decode(bytes, file)
  const data = readMapping(text, file)
  const fields: readonly string[] = [...sidecarFields, ...Object.keys(answerFields)]
  const absent = fields.filter((field) => data[field] === undefined)
  const unknown = Object.keys(data).filter((key) => !fields.includes(key))
  const places = locate(text)
  const told = (field: string, message: string): string => `${file}:${places.lineOf([field])}: ${field}: ${message}`
  const warnings = unknown.map((key) => told(key, tellUnknown(key, { known: fields, absent, missing: [] })))
  const refuse = (field: string, problem: string): never => {
    throw new SidecarError(inOneLine([told(field, problem), ...warnings]))
  }
  const valueOf = (field: Field | keyof AnswerFields): string | undefined => {
    const found = toText(data[field])
    return typeof found === 'string' ? found.trim() || undefined : refuse(field, found.problem)
  }
  const oneOf = <Value extends string>(field: keyof AnswerFields, values: readonly Value[]): Value | undefined => {
    const found = valueOf(field)
    const known = values.find((value) => value === found)
    return found === undefined || known !== undefined ? known : refuse(field, `expected ${values.join(' or ')}`)
  }
  const answers = {
    response: oneOf('response', answerFields.response),
    attachments: oneOf('attachments', answerFields.attachments),
  }
  const [memberClass, memberCode, subsystemCode, serviceCode, serviceUrl] = sidecarFields.map(valueOf)
  return { sidecar: { memberClass, memberCode, subsystemCode, serviceCode, serviceUrl }, answers, warnings }
}

/** Where the sidecar names another member or subsystem than `client_data`; only what both of them say is compared. */
export function identityProblem(sidecar: Sidecar, client: Identity): string | undefined {
  const pairs: readonly (readonly [Field, string | undefined, string])[] = [
    ['member_class', sidecar.memberClass, client.memberClass],
    ['member_code', sidecar.memberCode, client.memberCode],
    ['subsystem_code', sidecar.subsystemCode, client.subsystemCode],
  ]
  const differing = pairs.find(([, said, own]) => said !== undefined && own !== '' && said !== own)
  if (differing === undefined) return undefined
  const [field, said = '', own] = differing
  return `${field} is ${JSON.stringify(said)} here and ${JSON.stringify(own)} in client_data`
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SidecarError(`${file}: is not UTF-8 text; save it as UTF-8`)
  }
}

function readMapping(text: string, file: string): Mapping {
  try {
    return readYaml(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new SidecarError(error.inFile(file))
  }
}

/** Registry codes are digits, and keep their zeros. */
function toText(value: Mapping[string] | undefined): string | { readonly problem: string } {
  if (value === undefined || value === null) return ''
  const text = textOf(value)
  if (text === undefined) return { problem: 'found a list or a group of fields, expected a text' }
  return /\p{Cc}/u.test(text.trim()) ? { problem: 'holds a control character' } : text
}
