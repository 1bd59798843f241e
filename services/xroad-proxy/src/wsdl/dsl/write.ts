/**
 * One operation -> the text of its DSL file. The same WSDL gives the same bytes. How such a file differs from one that
 * a person wrote is in marker.ts. Reading and writing files is not done here.
 */
import type { ParamBranch, ParamChoice } from '../../model.ts'
import { soapVersions, usualSoapVersion } from '../../soap-versions.ts'
import { textIn } from '../xml/documentation.ts'
import { writeEnvelope } from './envelope-template.ts'
import type { ServiceId } from './header-template.ts'
import { writeMarker } from './marker.ts'
import type { Operation, Wsdl } from '../operations/operations.ts'
import { Skip, type SkippedOperation } from '../operations/reasons.ts'
import { readRequest, type Request, type RequestElement } from '../request/request.ts'

/** Whom the generated file calls. */
export type Destination =
  | { readonly kind: 'securityServer'; readonly service: ServiceId }
  /** Straight to `url`, without an X-Road header. */
  | { readonly kind: 'direct'; readonly url: string }

export interface GeneratedDsl {
  readonly kind: 'generated'
  readonly name: string
  readonly text: string
  readonly request: RequestElement
  /** What its request could hold and cannot be sent, one sentence each. */
  readonly notes: readonly string[]
}

/** Half of what a DSL file may hold. */
const maxCharacters = 500_000

const maxNotes = 20

/** Lines of the file that its sidecar asks for; what is left out is not written. */
export interface SidecarLines {
  readonly client: string | undefined
  readonly response: string | undefined
  readonly attachments: string | undefined
  readonly validation?: string | undefined
  readonly timeoutSecs?: number | undefined
  readonly maxResponseBytes?: number | undefined
}

const noLines: SidecarLines = { client: undefined, response: undefined, attachments: undefined }

export function generateDsl(
  wsdl: Wsdl,
  operation: Operation,
  to: Destination,
  sidecar: SidecarLines = noLines,
): GeneratedDsl | SkippedOperation {
  const { name, file, line } = operation
  try {
    if (!soapVersions[operation.soapVersion].isOfXroad && to.kind === 'securityServer') throw new Skip('soap_12')
    const request = readRequest(wsdl, operation)
    const text = writeDsl({ wsdl, operation, request, to, sidecar })
    if (text.length > maxCharacters)
      throw new Skip('request_too_large', `its file would exceed ${maxCharacters} characters`)
    return { kind: 'generated', name, request: request.root, notes: request.notes, text }
  } catch (error) {
    if (!(error instanceof Skip)) throw error
    return { kind: 'skipped', name, file, line, reason: error.reason, detail: error.detail }
  }
}

interface Contents {
  readonly wsdl: Wsdl
  readonly operation: Operation
  readonly request: Request
  readonly to: Destination
  readonly sidecar: SidecarLines
}

function writeDsl({ wsdl, operation, request, to, sidecar }: Contents): string {
  const { soapVersion, documentation, file, line, importLine } = operation
  // WS-I demands the header for SOAP 1.1, with an empty text if the WSDL has none; in SOAP 1.2 it is optional.
  const soapAction = operation.soapAction ?? (soapVersion === usualSoapVersion ? '' : undefined)
  const service = to.kind === 'direct' ? undefined : to.service
  const { text, params, choices } = writeEnvelope(request, service, { prefixes: wsdl.prefixes, soapVersion })
  const title = textIn(documentation.titles)
  const { notes } = request
  const lines = [
    ...writeMarker(toComment(wsdl.file), importLine ?? line),
    ...(importLine === undefined ? [] : [`# Imported: ${toComment(file)}:${line}`]),
    ...(title === undefined ? [] : [`# ${toComment(title)}`]),
    ...notes.slice(0, maxNotes).map((note) => `# ${toComment(note)}`),
    ...(params.length === 0 ? ['params: []'] : ['params:', ...params.map((param) => `  - ${toScalar(param)}`)]),
    ...writeChoices(choices),
    ...(to.kind === 'direct' ? [`service: ${JSON.stringify(to.url)}`] : []),
    'method: POST',
    ...(soapAction === undefined ? [] : [`soap_action: ${JSON.stringify(toHeader(soapAction))}`]),
    ...(soapVersion === usualSoapVersion ? [] : [`soap_version: "${soapVersion}"`]),
    // Nobody is named to a service that is called directly.
    ...(sidecar.client === undefined || to.kind === 'direct' ? [] : [`client: ${toScalar(sidecar.client)}`]),
    ...(sidecar.response === undefined ? [] : [`response: ${sidecar.response}`]),
    ...(sidecar.attachments === undefined ? [] : [`attachments: ${sidecar.attachments}`]),
    ...(sidecar.validation === undefined ? [] : [`validate_requests: ${sidecar.validation}`]),
    ...(sidecar.timeoutSecs === undefined ? [] : [`timeout_secs: ${sidecar.timeoutSecs}`]),
    ...(sidecar.maxResponseBytes === undefined ? [] : [`max_response_bytes: ${sidecar.maxResponseBytes}`]),
    'envelope: |',
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ]
  return `${lines.join('\n')}\n`
}

function writeChoices(choices: readonly ParamChoice[]): readonly string[] {
  if (choices.length === 0) return []
  const lines = choices.flatMap(({ within, branches, isRequired, around }) => {
    const fields = [
      ...(within.length === 0 ? [] : [`within: ${toList(within)}`]),
      ...(isRequired ? [] : ['required: false']),
      ...(around.length === 0 ? [] : [`around: ${toList(around)}`]),
      'branches:',
      ...branches.flatMap(writeBranch),
    ]
    return fields.map((line, index) => `  ${index === 0 ? '-' : ' '} ${line}`)
  })
  return ['choices:', ...lines]
}

/** What needs all of its params does not say so. */
function writeBranch({ params, required }: ParamBranch): readonly string[] {
  const isWhole = required.length === params.length
  return [`  - params: ${toList(params)}`, ...(isWhole ? [] : [`    required: ${toList(required)}`])]
}

function toList(names: readonly string[]): string {
  return `[${names.map(toScalar).join(', ')}]`
}

/** It is a URI, and one with other characters is written like this. */
function toHeader(soapAction: string): string {
  return soapAction.replace(/[^\u0020-\u007e]|"/gu, encodeURIComponent)
}

/** One line, without characters that YAML refuses or that end a comment. */
function toComment(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

const plainScalar = /^[\p{L}_][\p{L}\p{N}_-]*$/u
/** Words that some reader of YAML takes for something else than text. */
const yamlWords = /^(?:y|n|yes|no|on|off|true|false|null)$/iu

function toScalar(text: string): string {
  return plainScalar.test(text) && !yamlWords.test(text) ? text : JSON.stringify(text)
}
