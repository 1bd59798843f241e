/**
 * The load generator, a process of its own: a plan comes in as JSON on stdin, what was measured goes out as JSON on
 * stdout (both in drive.ts).
 *
 * A closed loop, where each connection sends its next request when it has its answer, or a number of requests a second
 * over whatever connection is free. Requests are bytes made once, answers are read only as far as needed, so that this
 * process costs much less than the servers it drives. Each request's first answer must have the hash that the plan
 * names, every later one must equal the first, byte by byte.
 */
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Reply, AnswerReader } from './answer-reader.ts'
import type { GroupPlan, Measured, Plan, WireRequest } from './drive.ts'

interface Ask {
  readonly bytes: Buffer
  readonly wire: WireRequest
  /** The right body, once it was seen. */
  body: Buffer | undefined
  answers: number
}

interface Group {
  readonly asks: readonly Ask[]
  readonly isPaced: boolean
  next: number
  readonly idle: Connection[]
  /** Paced: when the requests were due that found no idle connection. */
  readonly late: number[]
}

interface Connection {
  readonly socket: Socket
  readonly reader: AnswerReader
  readonly group: Group
  ask: Ask
  since: number
}

/** Latencies are counted in steps of 10 microseconds, up to 20 seconds. */
const stepsPerMs = 100
const histogram = new Uint32Array(20_000 * stepsPerMs)
const readBytes = 256 * 1024

/** A server's queue of new connections holds some hundreds; what does not fit into it waits for a second. */
const connectedAtATime = 128

const plan = JSON.parse(await text(process.stdin)) as Plan
/** One for all: an answer is dealt with before the next one is read. */
const readBuffer = Buffer.allocUnsafe(readBytes)
let running = 0
const groups = plan.groups.map(toGroup)
// Before the clock starts: of a thousand connections the last ones would come late.
const connections = await connectAll()

const start = performance.now()
const countFrom = start + plan.rampSeconds * 1000
const countTo = countFrom + plan.seconds * 1000
/** Rates are between answers: of few long ones, parts at the edges would be a large share. */
let firstAt: number | undefined
let lastAt = 0
let counted = 0

for (const connection of connections) goOn(connection)
for (const [index, { ratePerSecond }] of plan.groups.entries()) {
  if (ratePerSecond !== undefined) pace(groups[index]!, ratePerSecond)
}

function toGroup({ ratePerSecond, requests }: GroupPlan): Group {
  const asks = requests.map((wire) => ({ bytes: Buffer.from(wire.bytes), wire, body: undefined, answers: 0 }))
  return { asks, isPaced: ratePerSecond !== undefined, next: 0, idle: [], late: [] }
}

async function connectAll(): Promise<Connection[]> {
  const wanted = plan.groups.flatMap((group, index) => Array.from({ length: group.connections }, () => groups[index]!))
  const all: Connection[] = []
  for (let at = 0; at < wanted.length; at += connectedAtATime) {
    all.push(...(await Promise.all(wanted.slice(at, at + connectedAtATime).map(open))))
  }
  return all
}

function open(group: Group): Promise<Connection> {
  const { promise, resolve } = Promise.withResolvers<Connection>()
  const socket = connect({
    port: plan.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: readBuffer,
      callback: (length) => {
        receive(connection, readBuffer.subarray(0, length))
        return true
      },
    },
  })
  const connection: Connection = { socket, reader: new AnswerReader(), group, ask: group.asks[0]!, since: 0 }
  running++
  socket.on('connect', () => resolve(connection))
  socket.on('error', (error) => fail(`connection failed: ${error.message}`))
  socket.on('end', () => fail('the server closed a connection'))
  return promise
}

function pace(group: Group, ratePerSecond: number): void {
  let sent = 0
  const timer = setInterval(() => {
    const now = performance.now()
    if (now >= countTo) {
      clearInterval(timer)
      for (const connection of group.idle.splice(0)) goOn(connection)
      return
    }
    for (const due = ((now - start) / 1000) * ratePerSecond; sent < due; sent++) {
      const connection = group.idle.pop()
      if (connection === undefined) group.late.push(now)
      else send(connection, now)
    }
  }, 1)
}

/** What a connection does that has nothing to do. */
function goOn(connection: Connection): void {
  const { group } = connection
  const now = performance.now()
  const due = group.late.shift()
  if (due !== undefined) send(connection, due)
  // With requests that are rarer, or take longer, than the whole round, at least one has to be counted.
  else if (now >= countTo && (counted > 0 || group !== groups[0])) close(connection)
  else if (group.isPaced && now < countTo) group.idle.push(connection)
  else send(connection, now)
}

function send(connection: Connection, since: number): void {
  const { group } = connection
  connection.ask = group.asks[group.next]!
  connection.since = since
  group.next = group.next + 1 === group.asks.length ? 0 : group.next + 1
  connection.socket.write(connection.ask.bytes)
}

function receive(connection: Connection, bytes: Buffer): void {
  let answer
  try {
    answer = connection.reader.read(bytes)
  } catch (error) {
    fail(String(error))
  }
  if (answer === undefined) return
  check(connection.ask, answer)
  count(connection)
  goOn(connection)
}

function check(ask: Ask, { status, body }: Reply): void {
  ask.answers++
  if (status === ask.wire.status && ask.body?.equals(body) === true) return
  const sha256 = createHash('sha256').update(body).digest('hex')
  if (status !== ask.wire.status || sha256 !== ask.wire.sha256) {
    fail(`wrong answer to ${ask.wire.bytes.slice(0, 60)}: ${status} ${body.toString('utf8', 0, 500)}`)
  }
  ask.body = Buffer.from(body)
}

function count({ ask, since }: Connection): void {
  const now = performance.now()
  if (!ask.wire.isCounted || now < countFrom) return
  if (firstAt === undefined) {
    firstAt = now
    return
  }
  counted++
  lastAt = now
  histogram[Math.min(histogram.length - 1, Math.floor((now - since) * stepsPerMs))]!++
}

function close({ socket }: Connection): void {
  socket.removeAllListeners('end').destroy()
  running--
  if (running === 0) report()
}

function report(): void {
  const { user, system } = process.cpuUsage()
  const answers = groups.map(({ asks }) => asks.map((ask) => ask.answers))
  const measured: Measured = {
    answers,
    requestsPerSecond: (counted * 1000) / (lastAt - (firstAt ?? Number.NaN)),
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    loadCpuSecondsPer1000: (user + system) / 1e3 / answers.flat().reduce((sum, some) => sum + some, 0),
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
