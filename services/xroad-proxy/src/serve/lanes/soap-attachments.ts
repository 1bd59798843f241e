/**
 * Requests to endpoints that attach something: JSON with base64, or a form with files, becomes an envelope with what
 * belongs beside it. Owns which of the two a body is. Forms, attachments and the message that goes out are in
 * soap/request/.
 */
import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type {
  Attaching,
  Generated,
  RawHeaders,
  Request,
  ResponseWriter,
  SoapEndpoint,
  TemplateValues,
} from '../../model.ts'
import { headerValue, headerValues } from '../../raw-headers.ts'
import { countValues } from '../../soap/check/amount.ts'
import { readMediaType } from '../../soap/mime/media-type.ts'
import { AttachmentList } from '../../soap/request/attachments.ts'
import { formType, readFormInSteps, withBooleans } from '../../soap/request/form.ts'
import { toMultipartMessage } from '../../soap/request/multipart-message.ts'
import type { Steps } from '../../steps.ts'
import type { Room } from '../../upstream/room.ts'
import type { Call } from '../../upstream/upstream.ts'
import type { Trace } from '../../trace.ts'
import { codingOf } from './coding.ts'
import { largeBody, type RequestReader } from './request-reader.ts'

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
export function* readIncoming(reader: RequestReader, incoming: Incoming): Steps<TemplateValues> {
  const { endpoint, request, body, trace, room } = incoming
  const { attached } = endpoint.envelope
  if (attached === undefined || !isForm(request)) {
    if (body.length > largeBody && (endpoint.params.length > 0 || reader.keepsOthers)) yield* makeRoom(room, body)
    return yield* reader.readJson(body, trace, request)
  }
  const values = yield* readForm(incoming, attached, reader.keepsOthers)
  return withBooleans(yield* reader.readForm(values, trace), attached)
}

function isForm({ headers }: Request): boolean {
  return readMediaType(headerValue(headers, 'content-type') ?? '').type === formType
}

function* readForm(
  { endpoint: { params, declared = [] }, request: { headers }, body }: Incoming,
  attached: readonly string[],
  keepsOthers: boolean,
): Steps<TemplateValues> {
  const [type = '', ...others] = headerValues(headers, 'content-type')
  if (others.length > 0) throw new Failure('malformed_request', 'the form has several headers Content-Type')
  const lists = declared.filter((param) => param.type === 'array').map(({ name }) => name)
  try {
    return yield* readFormInSteps(body, type, { params, attached, lists, keepsOthers })
  } catch (error) {
    const coding = error instanceof Failure ? codingOf(headers) : undefined
    throw coding === undefined ? error : new Failure('malformed_request', `the form cannot be read: ${coding}`)
  }
}

/** What a value costs beside its bytes: it is there as JSON, as a param and as the template sees it. */
const bytesPerValue = 256

/** Before anything of a large body is made. Its bytes, its text and the message are in memory at the same time. */
function* makeRoom(room: Room, body: Uint8Array): Steps<void> {
  const values = yield* countValues(body)
  const waiting = room.hold(3 * body.length + bytesPerValue * values)
  if (waiting !== undefined) yield waiting
}

/** The envelope of these values; while it grows it is counted as texts are kept. */
export function* render(
  { endpoint, room }: Pick<Incoming, 'endpoint' | 'room'>,
  values: TemplateValues,
  generated: Generated,
  attachments?: Attaching,
): Steps<Buffer> {
  let held: number | undefined
  const onGrowth = (characters: number): Promise<void> | undefined =>
    room.hold((held ??= room.held) + bytesPerCharacter * characters)
  return Buffer.from(yield* endpoint.envelope.renderInSteps(values, generated, { attachments, onGrowth }))
}

const bytesPerCharacter = 2

/** The call with an envelope of these values: alone where nothing is attached after all, else as multipart/related. */
export function* withAttachments(
  incoming: Incoming,
  values: TemplateValues,
  generated: Generated,
  call: Omit<Call, 'body'>,
): Steps<Call & { readonly body: Uint8Array }> {
  const attachments = new AttachmentList(randomUUID())
  const text = yield* render(incoming, values, generated, attachments)
  if (attachments.all.length === 0) return { ...call, body: text }
  const type = headerValue(call.headers, 'content-type') ?? 'text/xml'
  const { contentType, body } = toMultipartMessage(text, type, attachments)
  return { ...call, headers: replaceContentType(call.headers, contentType), body }
}

function replaceContentType(headers: RawHeaders, value: string): RawHeaders {
  return headers.map((each, i) => (i % 2 === 1 && headers[i - 1]?.toLowerCase() === 'content-type' ? value : each))
}
