/**
 * What is known of one call while it is in progress, for those who report it in the end: the log, and the audit file.
 * Nothing here runs.
 */
import type { Span } from '@services/trace'
import type { FailureSource } from './model.ts'

/** What became of one call, filled in on the way, for the one line in the log. */
export interface Trace {
  /** By which the log and the caller name the request; the id of its message is another one. */
  readonly requestId: string
  /** `group/service`, where the request was for one. */
  endpoint: string | undefined
  messageId: string | undefined
  /** Milliseconds from sending the call to the end of its response. */
  upstreamMs: number | undefined
  /** How long the call has waited, for room and for a connection; undefined where there was to be none. */
  waits: { readonly waitedMs: number } | undefined
  /** Who made the reply, if it is an error. */
  source: FailureSource | undefined
  /** The code of an error that the service told; `caller_gone` where there was nobody to tell. */
  error: string | undefined
  /** Why the request was refused, if the code does not say it; for the log. */
  reason?: string | undefined
  /** What was called, where that went wrong; for the log. */
  called?: Called | undefined
  /** Undefined without an audit file. */
  audit: AuditEntry | undefined
  /** Its place in a trace; undefined when tracing is off. */
  readonly span?: Span | undefined
}

export interface Called {
  /** Host and port. */
  readonly upstream: string
  /** `EE/GOV/70000001/my-system`; undefined for a direct call. */
  readonly client?: string | undefined
  readonly service?: string | undefined
}

/** What the audit file will say of one exchange. The lanes fill it in. */
export interface AuditEntry {
  /**
   * A message is about to go out: from here on there will be a line. Throws `malformed_request` where it cannot be said
   * who calls, and `audit_unavailable` where the line is required and cannot be written.
   */
  departs(message: AuditedMessage): void
  /** The hash that the Security Server has made of it. */
  requestHash: string | undefined
}

export interface AuditedMessage {
  readonly lane: 'soap' | 'rest' | 'direct'
  /** `EE/GOV/70000001/my-system`; undefined for nobody. */
  readonly client: string | undefined
  /** `EE/GOV/70000002/registry/companies`; of a direct call its endpoint. */
  readonly service: string | undefined
  readonly version: string | undefined
  /** What the caller sent as X-Road-UserId, or the user that X-Road sees instead. */
  readonly user: string | undefined
  /** Of the message, where that is not the request's own. */
  readonly id?: string
  /** Of the caller's body. */
  readonly bytesIn: number
}
