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
import type { Room } from '../../upstream/room.ts'
import type { Call } from '../../upstream/upstream.ts'
import type { Trace } from '../../trace.ts'
import { codingOf } from './coding.ts'
import type { StepQueue } from './in-steps.ts'
import { largeBody, type RequestReader } from './request-reader.ts'

/** A request with its body, and what belongs to its call. */
export interface Incoming {
  readonly endpoint: SoapEndpoint
  readonly request: Request
  readonly body: Uint8Array
  readonly writer: ResponseWriter
  readonly trace: Trace
  readonly room: Room
  readonly queue: StepQueue
}

/** The values of a body: of a form, or of JSON whatever its Content-Type says. */
export async function readIncoming(
  reader: RequestReader,
  { endpoint, request, body, writer, trace, room, queue }: Incoming,
): Promise<TemplateValues> {
  const { envelope, params, declared = [] } = endpoint
  const { attached } = envelope
  const types = headerValues(request.headers, 'content-type')
  const [type = ''] = types
  if (attached === undefined || readMediaType(type).type !== formType) {
    if (body.length > largeBody && (params.length > 0 || reader.keepsOthers))
      await makeRoom({ body, writer, room, queue })
    return queue.run(reader.readJson(body, trace, request.headers), writer)
  }
  if (types.length > 1) throw new Failure('malformed_request', 'the form has several headers Content-Type')
  const { keepsOthers } = reader
  const lists = declared.filter((param) => param.type === 'array').map(({ name }) => name)
  const steps = readFormInSteps(body, type, { params, attached, lists, keepsOthers })
  const values = await queue.run(steps, writer).catch((error: unknown) => {
    const coding = error instanceof Failure ? codingOf(request.headers) : undefined
    throw coding === undefined ? error : new Failure('malformed_request', `the form cannot be read: ${coding}`)
  })
  return withBooleans(await queue.run(reader.readForm(values, trace), writer), attached)
}

/** What a value costs beside its bytes: it is there as JSON, as a param and as the template sees it. */
const bytesPerValue = 256

type Making = Pick<Incoming, 'body' | 'writer' | 'room' | 'queue'>

/** Before anything of a large body is made. Its bytes, its text and the message are in memory at the same time. */
async function makeRoom({ body, writer, room, queue }: Making): Promise<void> {
  const values = await queue.run(countValues(body), writer)
  await room.hold(3 * body.length + bytesPerValue * values)
}

/** The envelope of these values; while it grows it is counted as texts are kept. */
export async function render(
  { endpoint, writer, room, queue }: Incoming,
  values: TemplateValues,
  generated: Generated,
  attachments?: Attaching,
): Promise<Buffer> {
  let held: number | undefined
  let grown = 0
  const onGrowth = (characters: number): void => void (grown = bytesPerCharacter * characters)
  const waitFor = (): Promise<void> | undefined => room.hold((held ??= room.held) + grown)
  const steps = endpoint.envelope.renderInSteps(values, generated, { attachments, onGrowth })
  return Buffer.from(await queue.run(steps, writer, waitFor))
}

const bytesPerCharacter = 2

/** The call with an envelope of these values: alone where nothing is attached after all, else as multipart/related. */
export async function withAttachments(
  incoming: Incoming,
  values: TemplateValues,
  generated: Generated,
  call: Omit<Call, 'body'>,
): Promise<Call & { readonly body: Uint8Array }> {
  const attachments = new AttachmentList(randomUUID())
  const text = await render(incoming, values, generated, attachments)
  if (attachments.all.length === 0) return { ...call, body: text }
  const type = headerValue(call.headers, 'content-type') ?? 'text/xml'
  const { contentType, body } = toMultipartMessage(text, type, attachments)
  return { ...call, headers: replaceContentType(call.headers, contentType), body }
}

function replaceContentType(headers: RawHeaders, value: string): RawHeaders {
  return headers.map((each, i) => (i % 2 === 1 && headers[i - 1]?.toLowerCase() === 'content-type' ? value : each))
}
