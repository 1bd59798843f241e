/**
 * The body of a request of multipart/form-data (RFC 7578) -> the values that a template may use, as a JSON object would
 * give them. A part is named after its param; a param that comes several times is a list. Bytes of files are not
 * copied.
 *
 * Fields come before files, so that a form can be told wrong by its beginning. Throws `malformed_request` for a form
 * that is not one or has no end. Which param takes a file is known from the template.
 */
import { Failure } from '../../errors.ts'
import type { TemplateFile, TemplateValue, TemplateValues } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import { countValues } from '../check/amount.ts'
import { XmlError } from '../json/xml-error.ts'
import { type Disposition, readDisposition } from '../mime/disposition.ts'
import { readMediaType } from '../mime/media-type.ts'
import { type Delimiter, findDelimiter, maxPartHeaderBytes, maxParts, readPart, toMarker } from '../mime/parts.ts'
import { decodeTransferInSteps } from '../mime/transfer.ts'
import { isMediaType } from './attachments.ts'

import { readJsonValue } from './params.ts'

export const formType = 'multipart/form-data'

interface FormOptions {
  /** Names that the template may use. */
  readonly params: readonly string[]
  /** Whether parts of other names are kept, for who checks them; else they are dropped. */
  readonly keepsOthers?: boolean
  /** Those of them that are attachments. */
  readonly attached: readonly string[]
  /** Those of them that are a list however often they come. */
  readonly lists?: readonly string[]
}

export function* readFormInSteps(
  body: Uint8Array,
  contentType: string,
  { params, attached, lists = [], keepsOthers = false }: FormOptions,
): Steps<TemplateValues> {
  const boundary = readMediaType(contentType).parameters.get('boundary') ?? ''
  if (boundary === '') throw refuse('names no boundary in its Content-Type')
  const values = Object.create(null) as Record<string, TemplateValue>
  const known = new Set(params)
  const files = new Set(attached)
  let firstFile: string | undefined
  let count = 0
  for (const part of yield* findParts(body, toMarker(boundary))) {
    const { name, value, isFile, amount } = yield* readField(part, files, count)
    count = amount
    if (isFile) firstFile ??= name
    else if (firstFile !== undefined) {
      throw refuse(`has the field ${shown(name)} after the file ${shown(firstFile)}: fields come before files`)
    }
    if (!known.has(name) && !keepsOthers) continue
    if (isFile && !files.has(name) && known.has(name))
      throw refuse(`has a file for ${shown(name)}, which takes text: send it as a field`)
    values[name] = name in values ? append(values[name] as TemplateValue, value) : value
  }
  for (const name of lists) if (name in values) values[name] = toList(values[name] as TemplateValue)
  return values
}

function refuse(problem: string, options?: ErrorOptions): Failure {
  return new Failure('malformed_request', `the form ${problem}`, options)
}

const maxShownLength = 100

function shown(name: string): string {
  return JSON.stringify(name.slice(0, maxShownLength))
}

function* findParts(body: Uint8Array, marker: Buffer): Steps<readonly Buffer[]> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const parts: Buffer[] = []
  let delimiter = yield* findDelimiter(bytes, marker, 0, 'strict')
  while (delimiter !== undefined && !delimiter.isLast) {
    if (parts.length === maxParts) throw refuse(`has more than ${maxParts} parts`)
    const following: Delimiter | undefined = yield* findDelimiter(bytes, marker, delimiter.next, 'strict')
    if (following !== undefined) parts.push(bytes.subarray(delimiter.next, Math.max(delimiter.next, following.end)))
    delimiter = following
  }
  if (delimiter === undefined) throw refuse('ends before its closing boundary')
  return parts
}

interface Field {
  readonly name: string
  readonly value: TemplateValue
  readonly isFile: boolean
  /** Values of JSON so far. */
  readonly amount: number
}

function* readField(bytes: Buffer, files: ReadonlySet<string>, count: number): Steps<Field> {
  const part = readPart(bytes)
  if (part === undefined) throw refuse(`has a part whose headers have no end within ${maxPartHeaderBytes} bytes`)
  const disposition = readDisposition(part.headers.get('content-disposition'))
  if (typeof disposition === 'string') throw refuse(`has a part ${disposition}`)
  const { name } = disposition
  const type = part.headers.get('content-type')
  if (type !== undefined && !isMediaType(type)) throw refuse(`has no media type in the Content-Type of ${shown(name)}`)
  const content = yield* decode(part.body, part.headers.get('content-transfer-encoding'), name)
  const kind = kindOf(disposition, type, files)
  if (kind === 'file')
    return { name, value: { bytes: content, type } satisfies TemplateFile, isFile: true, amount: count }
  const text = toText(content, type, name)
  if (kind === 'text') return { name, value: text, isFile: false, amount: count }
  const amount = yield* countValues(content, count, name)
  return { name, value: toJson(text, name), isFile: false, amount }
}

function* decode(body: Buffer, encoding: string | undefined, name: string): Steps<Buffer> {
  try {
    return yield* decodeTransferInSteps(body, encoding, shown(name))
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw refuse(`cannot be decoded: ${error.message}`)
  }
}

/** JSON is a value for a param that is not an attachment, whether it comes as a file or not: so browsers send it. */
function kindOf(
  { name, hasFilename }: Disposition,
  contentType: string | undefined,
  files: ReadonlySet<string>,
): 'file' | 'json' | 'text' {
  const type = contentType === undefined ? undefined : readMediaType(contentType).type
  if (type === 'application/json' && !files.has(name)) return 'json'
  if (hasFilename) return 'file'
  return files.has(name) && type !== undefined && type !== 'text/plain' ? 'file' : 'text'
}

function toText(content: Buffer, contentType: string | undefined, name: string): string {
  const charset = contentType === undefined ? undefined : readMediaType(contentType).parameters.get('charset')
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw refuse(`has the field ${shown(name)} in another charset than UTF-8`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (error) {
    throw refuse(`has the field ${shown(name)}, which is not UTF-8`, { cause: error })
  }
}

function toJson(text: string, name: string): TemplateValue {
  try {
    return readJsonValue(text)
  } catch {
    throw refuse(`has the field ${shown(name)}, which is not JSON although its Content-Type says so`)
  }
}

/**
 * The values of a form with `true` and `false` as booleans: for a template `false` as a text would be a yes, and in the
 * envelope both are the same. The check of values against their types comes before.
 */
export function withBooleans(values: TemplateValues, attached: readonly string[]): TemplateValues {
  const changed = Object.create(null) as Record<string, TemplateValue>
  for (const [name, value] of Object.entries(values)) {
    changed[name] = attached.includes(name) || (value !== 'true' && value !== 'false') ? value : value === 'true'
  }
  return changed
}

/** Values of one name, in the order of the form. */
function append(before: TemplateValue, value: TemplateValue): TemplateValue {
  return Array.isArray(before) ? [...(before as readonly TemplateValue[]), value] : [before, value]
}

function toList(value: TemplateValue): TemplateValue {
  return Array.isArray(value) ? (value as readonly TemplateValue[]) : [value]
}
