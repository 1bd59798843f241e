/**
 * Everything that the service says on stdout. An event with its fields comes in, one line goes out, as text or as JSON.
 * No other file knows the log library, a level or a message text; what happens when is for the callers to say.
 *
 * Both formats are made of the same fields; lines are written together, some milliseconds later. No control or invisible
 * character reaches a line as itself, whoever sent it.
 */
import { type Destination, openStdout } from '@services/observe'
import { type LogFormat, StartupFailure } from './errors.ts'

/**
 * What each event carries; a new event is a line here and a line in `rules`. Parameter values belong to `statement` only,
 * so a `path` comes without its query string and a reason without the database's detail text.
 */
export interface Events {
  started: { version: string; config: string; endpoints: number; datasources: number }
  ignored: { path: string; cure: string }
  moreIgnored: { more: number }
  projectWithoutDatasource: { project: string; cure: string }
  moreProjectsWithoutDatasource: { more: number }
  datasourceHeader: { datasources: number; cure: string }
  listening: { address: string }
  diagnostic: { message: string }
  statementsLogged: object
  datasourceUnreachable: { datasource: string; url: string; reason: string }
  fileChanged: { datasource: string; file: string; reason: string; was: string }
  statementGivenUp: { datasource: string; line: number | undefined; reason: string; outcome: string }
  startupFailure: { error: string; message: string }
  requestFailed: { method: string; path: string; status: number; error: string; code?: string | undefined }
  statementFailed: {
    datasource: string
    file: string
    line: number
    column: number
    set: number | undefined
    code: string | undefined
    text: string
    ms: number
  }
  answerBrokenOff: { method: string; path: string; reason: string }
  /** Without a request where it happened outside of any. */
  internalError: { method?: string; path?: string; stack: string }
  sessionCode: { datasource: string; code: string; reason: string }
  arrayAsJson: { endpoint: string; parameter: string }
  statement: { datasource: string; sql: string; parameters: string }
  processWarning: {
    warning: string
    code: string | undefined
    message: string
    stack: string | undefined
    leftOut: number
  }
  workerReplaced: { pid: number; reason: string; pauseMs: number }
  linesDropped: { count: number }
  reloadIgnored: { signal: string }
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
  ignored: { level: 'info', target: 'sqlapi', message: 'Not published' },
  moreIgnored: { level: 'info', target: 'sqlapi', message: 'More folders and files are not published' },
  projectWithoutDatasource: { level: 'warn', target: 'sqlapi', message: 'Project without a datasource' },
  moreProjectsWithoutDatasource: { level: 'warn', target: 'sqlapi', message: 'More projects without a datasource' },
  datasourceHeader: {
    level: 'info',
    target: 'sqlapi',
    message: 'The header X-Datasource may choose among the datasources',
  },
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
  fileChanged: {
    level: 'warn',
    target: 'sqlapi',
    message:
      'The open SQLite file is not there any more; requests under way fail, the file that is put there is opened',
  },
  statementGivenUp: { level: 'warn', target: 'sqlapi', message: 'A statement was given up in the middle' },
  startupFailure: { level: 'error', target: 'sqlapi', message: 'Cannot start', always: true },
  requestFailed: { level: 'info', target: 'sqlapi', message: 'Request refused' },
  statementFailed: { level: 'info', target: 'sqlapi', message: 'Statement failed' },
  answerBrokenOff: { level: 'warn', target: 'sqlapi', message: 'A streamed answer broke off, its client was cut off' },
  internalError: { level: 'error', target: 'sqlapi', message: 'Internal error' },
  sessionCode: {
    level: 'info',
    target: 'sqlapi',
    message: 'Stored code may change the session, so every connection is reset after each request',
  },
  arrayAsJson: { level: 'debug', target: 'sqlapi', message: 'Array parameter bound as JSONB' },
  statement: { level: 'debug', target: 'sqlx', message: 'Statement' },
  processWarning: { level: 'warn', target: 'sqlapi', message: 'Warning of Node.js or of a library' },
  workerReplaced: {
    level: 'warn',
    target: 'sqlapi',
    message: 'A worker has ended, another one takes its place',
  },
  linesDropped: { level: 'warn', target: 'sqlapi', message: 'Lines were dropped, because nobody read the log' },
  reloadIgnored: {
    level: 'info',
    target: 'sqlapi',
    message: 'Files and settings are read at start only; restart the service to apply changes',
  },
  shuttingDown: { level: 'info', target: 'sqlapi', message: 'Shutting down' },
  stopForced: { level: 'warn', target: 'sqlapi', message: 'Ended before all work was finished' },
  stopped: { level: 'info', target: 'sqlapi', message: 'Stopped' },
}

export interface Log {
  write<Name extends EventName>(event: Name, fields: Events[Name]): void
  /** To ask before fields are made that are costly to make. */
  isEnabled(event: EventName): boolean
  /** Settles when every line is out or lost, and after `withinMs` in any case. */
  drained(withinMs: number): Promise<void>
}

export interface LogOptions {
  /** Levels as in `logging.level`. */
  readonly level: string
  readonly format: LogFormat
  readonly destination?: Destination
}

export function openLog({ level, format, destination = openStdout() }: LogOptions): Log {
  const levels = readLevels(level)
  const enabled = Object.fromEntries(
    Object.entries(rules).map(([event, rule]) => [event, rule.always === true || isHeard(rule, levels)]),
  ) as Record<EventName, boolean>
  const toLine = format === 'json' ? toJson : toText
  const log: Log = {
    isEnabled: (event) => enabled[event],
    write(event, fields) {
      if (enabled[event]) destination.write(`${escape(toLine(event, rules[event], fields))}\n`)
    },
    drained: async (withinMs) => destination.drained?.(withinMs),
  }
  destination.onDropped?.((count) => log.write('linesDropped', { count }))
  return log
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
function toText(_event: EventName, { level, target, message }: Rule, fields: object): string {
  let text = message
  let pairs = ''
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'message') text = String(value)
    else if (value !== undefined) pairs += ` ${name}=${toField(value)}`
  }
  return `${now()} ${level.toUpperCase().padStart(5)} ${target}: ${text}${pairs}`
}

function toJson(event: EventName, { level, target, message }: Rule, fields: object): string {
  return JSON.stringify({ level, time: now(), target, event, message, ...fields })
}

let shownMs = 0
let shown = ''

/** Written out once for all lines of a millisecond. */
function now(): string {
  const ms = Date.now()
  if (ms !== shownMs) shown = new Date((shownMs = ms)).toISOString()
  return shown
}

function toField(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

/** Control characters, line separators, invisible and direction-changing characters, halves of surrogate pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

const plain = /^[ -~]*$/

function escape(text: string): string {
  // Most lines are, and this look is the quicker one.
  if (plain.test(text)) return text
  return text.replaceAll(unseen, (found) => found.split('').map(toEscape).join(''))
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
