/**
 * Requests to endpoints that attach something: JSON with base64, or a form with files, becomes an envelope with what
 * belongs beside it. Owns which of the two a body is. Forms, attachments and the message that goes out are in
 * soap/request/.
 */
import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Generated, RawHeaders, Request, ResponseWriter, SoapEndpoint, TemplateValues } from '../../model.ts'
import { headerValue, headerValues } from '../../raw-headers.ts'
import { readMediaType } from '../../soap/mime/media-type.ts'
import { AttachmentList } from '../../soap/request/attachments.ts'
import { formType, readFormInSteps, withBooleans } from '../../soap/request/form.ts'
import { toMultipartMessage } from '../../soap/request/multipart-message.ts'
import type { Room } from '../../upstream/room.ts'
import type { Call } from '../../upstream/upstream.ts'
import type { Trace } from '../../trace.ts'
import { codingOf } from './coding.ts'
import { runInSteps } from './in-steps.ts'
import type { RequestReader } from './request-reader.ts'

/** A request with its body, and what belongs to its call. */
export interface Incoming {
  readonly endpoint: SoapEndpoint
  readonly request: Request
  readonly body: Uint8Array
  readonly writer: ResponseWriter
  readonly trace: Trace
  readonly room: Room
}

/** The values of a body: of a form, or of JSON whatever its Content-Type says. */
export async function readIncoming(
  reader: RequestReader,
  { endpoint, request, body, writer, trace }: Incoming,
): Promise<TemplateValues> {
  const { attached } = endpoint.envelope
  const types = headerValues(request.headers, 'content-type')
  const [type = ''] = types
  if (attached === undefined || readMediaType(type).type !== formType)
    return reader.readJson(body, trace, request.headers)
  if (types.length > 1) throw new Failure('malformed_request', 'the form has several headers Content-Type')
  const { params, declared = [] } = endpoint
  const { keepsOthers } = reader
  const lists = declared.filter((param) => param.type === 'array').map(({ name }) => name)
  const steps = readFormInSteps(body, type, { params, attached, lists, keepsOthers })
  const values = await runInSteps(steps, writer).catch((error: unknown) => {
    const coding = error instanceof Failure ? codingOf(request.headers) : undefined
    throw coding === undefined ? error : new Failure('malformed_request', `the form cannot be read: ${coding}`)
  })
  return withBooleans(reader.readForm(values, trace), attached)
}

/** The call with an envelope of these values: alone where nothing is attached after all, else as multipart/related. */
export function withAttachments(
  { envelope }: SoapEndpoint,
  values: TemplateValues,
  generated: Generated,
  call: Omit<Call, 'body'>,
): Call & { readonly body: Uint8Array } {
  const attachments = new AttachmentList(randomUUID())
  const text = Buffer.from(envelope.render(values, generated, attachments))
  if (attachments.all.length === 0) return { ...call, body: text }
  const type = headerValue(call.headers, 'content-type') ?? 'text/xml'
  const { contentType, body } = toMultipartMessage(text, type, attachments)
  return { ...call, headers: replaceContentType(call.headers, contentType), body }
}

function replaceContentType(headers: RawHeaders, value: string): RawHeaders {
  return headers.map((each, i) => (i % 2 === 1 && headers[i - 1]?.toLowerCase() === 'content-type' ? value : each))
}
