/**
 * A pipelined connection: round trips go out without waiting for each other, and the server's frames go to the round
 * trip at the head, which ends with its ReadyForQuery. Each has its own Sync, so an error of one does not affect the
 * others.
 *
 * execution.ts and its like know what a round trip sends and what it makes of the response; driver.ts opens the socket.
 */
import type { Socket } from 'node:net'
import { Failure } from '../../../errors.ts'
import { maxResultLength } from '../../result.ts'
import { ByteWriter } from '../rows/bytes.ts'
import { FrameReader, frameType, readError, readParameterTypes, readSetting, type ServerError } from './frames.ts'
import type { Listener, RoundTrip } from './round-trip.ts'
import { writeBind, writeCopyFail, writeExecute, writeParse, writeSync, writeTerminate } from './frontend-messages.ts'

/** How long to wait for the server's answer to a goodbye. */
const closeMs = 2000

const copyFailure = (direction: string): Failure =>
  new Failure('statement_unsupported', `COPY ${direction} is not supported`)

export class Wire {
  readonly #socket: Socket
  readonly #onBroken: () => void
  readonly #out = new ByteWriter()
  readonly #inFlight: RoundTrip[] = []
  /** Outside of a transaction one round trip is sent when the one before has ended. */
  readonly #isSerial: boolean
  readonly #queued: RoundTrip[] = []
  /** Exchanges that nobody waits for, and what to do when there are no others. */
  #waiting: { readonly roundTrip: RoundTrip; readonly call: () => void }[] = []
  #isFlushing = false
  #isBroken = false
  #error: Error | undefined
  /** Transaction status at the last ReadyForQuery: idle, in a transaction, in a failed one. */
  status: 'I' | 'T' | 'E' = 'I'
  /** Called when the server reports that a setting has changed. */
  onSetting: ((name: string, value: string) => void) | undefined

  /** The socket is the wire's from here on; `onBroken` is called when the connection ends by itself. */
  constructor(socket: Socket, onBroken: () => void, isSerial = false) {
    this.#isSerial = isSerial
    this.#socket = socket
    this.#onBroken = onBroken
    const reader = new FrameReader(
      (type, source, at, end) => this.#receive(type, source, at, end),
      maxResultLength,
      (type) => this.#passOver(type),
    )
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.read(chunk)
      } catch (error) {
        // A text too long for the engine, or no frame at all: it costs the connection, not the process.
        socket.destroy(error as Error)
      }
    })
    socket.on('error', (error: Error) => {
      this.#error = error
    })
    socket.on('close', () => this.#end())
  }

  /**
   * Call it when nobody waits for the round trip any more. Calls back once that is true for all round trips under
   * way; not at all if this one ends first.
   */
  whenAbandoned(roundTrip: RoundTrip, call: () => void): void {
    this.#waiting.push({ roundTrip, call })
    this.#callWaiting()
  }

  /** Other round trips wait behind the one at the head. */
  get isShared(): boolean {
    return this.#inFlight.length > 1 || this.#inFlight[0]?.isShared === true
  }

  /** A round trip whose end is a promise. */
  ask(roundTrip: RoundTrip): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.submit(roundTrip, { ended: (error) => (error === undefined ? resolve() : reject(error)) })
    return promise
  }

  /** Sends the round trip. One that cannot be sent has ended when this returns. */
  submit(roundTrip: RoundTrip, listener: Listener): void {
    roundTrip.listener = listener
    const isBehind = this.#isSerial && (this.#inFlight.length > 0 || this.#queued.length > 0)
    if (isBehind && this.status === 'I') this.#queued.push(roundTrip)
    else this.#send(roundTrip)
  }

  #send(roundTrip: RoundTrip): void {
    if (this.#isBroken || !this.#socket.writable) {
      roundTrip.fail(this.#error ?? new Error('The connection has ended'))
      roundTrip.settle()
      return
    }
    const { length } = this.#out
    try {
      if (roundTrip.ahead !== undefined) writeAhead(this.#out, roundTrip.ahead)
      roundTrip.send(this.#out)
    } catch (error) {
      // Too many values, or too long for a message: nothing of it is sent.
      this.#out.truncate(length)
      roundTrip.fail(error)
      roundTrip.settle()
      return
    }
    this.#inFlight.push(roundTrip)
    this.#flushSoon()
  }

  #sendQueued(): void {
    while (this.#queued.length > 0 && (this.#inFlight.length === 0 || this.status !== 'I')) {
      this.#send(this.#queued.shift() as RoundTrip)
    }
  }

  /** Stops reading: what the server sends waits, which makes the server wait. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Says goodbye and closes. Never rejects. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#socket.closed) return
    this.#socket.once('close', () => resolve())
    writeTerminate(this.#out)
    this.#socket.end(this.#out.take())
    this.#socket.resume()
    const timer = setTimeout(() => this.#socket.destroy(), closeMs)
    await promise
    clearTimeout(timer)
  }

  /** Drops the connection at once, for when the server is still sending. */
  destroy(): void {
    this.#socket.destroy()
  }

  /** Everything that is submitted in one turn of the event loop leaves in one write. */
  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => {
      this.#isFlushing = false
      this.flush()
    })
  }

  /** Sends now what would leave at the end of this turn. */
  flush(): void {
    if (this.#out.length > 0) this.#socket.write(this.#out.take())
  }

  #receive(type: number, source: Buffer, at: number, end: number): void {
    const head = this.#inFlight[0]
    if (head?.ahead !== undefined && isOfAhead(head, type)) return
    switch (type) {
      case frameType.dataRow:
        head?.handleRow(source, at, end)
        break
      case frameType.commandComplete:
      case frameType.emptyQuery:
        head?.handleComplete()
        break
      case frameType.bindComplete:
        head?.handleBound()
        break
      case frameType.readyForQuery:
        this.status = String.fromCharCode(source[at] as number) as 'I' | 'T' | 'E'
        this.#inFlight.shift()?.settle()
        if (this.#queued.length > 0) this.#sendQueued()
        if (this.#waiting.length > 0) this.#callWaiting()
        break
      case frameType.parseComplete:
        head?.handleParsed()
        break
      case frameType.rowDescription:
        head?.handleDescription(source, at, end)
        break
      case frameType.parameterDescription:
        head?.handleParameterTypes(readParameterTypes(source, at))
        break
      case frameType.error:
        this.#refused(readError(source, at, end))
        break
      case frameType.parameterStatus:
        this.onSetting?.(...readSetting(source, at, end))
        break
      case frameType.copyIn:
        head?.fail(copyFailure('FROM STDIN'))
        writeCopyFail(this.#out, 'not supported')
        // The server has ignored the Sync that came while it waited for data.
        writeSync(this.#out)
        this.#flushSoon()
        break
      case frameType.copyOut:
        head?.fail(copyFailure('TO STDOUT'))
        break
    }
  }

  #callWaiting(): void {
    const waiting = this.#waiting.filter(({ roundTrip }) => this.#inFlight.includes(roundTrip))
    const isAbandoned = waiting.length === this.#inFlight.length
    this.#waiting = isAbandoned ? [] : waiting
    if (isAbandoned) for (const { call } of waiting) call()
  }

  /** A frame that is longer than any result may be. */
  #passOver(type: number): void {
    if (type === frameType.dataRow) this.#inFlight[0]?.handleHugeRow()
    else this.#socket.destroy(new Error('The server has sent a message that is too long'))
  }

  #refused(error: ServerError): void {
    // The owner is told before the round trip, so that the dying connection is not given to the next job.
    if (error.severity !== 'ERROR') {
      this.#error = error
      this.#isBroken = true
      this.#onBroken()
    }
    const [head] = this.#inFlight
    head?.fail(error)
    // ReadyForQuery follows an ERROR; nothing follows a FATAL one.
    if (error.severity !== 'ERROR') this.#inFlight.shift()?.settle()
  }

  /** The socket has closed: everything that still waits is rejected. */
  #end(): void {
    this.#isBroken = true
    const error = new Error('The connection has ended', { cause: this.#error })
    // The owner is told first, as above.
    this.#onBroken()
    for (const roundTrip of [...this.#inFlight.splice(0), ...this.#queued.splice(0)]) {
      roundTrip.fail(error)
      roundTrip.settle()
    }
  }
}

function writeAhead(out: ByteWriter, query: string): void {
  writeParse(out, '', query, [])
  writeBind(out, '', [])
  writeExecute(out)
}

/**
 * Whether the frame answers what went ahead. Errors are the round trip's own: the server passes over what is behind
 * them.
 */
function isOfAhead(head: RoundTrip, type: number): boolean {
  switch (type) {
    case frameType.commandComplete:
      head.ahead = undefined
      return true
    case frameType.parseComplete:
    case frameType.bindComplete:
    case frameType.dataRow:
      return true
    default:
      return false
  }
}
