/**
 * Why an operation of a WSDL gets no endpoint, as a table: stable code -> words. `detail` of a skip says which type,
 * part or name it is about. Every skip is one warning to the operator; the other operations are not affected.
 */
export const skipReasons = {
  wsdl_2: 'is WSDL 2.0; only WSDL 1.1 is read',
  unsafe_name: 'has a name that is not a safe file name',
  overloaded: 'has the name of an operation before it',
  no_soap_11_binding: 'has neither a SOAP 1.1 nor a SOAP 1.2 binding',
  no_port_type_operation: 'is in the binding but not in the port type',
  no_input: 'takes no input message',
  soap_12: 'is bound to SOAP 1.2 only, which Security Servers refuse',
  style: 'is bound in a style that is neither document nor rpc',
  encoded: 'uses encoded values; only literal ones are supported',
  attachment: 'has attachments in its request that cannot be told apart',
  choice: 'has an xsd:choice in its request that may come several times',
  input_unresolved: 'has an input element that cannot be resolved',
  no_body: 'has no element for the body of its request',
  type_missing: 'uses a declaration in its request that is missing',
  broken_schema: 'has a schema of its request that is broken',
  any: 'has an xsd:any in its request that may not be left out',
  abstract: 'has something abstract in its request that nothing can stand for',
  repeating_group: 'has a group of elements in its request that must be sent several times',
  endless: 'has an element in its request that must hold itself',
  request_too_large: 'has a request with too many elements',
} as const

export type SkipReason = keyof typeof skipReasons

export interface SkippedOperation {
  readonly kind: 'skipped'
  readonly name: string
  /** The WSDL that it is in: the one that was read, or one that it imports. */
  readonly file: string
  readonly line: number
  readonly reason: SkipReason
  /** Empty when the reason says it all. */
  readonly detail: string
}

/** One sentence without the file, as it is in a warning. */
export function describeSkip({ name, reason, detail }: SkippedOperation): string {
  return `operation ${name} ${skipReasons[reason]}${detail === '' ? '' : `: ${detail}`}`
}

/** Of an optional branch these end the branch, not the operation: a request without it is whole. */
const ofBranches: ReadonlySet<SkipReason> = new Set([
  'attachment',
  'choice',
  'any',
  'abstract',
  'repeating_group',
  'endless',
])

export function isLeftOut(error: unknown): error is Skip {
  return error instanceof Skip && (error.isOfBranch || ofBranches.has(error.reason))
}

/** Ends the reading of one operation, or of a branch of its request. */
export class Skip extends Error {
  readonly reason: SkipReason
  readonly detail: string
  /** Ends no more than a branch, whatever the reason. */
  readonly isOfBranch: boolean

  constructor(reason: SkipReason, detail = '', { isOfBranch = false }: { readonly isOfBranch?: boolean } = {}) {
    super(`${reason} ${detail}`)
    this.name = 'Skip'
    this.reason = reason
    this.detail = detail
    this.isOfBranch = isOfBranch
  }
}
