/**
 * Everything that the service says on stdout. An event with its fields comes in, one line goes out, as text or as JSON.
 * No other file knows the log library, a level or a message text; what happens when is for the callers to say.
 *
 * Both formats are made of the same record. No control or invisible character reaches a line as itself, whoever sent it.
 */
import pino from 'pino'
import { StartupFailure } from './errors.ts'
import type { LogFormat } from './errors.ts'

/**
 * What each event carries; a new event is a line here and a line in `rules`. Parameter values belong to `statement` only,
 * so a `path` comes without its query string and a reason without the database's detail text.
 */
export interface Events {
  started: { version: string; config: string; endpoints: number; datasources: number }
  listening: { address: string }
  diagnostic: { message: string }
  statementsLogged: object
  datasourceUnreachable: { datasource: string; url: string; reason: string }
  startupFailure: { error: string; message: string }
  requestFailed: { method: string; path: string; status: number; error: string; code?: string | undefined }
  internalError: { method: string; path: string; stack: string }
  arrayAsJson: { endpoint: string; parameter: string }
  statement: { datasource: string; sql: string; parameters: string }
  shuttingDown: { signal: string }
  stopForced: { reason: string }
  stopped: object
}

export type EventName = keyof Events

type Level = 'error' | 'warn' | 'info' | 'debug' | 'trace'
type Target = 'sqlapi' | 'sqlx'

interface Rule {
  readonly level: Level
  readonly target: Target
  /** A field called `message` takes its place. */
  readonly message: string
  /** No level silences it: a process that ends by itself says why. */
  readonly always?: true
}

const rules: Readonly<Record<EventName, Rule>> = {
  started: { level: 'info', target: 'sqlapi', message: 'Configuration and SQL files read' },
  listening: { level: 'info', target: 'sqlapi', message: 'Listening' },
  diagnostic: { level: 'warn', target: 'sqlapi', message: 'Configuration' },
  statementsLogged: {
    level: 'warn',
    target: 'sqlapi',
    message: 'Statements are logged with their parameters, which may be personal data; not for production',
  },
  datasourceUnreachable: {
    level: 'warn',
    target: 'sqlapi',
    message: 'Database cannot be reached, will be tried again',
  },
  startupFailure: { level: 'error', target: 'sqlapi', message: 'Cannot start', always: true },
  requestFailed: { level: 'info', target: 'sqlapi', message: 'Request refused' },
  internalError: { level: 'error', target: 'sqlapi', message: 'Internal error' },
  arrayAsJson: { level: 'debug', target: 'sqlapi', message: 'Array parameter bound as JSONB' },
  statement: { level: 'debug', target: 'sqlx', message: 'Statement' },
  shuttingDown: { level: 'info', target: 'sqlapi', message: 'Shutting down' },
  stopForced: { level: 'warn', target: 'sqlapi', message: 'Ended before all work was finished' },
  stopped: { level: 'info', target: 'sqlapi', message: 'Stopped' },
}

export interface Log {
  write<Name extends EventName>(event: Name, fields: Events[Name]): void
  /** To ask before fields are made that are costly to make. */
  isEnabled(event: EventName): boolean
}

export interface LogOptions {
  /** Levels as in `logging.level`. */
  readonly level: string
  readonly format: LogFormat
  readonly destination?: { write(line: string): void }
}

export function openLog({ level, format, destination = openStdout() }: LogOptions): Log {
  const levels = readLevels(level)
  const enabled = Object.fromEntries(
    Object.entries(rules).map(([event, rule]) => [event, rule.always === true || isHeard(rule, levels)]),
  ) as Record<EventName, boolean>
  const logger = pino(
    {
      level: 'trace',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: format === 'json' ? escapeLine : toText },
    },
    destination,
  )
  return {
    isEnabled: (event) => enabled[event],
    write(event, fields) {
      if (!enabled[event]) return
      const { target, message, level: severity } = rules[event]
      logger[severity]({ target, event, message, ...fields })
    },
  }
}

/**
 * Written at once, so nothing is left when the process ends. A reader that is gone or a full disk stops nothing; what
 * a full disk does not take is kept for a later try up to `maxLength` bytes.
 */
function openStdout() {
  const stdout = pino.destination({ fd: 1, sync: true, maxLength: 16_777_216 })
  stdout.on('error', () => undefined)
  return stdout
}

const severities = ['off', 'error', 'warn', 'info', 'debug', 'trace']
const spellings = [...severities, ...severities.map((each) => each.toUpperCase())].join('|')
const item = `(?:[A-Za-z_][\\w:.-]*\\s*=\\s*)?(?:${spellings})`

/** A list of a default level and `target=level`, separated by commas. */
export const levelsPattern = new RegExp(`^\\s*${item}(?:\\s*,\\s*${item})*\\s*$`)
export const levelsMeaning = `levels such as info or info,sqlapi=debug (${severities.join(', ')})`
export const defaultLevels = 'info,sqlapi=debug'

type Levels = Readonly<Record<string, string | undefined>>

/** Targets that are not ours are kept and never asked for: directives are often copied from other services. */
function readLevels(directive: string): Levels {
  if (!levelsPattern.test(directive)) {
    throw new StartupFailure(
      'InvalidConfigurationException',
      `log level ${JSON.stringify(directive)}: expected ${levelsMeaning}`,
    )
  }
  const pairs = directive
    .toLowerCase()
    .split(',')
    .map((each) => each.split('=').map((side) => side.trim()))
  return Object.fromEntries(pairs.map(([first = '', second]) => (second === undefined ? ['', first] : [first, second])))
}

function isHeard({ level, target }: Rule, levels: Levels): boolean {
  const heard = levels[target] ?? levels[''] ?? 'info'
  return severities.indexOf(level) <= severities.indexOf(heard)
}

/** `2026-07-01T10:20:30.123Z  INFO sqlapi: Listening address=0.0.0.0:8080` */
function toText(line: string): string {
  const { time, level, target, event: _, message, ...fields } = JSON.parse(line) as Record<string, string>
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${toField(value)}`)
  return `${escape(`${time} ${String(level).toUpperCase().padStart(5)} ${target}: ${message}${pairs.join('')}`)}\n`
}

function toField(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

function escapeLine(line: string): string {
  return `${escape(line.trimEnd())}\n`
}

/** Control characters, line separators, invisible and direction-changing characters, halves of surrogate pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function escape(text: string): string {
  return text.replaceAll(unseen, (found) => found.split('').map(toEscape).join(''))
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
