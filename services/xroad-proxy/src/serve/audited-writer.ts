/**
 * A reply on its way to its caller, watched for the audit file: the line of its exchange is written before its last
 * byte is. What became of the exchange is in the trace by then. What goes into the line is audit/line.ts, how it is
 * kept audit/audit-file.ts.
 */
import { roundMs } from '@services/observe'
import { type AuditRecord, toLine } from '../audit/line.ts'
import type { AuditFile } from '../audit/audit-file.ts'
import { callerGone, Failure } from '../errors.ts'
import type { FailureSource, FileReply, RawHeaders, Reply, Request, ResponseWriter } from '../model.ts'
import type { AuditedMessage, AuditEntry, Trace } from '../trace.ts'
import { readSingleHeader } from '../upstream/headers.ts'
import { sourceOf } from '../xroad.ts'

/** The section `audit` of the configuration, with what it names. */
export interface Audit {
  readonly file: AuditFile
  /** Whether calls are refused where their lines cannot be written. */
  readonly isRequired: boolean
  /** Key of the hash that is written instead of a user. */
  readonly hashKey: string | undefined
  /** In lower case; names the caller, as a proxy in front says. */
  readonly callerHeader: string | undefined
}

export class AuditedWriter implements ResponseWriter, AuditEntry {
  requestHash: string | undefined
  readonly #audit: Audit
  readonly #request: Request
  readonly #writer: ResponseWriter
  readonly #trace: Trace
  readonly #time = new Date()
  readonly #started = performance.now()
  /** Read now: a closed connection has no address. */
  readonly #peer: string | undefined
  #caller: string | undefined
  #message: AuditedMessage | undefined
  #departed = 0
  /** Of a response that is passed on. */
  #passedOn: { readonly status: number; readonly errorCode: string | undefined } | undefined

  constructor(audit: Audit, request: Request, writer: ResponseWriter, trace: Trace) {
    this.#audit = audit
    this.#request = request
    this.#writer = writer
    this.#trace = trace
    this.#peer = request.peer
  }

  departs(message: AuditedMessage): void {
    const { file, isRequired, callerHeader } = this.#audit
    const named = callerHeader === undefined ? undefined : readSingleHeader(this.#request.headers, callerHeader)
    if (isRequired && !file.isReady()) {
      throw new Failure('audit_unavailable', 'calls are refused as long as the audit file cannot be written')
    }
    this.#caller = named || this.#peer
    this.#message = message
    this.#departed = performance.now()
  }

  get isOpen(): boolean {
    return this.#writer.isOpen
  }

  get hasBegun(): boolean {
    return this.#writer.hasBegun
  }

  get status(): number {
    return this.#writer.status
  }

  get bytes(): number {
    return this.#writer.bytes
  }

  get onGone(): (() => void) | undefined {
    return this.#writer.onGone
  }

  set onGone(callback: (() => void) | undefined) {
    this.#writer.onGone = callback
  }

  get held(): ResponseWriter['held'] {
    return this.#writer.held
  }

  set held(held: ResponseWriter['held']) {
    this.#writer.held = held
  }

  send(reply: Reply | FileReply): void {
    this.#ends(typeof reply.body === 'string' ? Buffer.byteLength(reply.body) : reply.body.length)
    this.#writer.send(reply)
  }

  begin(status: number, statusText: string, headers: RawHeaders): void {
    let errorCode: string | undefined
    for (let i = 0; i < headers.length; i += 2) {
      const name = (headers[i] as string).toLowerCase()
      if (name === 'x-road-error') errorCode ??= headers[i + 1]
      else if (name === 'x-road-request-hash') this.requestHash ??= headers[i + 1]
    }
    this.#passedOn = { status, errorCode }
    this.#writer.begin(status, statusText, headers)
  }

  write(chunk: Uint8Array, resume: () => void): boolean {
    return this.#writer.write(chunk, resume)
  }

  end(chunk?: Uint8Array): void {
    this.#ends(chunk?.length ?? 0)
    this.#writer.end(chunk)
  }

  breakOff(): void {
    this.#ends(0)
    this.#writer.breakOff()
  }

  /** Writes the line, before the last of the reply goes out. */
  #ends(bytes: number): void {
    const message = this.#message
    if (message === undefined) return
    // Once.
    this.#message = undefined
    // Nobody takes what is sent to a caller who has left, and a reply to HEAD has no body.
    const last = this.isOpen && this.#request.method !== 'HEAD' ? bytes : 0
    const { bytesIn, ...named } = message
    const record: AuditRecord = {
      id: this.#trace.messageId,
      ...named,
      time: this.#time,
      caller: this.#caller,
      requestHash: this.requestHash,
      bytesIn,
      bytesOut: this.bytes + last,
      ms: since(this.#started),
      upstreamMs: roundMs(this.#trace.upstreamMs ?? performance.now() - this.#departed),
      ...this.#judge(),
    }
    this.#audit.file.append(toLine(record, this.#audit.hashKey))
  }

  #judge(): { outcome: string; source: FailureSource | undefined } {
    const { error, source } = this.#trace
    if (error === callerGone) return { outcome: error, source }
    if (error !== undefined) return { outcome: error, source: source ?? 'proxy' }
    const { status = 200, errorCode } = this.#passedOn ?? {}
    if (errorCode === undefined && status < 400) return { outcome: 'ok', source }
    return { outcome: `http_${status}`, source: errorCode === undefined ? 'provider' : sourceOf(errorCode) }
  }
}

function since(started: number): number {
  return roundMs(performance.now() - started)
}
