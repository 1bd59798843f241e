/**
 * REST requests, `/r1/...`: answered as a Security Server and the provider behind it would, by the X-Road Message
 * Protocol for REST. The answer is a file of the answers folder, what metadata.ts says, or an echo of what arrived;
 * `mock.` codes go to `failures/`.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Answers } from './answers.ts'
import { onDemand } from './message.ts'
import { earlyAnswer, readFailure } from './failures/failures.ts'
import type { MockCall } from './failures/mock-call.ts'
import { Refusal, type RestError, spell, toRestError } from './faults.ts'
import { describeRest, headersOfList, isMethodList, listRestMethods } from './metadata.ts'
import { jsonNotation, prolog } from './failures/oddities.ts'
import type { MockBehaviour } from './soap-lane.ts'
import type { MockReply, Header, Wire } from './wire.ts'
import { escapeXml } from './read/xml.ts'

/** Where a request is for, decoded. */
interface Target {
  readonly path: string
  /** Without its question mark; undefined without one. */
  readonly query: string | undefined
  /** Instance, member class, member code, subsystem, service. */
  readonly service: readonly string[]
}

interface Upload {
  readonly text: string | null
  readonly length: number
  readonly sha256: string
  readonly sha512: Buffer | undefined
}

/** Longer bodies are counted and hashed, not kept. */
const maxEchoedBytes = 10 * 1024 * 1024
const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'])
const noUpload: Upload = { text: '', length: 0, sha256: createHash('sha256').digest('hex'), sha512: undefined }

export async function serveRest({ answers, spelling }: MockBehaviour, wire: Wire): Promise<void> {
  const refuse = (code: string, message: string): MockReply =>
    errorAnswer(toRestError(code, message), wire.request.headers['accept'])
  try {
    const target = readTarget(wire)
    const client = readClient(wire)
    const serviceCode = target.service[4] ?? ''
    wire.service = serviceCode
    const [failure, argument = ''] = serviceCode.startsWith(onDemand) ? (readFailure(serviceCode) ?? []) : []
    const upload = failure?.name === earlyAnswer ? noUpload : await readUpload(wire)
    if (upload === undefined) return
    const headers = xroadHeaders(wire, target, client, upload)
    if (failure !== undefined) {
      await failure.act(toMockCall(wire, target, upload, headers, refuse), argument)
      return
    }
    if (serviceCode.startsWith(onDemand)) {
      throw new Refusal('server.serverproxy.unknown_service', `The mock knows no service code ${serviceCode}`)
    }
    const { type, body, more = [] } = content(wire, target, upload, answers)
    wire.send({ status: 200, headers: [...headers, ...more], type, body })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    wire.send(refuse(spell(error.code, spelling), error.message))
  }
}

function readTarget({ request: { url = '', method = '' } }: Wire): Target {
  if (!methods.has(method)) throw new Refusal('server.clientproxy.internal_error', `Unknown method ${method}`)
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const segments = path.split('/')
  if (segments.length < 7) throw new Refusal('server.clientproxy.internal_error', 'Invalid request URI')
  return { path, query: mark < 0 ? undefined : url.slice(mark + 1), service: segments.slice(2, 7).map(decodeSegment) }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new Refusal('server.clientproxy.internal_error', 'Invalid percent-encoding in an identifier')
  }
}

/** The parts of X-Road-Client; the last one counts where there are several. */
function readClient({ request }: Wire): readonly string[] {
  const value = headerOf(request.rawHeaders, 'x-road-client')
  if (value === undefined) {
    throw new Refusal('server.clientproxy.invalid_client_identifier', 'The client identifier is missing')
  }
  const parts = value.split('/')
  if (parts.length < 3 || parts.length > 4) {
    throw new Refusal('server.clientproxy.internal_error', 'Invalid Client Id')
  }
  return parts.map(decodeSegment)
}

function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  let value: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) value = rawHeaders[i + 1]
  }
  return value
}

/** Undefined when the client left half-way. */
async function readUpload(wire: Wire): Promise<Upload | undefined> {
  const { headers } = wire.request
  const length = headers['content-length']
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    return noUpload
  }
  const sha512 = createHash('sha512')
  const sha256 = createHash('sha256')
  const chunks: Buffer[] = []
  let received = 0
  const isWhole = await wire.read((chunk) => {
    received += chunk.length
    sha512.update(chunk)
    sha256.update(chunk)
    if (received <= maxEchoedBytes) chunks.push(chunk)
  })
  if (!isWhole) return undefined
  const text = received > maxEchoedBytes ? null : Buffer.concat(chunks).toString('utf8')
  return { text, length: received, sha256: sha256.digest('hex'), sha512: sha512.digest() }
}

function xroadHeaders(wire: Wire, target: Target, client: readonly string[], upload: Upload): readonly Header[] {
  const requestId = randomUUID()
  const messageId = headerOf(wire.request.rawHeaders, 'x-road-id') ?? `${target.service[0]}-${randomUUID()}`
  return [
    ['x-road-id', messageId],
    ['x-road-client', encodeIdentifier(client)],
    ['x-road-service', encodeIdentifier(target.service)],
    ['x-road-request-id', requestId],
    ['x-road-request-hash', hashRequest(wire, requestId, upload)],
  ]
}

/** Headers that stay between neighbours and are not part of the message. */
const skipped = new Set(
  'transfer-encoding keep-alive proxy-authenticate proxy-authorization te trailer upgrade connection user-agent host content-length server expect x-road-request-id x-road-request-hash'.split(
    ' ',
  ),
)

/** Base64 of SHA-512 over the digest of request line and headers and, if there is one, the digest of the body. */
function hashRequest({ request }: Wire, requestId: string, { sha512 }: Upload): string {
  const { method = '', url = '', rawHeaders } = request
  let text = `${method}\r\n${url}\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (!skipped.has(name.toLowerCase())) text += `${name}:${rawHeaders[i + 1]}\r\n`
  }
  const head = createHash('sha512').update(`${text}x-road-request-id:${requestId}\r\n`).digest()
  const whole = sha512 === undefined ? head : createHash('sha512').update(head).update(sha512).digest()
  return whole.toString('base64')
}

/** Percent-encoded as a Security Server does it, which leaves more characters alone than `encodeURIComponent`. */
function encodeIdentifier(parts: readonly string[]): string {
  return parts
    .map((part) => encodeURIComponent(part).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent))
    .join('/')
}

interface Content extends Pick<MockReply, 'type' | 'body'> {
  readonly more?: readonly Header[]
}

function content(wire: Wire, target: Target, upload: Upload, answers: Answers): Content {
  const { method = '' } = wire.request
  const serviceCode = target.service[4] ?? ''
  const provider = target.service.slice(0, 4)
  const file = answers.forRest(serviceCode, method)
  // The same names are services of the other lane, whose answer is XML.
  const isOfOther = isMethodList(serviceCode) && file?.name.endsWith('.xml') === true
  if (file !== undefined && !isOfOther) return { type: file.type, body: file.content }
  if (isMethodList(serviceCode)) {
    const body = Buffer.from(listRestMethods(provider, answers))
    return { type: jsonType, body, more: headersOfList(serviceCode) }
  }
  if (serviceCode === 'getOpenAPI' && method === 'GET') {
    const { type, content: body } = describeRest(provider, target.query, answers)
    return { type, body }
  }
  return echo(wire, target, upload)
}

function json(value: unknown): Pick<MockReply, 'type' | 'body'> {
  return { type: jsonType, body: Buffer.from(JSON.stringify(value)) }
}

const jsonType = 'application/json; charset=utf-8'

function echo({ request }: Wire, { path, query }: Target, upload: Upload): Pick<MockReply, 'type' | 'body'> {
  const { method, rawHeaders } = request
  const headers = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1]]] : []))
  const { text, length, sha256 } = upload
  return json({ method, path, query: query ?? null, headers, body: text, bodyLength: length, bodySha256: sha256 })
}

function toMockCall(
  wire: Wire,
  target: Target,
  upload: Upload,
  headers: readonly Header[],
  error: MockCall['error'],
): MockCall {
  const received = (): MockReply => ({ status: 200, headers, ...echo(wire, target, upload) })
  const xml = 'application/xml; charset=utf-8'
  return {
    wire,
    notation: jsonNotation,
    target: wire.request.url ?? '/',
    ordinary: received,
    around: (text) => ({ status: 200, type: jsonType, headers, body: Buffer.from(`{"content":${text}}`) }),
    aroundXml: (text) => ({
      status: 200,
      type: xml,
      headers,
      body: Buffer.from(`${prolog.plain}<answer>${text}</answer>`),
    }),
    received,
    error,
    error12: (code) => error(code, 'A failure that was asked for'),
    providerError: (message) => ({
      ...received(),
      status: 500,
      body: Buffer.from(JSON.stringify({ status: 500, error: 'Internal Server Error', message })),
    }),
  }
}

/** In XML for those who accept XML, in JSON for everybody else. */
function errorAnswer({ status, flag, type, message, detail }: RestError, accept: string | undefined): MockReply {
  const headers: readonly Header[] = [['X-Road-Error', flag]]
  const xmlType = (accept ?? '')
    .split(',')
    .map((range) => (range.split(';')[0] as string).trim().toLowerCase())
    .find((range) => range === 'text/xml' || range === 'application/xml' || range === 'text/*')
  if (xmlType === undefined) {
    const body = Buffer.from(JSON.stringify({ type, message, detail }))
    return { status, type: 'application/json;charset=utf-8', headers, body }
  }
  const fields = [
    ['type', type],
    ['message', message],
    ['detail', detail],
  ]
  const elements = fields.map(([name, value]) => `<${name}>${escapeXml(value as string)}</${name}>`).join('')
  const contentType = `${xmlType === 'text/*' ? 'text/xml' : xmlType};charset=utf-8`
  return { status, type: contentType, headers, body: Buffer.from(`${prolog.plain}<error>${elements}</error>`) }
}
