/**
 * Everything that the service says on stdout. An event with its fields comes in, one line goes out, as text or as JSON.
 * No other file knows the log library, a level or a message text; what happens when is for the callers to say.
 *
 * Lines are written behind the back of the request path and in order; `flush` writes what is left before the process ends.
 * No control or invisible character reaches a line as itself, whoever sent it.
 */
import { type Destination, openStdout } from '@services/observe'

/**
 * What each event carries; a new event is a line here and a line in `rules`. No field ever holds a body, a password or a
 * query string; `soapFault` holds the fault, because the caller gets only a part of it.
 */
export interface Events {
  started: { version: string; config: string; soap: number; rest: number }
  listening: { address: string }
  warning: { message: string }
  startupFailure: { error: string; message: string }
  request: {
    method: string
    /** `group/service`; for a request that reached no endpoint `path`. */
    endpoint?: string | undefined
    path?: string | undefined
    status: number
    ms: number
    upstream_ms?: number | undefined
    id?: string | undefined
    error?: string | undefined
    source?: string | undefined
  }
  soapFault: {
    endpoint?: string | undefined
    id?: string | undefined
    code: string
    string: string
    detail?: string | undefined
  }
  callFailed: {
    endpoint?: string | undefined
    id?: string | undefined
    error: string
    reason: string
    cause?: string | undefined
  }
  answerBrokenOff: { method: string; path: string; reason: string }
  internalError: { endpoint?: string | undefined; id?: string | undefined; stack: string }
  processWarning: {
    warning: string
    code: string | undefined
    message: string
    stack: string | undefined
    left_out: number
  }
  linesDropped: { count: number }
  reloadIgnored: { signal: string }
  shuttingDown: { signal: string }
  stopForced: { reason: string }
  stopped: Record<string, never>
}

export type EventName = keyof Events

const severities = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const
type Severity = (typeof severities)[number]
type Level = Exclude<Severity, 'off'>

interface Rule {
  readonly level: Level
  /** A field called `message` takes its place. */
  readonly message: string
  /** No level silences it: a process that ends by itself says why. */
  readonly always?: true
}

const rules: Readonly<Record<EventName, Rule>> = {
  started: { level: 'info', message: 'Configuration and DSL files read' },
  listening: { level: 'info', message: 'Listening' },
  warning: { level: 'warn', message: 'Configuration' },
  startupFailure: { level: 'error', message: 'Cannot start', always: true },
  request: { level: 'info', message: 'Request' },
  soapFault: { level: 'warn', message: 'SOAP fault' },
  callFailed: { level: 'warn', message: 'Call failed' },
  answerBrokenOff: { level: 'warn', message: 'Answer broken off' },
  internalError: { level: 'error', message: 'Internal error' },
  processWarning: { level: 'warn', message: 'Warning of Node.js or of a library' },
  linesDropped: { level: 'warn', message: 'Lines were dropped, because nobody read the log' },
  reloadIgnored: {
    level: 'info',
    message: 'Files and settings are read at start only; restart the service to apply changes',
  },
  shuttingDown: { level: 'info', message: 'Shutting down' },
  stopForced: { level: 'warn', message: 'Ended before all work was finished' },
  stopped: { level: 'info', message: 'Stopped' },
}

/** A field longer than this is cut: a fault may be as large as an answer. */
const maxFieldLength = 65_536
/** How log lines are written. */
export type LogFormat = 'text' | 'json'

export interface Log {
  write<Name extends EventName>(event: Name, fields: Events[Name]): void
  /** To ask before fields are made that are costly to make. */
  isEnabled(event: EventName): boolean
  /** Settles when every line is out or lost, and after `withinMs` in any case. */
  drained(withinMs: number): Promise<void>
}

export interface LogOptions {
  /** A level, or a list of a default level and `target=level` as in RUST_LOG. */
  readonly level: string
  readonly format: LogFormat
  readonly destination?: Destination
}

export function openLog({ level, format, destination = openStdout() }: LogOptions): Log {
  const heard = readLevel(level)
  const enabled = Object.fromEntries(
    Object.entries(rules).map(([event, rule]) => [
      event,
      rule.always === true || severities.indexOf(rule.level) <= severities.indexOf(heard),
    ]),
  ) as Record<EventName, boolean>
  const toLine = format === 'json' ? toJson : toText
  const log: Log = {
    isEnabled: (event) => enabled[event],
    write(event, fields) {
      if (enabled[event]) destination.write(toLine(event, rules[event], fields))
    },
    drained: async (withinMs) => destination.drained?.(withinMs),
  }
  destination.onDropped?.((count) => log.write('linesDropped', { count }))
  return log
}

const target = 'xroad_proxy'
const directive = /^\s*(?:([A-Za-z_][\w:.-]*)\s*=\s*)?([A-Za-z]+)\s*$/

/** The level for our own target. Directives of other targets may be copied from other services and are passed over. */
function readLevel(text: string): Severity {
  const levels = new Map<string, Severity>()
  for (const item of text.split(',')) {
    const [, name = '', word = ''] = directive.exec(item) ?? []
    const level = severities.find((each) => each === word.toLowerCase())
    if (level !== undefined) levels.set(name.replaceAll('-', '_'), level)
  }
  return levels.get(target) ?? levels.get('') ?? 'info'
}

type Fields = Readonly<Record<string, unknown>>

/** `2026-07-01T10:20:30.123Z  INFO xroad_proxy: Listening address=0.0.0.0:8080` */
function toText(_event: EventName, { level, message }: Rule, fields: Fields): string {
  let text = message
  let pairs = ''
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (value === undefined) continue
    if (name === 'message') text = escape(cut(value as string))
    else pairs += ` ${name}=${toField(value)}`
  }
  return `${now()} ${level.toUpperCase().padStart(5)} ${target}: ${text}${pairs}\n`
}

function toJson(event: EventName, { level, message }: Rule, fields: Fields): string {
  const shown = Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value])
  const record = { level, time: now(), target, event, message, ...(Object.fromEntries(shown) as object) }
  return `${escape(JSON.stringify(record))}\n`
}

/** The lines of one second share their text up to its fraction. */
let newest = { second: 0, text: '' }

function now(): string {
  const ms = Date.now()
  const second = Math.floor(ms / 1000)
  if (newest.second !== second) newest = { second, text: new Date(ms).toISOString().slice(0, -'123Z'.length) }
  return `${newest.text}${String(ms - second * 1000).padStart(3, '0')}Z`
}

const plain = /^[\w./:+@,()'~-]+$/

function toField(value: unknown): string {
  if (typeof value !== 'string') return String(value)
  return plain.test(value) && value.length <= maxFieldLength ? value : escape(JSON.stringify(cut(value)))
}

function cut(text: string): string {
  return text.length > maxFieldLength ? `${text.slice(0, maxFieldLength)}… (truncated)` : text
}

/** Control characters, line separators, invisible and direction-changing characters, halves of surrogate pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function escape(text: string): string {
  return text.replaceAll(unseen, (found) => found.split('').map(toEscape).join(''))
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
