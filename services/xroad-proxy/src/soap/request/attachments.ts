/**
 * What a template attaches to its envelope: the value of a param, as base64 text or as a file of a form, and the words
 * of the template in; bytes with a Content-ID out, and what stands for them in the envelope. How both become one
 * message is multipart-message.ts.
 */
import { Failure } from '../../errors.ts'
import type { Attaching, Attachment, AttachmentWish as Wish, TemplateFile } from '../../model.ts'

type AttachmentHelper = Parameters<Attaching['attach']>[0]

const xop = 'http://www.w3.org/2004/08/xop/include'

/** Helper -> what is in the envelope, given the Content-ID. An id needs no escapes, in XML or in a URL. */
const references: Readonly<Record<AttachmentHelper, (id: string) => string>> = {
  swa_ref: (id) => `cid:${id}`,
  xop_include: (id) => `<xop:Include xmlns:xop="${xop}" href="cid:${id}"/>`,
  // The receiver knows it by the name in its Content-ID.
  mime_part: () => '',
}

export const attachmentHelpers: readonly AttachmentHelper[] = Object.keys(references) as AttachmentHelper[]

/** The attachments of one envelope, in the order of their references. */
export class AttachmentList implements Attaching {
  readonly all: Attachment[] = []
  /** Makes the ids of this message unlike those of any other. */
  readonly uuid: string
  #hasIncludes = false

  constructor(uuid: string) {
    this.uuid = uuid
  }

  /** Whether receivers have to replace an xop:Include by an attachment. */
  get hasIncludes(): boolean {
    return this.#hasIncludes
  }

  /** What the helper writes; nothing for a value that was left out. Throws `malformed_request`. */
  attach(helper: AttachmentHelper, value: unknown, wish: Wish): string {
    if (value === undefined || value === null) return ''
    const { bytes, type } = toFile(value, wish.path)
    const prefix = helper === 'mime_part' ? `${toPartName(wish.part)}=` : ''
    const id = `${prefix}${this.all.length + 1}.${this.uuid}@xroad-proxy`
    this.all.push({ id, type: type ?? wishedType(wish), bytes })
    if (helper === 'xop_include') this.#hasIncludes = true
    return references[helper](id)
  }
}

function toFile(value: unknown, path: string): TemplateFile {
  if (isFile(value)) return value
  if (typeof value !== 'string') throw refuse(path, `is ${describe(value)}`)
  const bytes = decodeBase64(value)
  if (bytes === undefined) throw refuse(path, 'is not base64')
  return { bytes, type: undefined }
}

export function isFile(value: unknown): value is TemplateFile {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** A caller who sends a form has files, and a caller who sends JSON has text. No value is shown. */
function refuse(path: string, problem: string): Failure {
  const wanted = 'base64 text (+ and /, filled up with =, no "data:" in front), or a file of a form'
  return new Failure('malformed_request', `the param ${path.slice(0, maxPathLength)} ${problem}; expected ${wanted}`)
}

const maxPathLength = 200

/** Undefined for what XML Schema would not take for base64: encoded again, it has to be the same text. */
function decodeBase64(text: string): Buffer | undefined {
  const dense = /[\t\n\r ]/.test(text) ? text.replaceAll(/[\t\n\r ]+/g, '') : text
  const bytes = Buffer.from(dense, 'base64')
  return bytes.toString('base64') === dense ? bytes : undefined
}

const anyBytes = 'application/octet-stream'

/**
 * What is not a media type must not be in a header, and is nobody's mistake: `xmime:contentType` may be any text.
 */
function wishedType({ type }: Wish): string {
  return typeof type === 'string' && isMediaType(type) ? type : anyBytes
}

const token = "[\\w!#$%&'*+.^`|~-]+"
const mediaType = new RegExp(`^${token}/${token} *(?:;[\\x20-\\x7e]*)?$`)
const maxTypeLength = 256

/** Also that it may be in a header of ours. */
export function isMediaType(text: string): boolean {
  return text.length <= maxTypeLength && mediaType.test(text)
}

/** As the WS-I Attachments Profile has it: what a Content-ID or a URL cannot hold is percent-encoded. */
function toPartName(part: unknown): string {
  const name = typeof part === 'string' ? part.toWellFormed() : ''
  return encodeURIComponent(name).replaceAll(
    /[!'()*~]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
