/**
 * The life of one outbound call: the wait for a connection, the clock, the caller that leaves, the first failure. The
 * subclasses decide what happens to the response. The class also implements the handler of the HTTP client, so that a
 * call is one object in all its roles: a few closures for each call would cost more than everything else.
 */
import { CallerGone, Failure } from '../errors.ts'
import type { ResponseWriter, RawHeaders } from '../model.ts'
import { codedResponse, describe } from './causes.ts'
import {
  type Call,
  type Connection,
  type Controller,
  distrust,
  type Handler,
  type Limits,
  rawHeadersOf,
  send,
  toReason,
} from './client.ts'
import { bodyless, framingOf, type Inbound } from './headers.ts'
import type { Room } from './room.ts'
import type { Turns, Waiter } from './turns.ts'

/** What a call goes through. */
export interface Way {
  /** One for each connection; taken until the client is done with the call, which may be after its caller is. */
  readonly turns: Turns<Connection>
  readonly limits: Limits
  /**
   * Over all ways of an upstream: how many calls are in progress or waiting, how many of them have an upload that is
   * still arriving, and, where somebody wants to know, when the last answer came.
   */
  readonly load: { calls: number; uploads: number; lastAnswer: number | undefined }
  /** Whether the server says the id of a message in the headers of REST responses, as Security Servers do. */
  namesIds: boolean
}

/** A call that has waited until less than this part of its time is left is not sent: it would be cut in the middle. */
const minShare = 0.1

export abstract class UpstreamCall<Result> implements Handler, Waiter<Connection> {
  readonly limits: Limits
  readonly writer: ResponseWriter
  readonly room: Room | undefined
  readonly #way: Way
  readonly #call: Call
  #clock: NodeJS.Timeout | undefined
  /** When it asked for a connection, and when it may no longer be sent. */
  #asked = 0
  #latest = 0
  #connection: Connection | undefined
  standing: Waiter<Connection>['standing']
  ticket = 0
  readonly isUpload: boolean
  #isArriving: boolean
  #controller: Controller | undefined
  #failure: Error | undefined
  #resolve: ((result: Result) => void) | undefined
  #reject: ((failure: Error) => void) | undefined

  constructor(way: Way, call: Call, writer: ResponseWriter, room?: Room) {
    this.#way = way
    this.#call = call
    this.limits = call.limits ?? way.limits
    this.writer = writer
    this.room = room
    this.isUpload = isUpload(call)
    this.#isArriving = this.isUpload
  }

  protected abstract onHead(status: number, statusText: string, headers: RawHeaders): void
  protected abstract onData(chunk: Buffer): void
  /** The whole response is here. */
  protected abstract onEnd(): Result

  /** Settles once, when the response has ended or cannot be had. */
  run(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.writer.onGone = toLeaver(this)
      const timeMs = this.limits.timeoutSeconds * 1000
      this.#clock = setTimeout(endOfTime, timeMs, this)
      this.#asked = performance.now()
      this.#latest = this.#asked + timeMs * (1 - minShare)
      this.#way.load.calls++
      if (this.isUpload) this.#way.load.uploads++
      this.#way.turns.take(this)
    })
  }

  start(connection: Connection): void {
    this.#call.span?.begin('wait for a connection', { started: this.#asked }).end()
    this.#connection = connection
    const now = performance.now()
    this.room?.waited(now - this.#asked)
    if (this.#lateness(now) !== undefined) this.#giveBack()
    else if (isUpload(this.#call)) send(connection, { ...this.#call, body: this.#arriving(this.#call.body) }, this)
    else send(connection, this.#call, this)
  }

  /** The first failure counts; the connection is torn down with it. */
  fail(failure: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    this.room?.close()
    // Without a controller the call still waits for a connection: it is given up when it gets one.
    this.#controller?.abort(failure)
    this.#leave()
    this.#reject?.(failure)
  }

  /** From its end on the upload is a call like others. */
  async *#arriving(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    yield* body
    this.#endUpload()
  }

  #endUpload(): void {
    if (!this.#isArriving) return
    this.#isArriving = false
    this.#way.load.uploads--
    if (this.#connection !== undefined) this.#way.turns.endUpload()
  }

  protected pause(): void {
    this.#controller?.pause()
  }

  /** Nothing more is read until there is room for it. */
  protected waitFor(room: Promise<void> | undefined): void {
    if (room === undefined) return
    this.pause()
    // Refused only when the call has failed, and then its caller has heard of it.
    room.then(this.resume, ignore)
  }

  protected readonly resume = (): void => this.#controller?.resume()

  onRequestStart(controller: Controller): void {
    // Thrown, not aborted: the call is over, and the connection that it waited for stays for the next one.
    const failure = this.#lateness(performance.now())
    if (failure !== undefined) throw failure
    this.#controller = controller
  }

  onResponseStart(controller: Controller, status: number, _headers: unknown, statusText?: string): void {
    if (status < 200) return
    if (this.#way.load.lastAnswer !== undefined) this.#way.load.lastAnswer = performance.now()
    const headers = rawHeadersOf(controller)
    const framing = framingOf(headers)
    if (framing === 'unknown') this.#failWith(codedResponse())
    const hasEnd = framing === 'connection' && !bodyless.has(status) && this.#call.method !== 'HEAD'
    this.#connection?.ending.expect(hasEnd)
    if (framing !== 'unknown') this.onHead(status, toReason(statusText), headers)
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.onData(chunk)
  }

  onResponseEnd(): void {
    if (this.#call.isVerified !== true || this.#failure !== undefined) this.#giveBack()
    if (this.#failure !== undefined) return
    const result = this.onEnd()
    this.#leave()
    this.#resolve?.(result)
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#giveBack()
    if (!this.writer.isOpen) this.fail(new CallerGone())
    this.#failWith(error)
  }

  /** A REST response may not be one of an earlier SOAP message of the connection. Other servers give no id at all. */
  protected isOfOtherLane({ hasId, isLikeSoap }: Pick<Inbound, 'hasId' | 'isLikeSoap'>): boolean {
    this.#way.namesIds ||= hasId
    return isLikeSoap && this.#way.namesIds && this.#connection?.hasCarriedSoap === true
  }

  /** A call whose response is verified has its connection until then. */
  settle(isOwn: boolean): void {
    if (!isOwn && this.#connection !== undefined) distrust(this.#connection)
    this.#giveBack()
  }

  #failWith(error: Error): void {
    const { message, code } = describe(error)
    this.fail(new Failure('internal_error', message, { cause: new Error(code, { cause: error }) }))
  }

  /** Why it is not sent: it has failed, or fails now because it has waited until there is no time for a response. */
  #lateness(now: number): Error | undefined {
    if (this.#failure === undefined && now > this.#latest) this.fail(lateCall(this.limits))
    return this.#failure
  }

  #leave(): void {
    clearTimeout(this.#clock)
    this.#way.load.calls--
    this.#way.turns.leave(this)
    // With a connection the upload ends when the client is done with it.
    if (this.#connection === undefined) this.#endUpload()
    this.writer.onGone = undefined
  }

  #giveBack(): void {
    this.#endUpload()
    if (this.#connection !== undefined) this.#way.turns.giveBack(this.#connection)
    this.#connection = undefined
  }
}

/** Whether the body is still arriving when the call begins. */
export function isUpload(call: Call): call is Call & { readonly body: AsyncIterable<Uint8Array> } {
  return call.body !== undefined && !(call.body instanceof Uint8Array)
}

interface Failing {
  readonly limits: Limits
  readonly room: Room | undefined
  fail(failure: Error): void
}

function ignore(): void {}

function endOfTime(call: Failing): void {
  if (call.room?.isWaiting) return call.fail(call.room.failure)
  call.fail(new Failure('upstream_timeout', `no whole answer within ${call.limits.timeoutSeconds} s`))
}

function lateCall({ timeoutSeconds }: Limits): Failure {
  const message = `the call was not sent: it waited until less than a tenth of its ${timeoutSeconds} s was left`
  return new Failure('upstream_timeout', message)
}

/**
 * Made apart from `run`: sharing its scope, this closure kept every call alive through the next collections of garbage.
 */
function toLeaver(call: Failing): () => void {
  return () => call.fail(new CallerGone())
}

/** What the caller hears of a response with another id than its call; the ids are for the log. */
export function foreignAnswer(sent: string, received: string): Failure {
  const message = 'the answer of the upstream belongs to another message; the connection was closed'
  const cause = new Error(`sent ${sent.slice(0, shownId)}, received ${received.slice(0, shownId)}`)
  return new Failure('internal_error', message, { cause })
}

const shownId = 100

export function tooLarge({ maxResponseBytes }: Limits): Failure {
  return new Failure('upstream_body_too_large', `the answer is larger than ${maxResponseBytes} bytes`, {
    extras: { limit: maxResponseBytes },
  })
}
