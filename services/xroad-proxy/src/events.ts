/**
 * The events of the service: what an operator may want to know, each with its level, and the text and fields of its log
 * line. The callers decide when to emit one; the package observe writes the lines and passes events on to others.
 */
import { lifecycleEvents } from '@services/command-line'
import {
  type Destination,
  error,
  EventStream,
  type FieldsOf,
  info,
  type LogFormat,
  observeEvents,
  openLog,
  readLevels,
  unlogged,
  warn,
} from '@services/observe'
import { reloadEvents } from '@services/reload'

/** A request that is over. */
export interface AnsweredRequest {
  readonly method: string
  /** `group/service`; for a request that reached no endpoint `path`. */
  readonly endpoint?: string | undefined
  readonly path?: string | undefined
  readonly status: number
  readonly ms: number
  readonly upstream_ms?: number | undefined
  /** For room, and for a connection. */
  readonly waited_ms?: number | undefined
  /** Of the reply's body. */
  readonly bytes?: number | undefined
  /** Of the message. */
  readonly id?: string | undefined
  readonly error?: string | undefined
  readonly source?: string | undefined
  /** Why something never became a request, or was too large for one. */
  readonly reason?: string | undefined
  readonly request_id: string
  readonly traceparent?: string | undefined
}

/**
 * A new event is a row here and one in docs/configuration.md. No field ever holds a body, a password or a query string;
 * `soapFault` holds the fault, because the caller gets only a part of it.
 */
export const eventTable = {
  ...observeEvents,
  ...lifecycleEvents,
  ...reloadEvents,
  started: info<{ version: string; config: string; soap: number; rest: number }>('Configuration and DSL files read'),
  adminOpened: info<{ address: string }>('Admin pages'),
  listening: info<{ address: string }>('Listening'),
  warning: warn<{ message: string }>('Configuration'),
  notice: info<{ message: string }>('Configuration'),
  answered: unlogged<AnsweredRequest>(),
  request: info<AnsweredRequest>('Request'),
  soapFault: warn<{
    endpoint?: string | undefined
    id?: string | undefined
    code: string
    string: string
    detail?: string | undefined
    client?: string | undefined
    service?: string | undefined
    /** What an operator can do about it. */
    hint?: string | undefined
    request_id: string
    traceparent?: string | undefined
  }>('SOAP fault'),
  /** As X-Road makes it on the REST lane; the caller gets it unchanged. */
  xroadError: warn<{
    endpoint?: string | undefined
    id?: string | undefined
    code: string
    string: string
    client?: string | undefined
    service?: string | undefined
    hint?: string | undefined
    request_id: string
    traceparent?: string | undefined
  }>('X-Road error'),
  requestInvalid: warn<{
    endpoint?: string | undefined
    id?: string | undefined
    /** Params and what is wrong with each, without a value. */
    problems: string
    count: string
    request_id: string
    traceparent?: string | undefined
  }>('Request does not fit'),
  callFailed: warn<{
    endpoint?: string | undefined
    id?: string | undefined
    error: string
    reason: string
    cause?: string | undefined
    upstream?: string | undefined
    client?: string | undefined
    service?: string | undefined
    request_id: string
    traceparent?: string | undefined
  }>('Call failed'),
  answerBrokenOff: warn<{
    method: string
    path: string
    reason: string
    request_id: string
    traceparent?: string | undefined
  }>('Answer broken off'),
  connectionsFull: warn<{ limit: number; closed: number }>(
    'Too many connections (limits.max_connections): further ones are closed',
  ),
  auditFailed: error<{ file: string; problem: string; waiting: number; lost: number }>(
    'The audit file cannot be written',
  ),
  auditRestored: info<{ file: string; lost: number }>('The audit file is written again'),
  auditReopened: info<{ file: string }>('The audit file was opened anew'),
  internalError: error<{
    endpoint?: string | undefined
    id?: string | undefined
    stack: string
    request_id?: string
    traceparent?: string | undefined
  }>('Internal error'),
  /** As the package has it, except for the spelling of `left_out`, which every field of this service has. */
  processWarning: warn<{
    warning: string
    code: string | undefined
    message: string
    stack: string | undefined
    left_out: number
  }>(observeEvents.processWarning.message),
}

/** What each event carries, by its name. */
export type EventFields = FieldsOf<typeof eventTable>
export type EventName = keyof EventFields
/** What every part of the service gets that has something to tell. */
export type Events = EventStream<EventFields>

export interface LogSettings {
  /** A level, or a list of a default level and `target=level` as in RUST_LOG. What is neither is passed over. */
  readonly level: string
  readonly format: LogFormat
}

/** A fault may be as large as a response. */
const maxFieldLength = 65_536
const style = { target: 'xroad_proxy', quoted: /^/, maxFieldLength }

/** A stream that the log hears first. */
export function openEvents({ level, format }: LogSettings, destination: Destination): Events {
  const levels = readLevels(level, (target) => target.replaceAll('-', '_'))
  const events = new EventStream<EventFields>(eventTable)
  events.subscribe(openLog(eventTable, { levels, format, style, destination }))
  return events
}
