/**
 * The load generator, a process of its own: a plan comes in as JSON on stdin, what was measured goes out as JSON on stdout.
 *
 * A closed loop: each connection sends its next request when it has its answer. Requests are bytes made once, answers are
 * read only as far as needed (status, length), so that this process costs much less than the servers it drives. Each
 * request's first answer must have the hash that the plan names, every later one must equal the first, byte by byte.
 */
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Plan {
  readonly port: number
  readonly connections: number
  /** Driven for so long before anything is counted. */
  readonly rampSeconds: number
  readonly seconds: number
  readonly requests: readonly { readonly bytes: string; readonly sha256: string }[]
}

export interface Measured {
  /** Answers from the first to the last, those of the ramp included. */
  readonly answers: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** What this process itself has used, to see that it was not the one that was slow. */
  readonly loadCpuSecondsPer1000: number
}

interface Connection {
  readonly socket: Socket
  /** Index of the request under way, and when it was sent. */
  request: number
  since: number
  /** The beginning of an answer that came in pieces. */
  partial: Partial | undefined
}

interface Partial {
  /** Room for the whole answer, once its head has been read. */
  bytes: Buffer
  length: number
  bodyStart: number
}

/** Latencies are counted in steps of 10 microseconds, up to 20 seconds. */
const stepsPerMs = 100
const histogram = new Uint32Array(20_000 * stepsPerMs)
const headEnd = '\r\n\r\n'
const readBytes = 256 * 1024

const plan = JSON.parse(await text(process.stdin)) as Plan
const requests = plan.requests.map(({ bytes }) => Buffer.from(bytes))
/** The right answers, as they are learnt. */
const bodies: (Buffer | undefined)[] = requests.map(() => undefined)
let next = 0
let answers = 0
let counted = 0
let running = plan.connections

/** One for all: an answer is dealt with before the next one is read. */
const readBuffer = Buffer.allocUnsafe(readBytes)
const start = performance.now()
const countFrom = start + plan.rampSeconds * 1000
const countTo = countFrom + plan.seconds * 1000
for (let i = 0; i < plan.connections; i++) open()

function open(): void {
  const socket = connect({
    port: plan.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: readBuffer,
      callback: (length) => {
        receive(connection, readBuffer, length)
        return true
      },
    },
  })
  const connection: Connection = { socket, request: 0, since: 0, partial: undefined }
  socket.on('connect', () => send(connection))
  socket.on('error', (error) => fail(`connection failed: ${error.message}`))
  socket.on('end', () => fail('the server closed a connection'))
}

function send(connection: Connection): void {
  const index = next
  next = index + 1 === requests.length ? 0 : index + 1
  connection.request = index
  connection.since = performance.now()
  connection.socket.write(requests[index]!)
}

function receive(connection: Connection, chunk: Buffer, chunkLength: number): void {
  const { partial } = connection
  if (partial !== undefined) {
    receiveMore(connection, partial, chunk.subarray(0, chunkLength))
    return
  }
  const head = chunk.subarray(0, chunkLength).indexOf(headEnd)
  if (head < 0) fail('the head of an answer came in pieces')
  const bodyStart = head + headEnd.length
  const bodyEnd = bodyStart + contentLength(chunk.toString('latin1', 0, head))
  if (bodyEnd < chunkLength) fail('more came than was asked for')
  if (bodyEnd > chunkLength) {
    const bytes = Buffer.allocUnsafe(bodyEnd)
    chunk.copy(bytes, 0, 0, chunkLength)
    connection.partial = { bytes, length: chunkLength, bodyStart }
    return
  }
  check(connection.request, chunk, bodyStart, bodyEnd)
  finish(connection)
}

function receiveMore(connection: Connection, partial: Partial, chunk: Buffer): void {
  const { bytes, bodyStart } = partial
  if (partial.length + chunk.length > bytes.length) fail('more came than was asked for')
  chunk.copy(bytes, partial.length)
  partial.length += chunk.length
  if (partial.length < bytes.length) return
  connection.partial = undefined
  check(connection.request, bytes, bodyStart, bytes.length)
  finish(connection)
}

function contentLength(head: string): number {
  if (!head.startsWith('HTTP/1.1 ')) fail(`no HTTP answer: ${head}`)
  const [, digits] = /\r\ncontent-length: (\d+)/i.exec(head) ?? fail(`no content-length: ${head}`)
  return Number(digits)
}

function check(index: number, bytes: Buffer, start: number, end: number): void {
  const known = bodies[index]
  const isOk = bytes[9] === 0x32 && bytes[10] === 0x30 && bytes[11] === 0x30
  if (isOk && known !== undefined && bytes.compare(known, 0, known.length, start, end) === 0) return
  const body = Buffer.from(bytes.subarray(start, end))
  const sha256 = createHash('sha256').update(body).digest('hex')
  if (isOk && sha256 === plan.requests[index]!.sha256) bodies[index] = body
  else
    fail(
      `wrong answer to ${plan.requests[index]!.bytes.slice(0, 60)}: ${bytes.toString('latin1', 0, 12)} ${body.toString()}`,
    )
}

function finish(connection: Connection): void {
  const now = performance.now()
  answers++
  if (now >= countFrom && now < countTo) {
    counted++
    histogram[Math.min(histogram.length - 1, Math.floor((now - connection.since) * stepsPerMs))]!++
  }
  if (now < countTo) {
    send(connection)
    return
  }
  connection.socket.removeAllListeners('end').destroy()
  running--
  if (running === 0) report()
}

function report(): void {
  const { user, system } = process.cpuUsage()
  const measured: Measured = {
    answers,
    requestsPerSecond: counted / plan.seconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    loadCpuSecondsPer1000: (user + system) / 1e3 / answers,
  }
  process.stdout.write(JSON.stringify(measured))
}

function percentile(share: number): number {
  let seen = 0
  const step = histogram.findIndex((count) => (seen += count) >= share * counted)
  return step / stepsPerMs
}

function fail(message: string): never {
  process.stderr.write(`${message.slice(0, 1000)}\n`)
  process.exit(1)
}
