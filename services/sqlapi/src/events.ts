/**
 * The events of the service: what an operator may want to know, each with its level, the text and the fields of its log
 * line. Callers decide when something happens; the package observe writes the lines and passes events on to other
 * subscribers.
 */
import { lifecycleEvents } from '@services/command-line'
import { reloadEvents } from '@services/reload'
import type { Trace } from './model.ts'
import {
  debug,
  type Destination,
  error,
  EventStream,
  type FieldsOf,
  info,
  type LogFormat,
  observeEvents,
  openLog as openLogOf,
  readLevels,
  severities,
  type Subscriber,
  unlogged,
  warn,
} from '@services/observe'

/** A request that is over. */
interface AnsweredRequest {
  readonly method: string
  readonly path: string | undefined
  readonly status: number
  readonly error: string | undefined
  readonly code: string | undefined
  readonly ms: number
  /** For a connection. */
  readonly waitedMs: number | undefined
  readonly datasource: string | undefined
  readonly rows: number | undefined
  /** Of the answer's body, where there are no rows. */
  readonly bytes: number | undefined
  readonly requestId: string
  readonly traceparent?: string | undefined
}

/**
 * A new event is a row here and one in docs/configuration.md. Parameter values belong to `statement` only, so a `path`
 * comes without its query string and a reason without the database's detail text.
 */
export const eventTable = {
  ...observeEvents,
  ...lifecycleEvents,
  ...reloadEvents,
  started: info<{ version: string; config: string; endpoints: number; datasources: number }>(
    'Configuration and SQL files read',
  ),
  ignored: info<{ path: string; cure: string }>('Not published'),
  noEndpoints: warn<{ path: string; cure: string }>('There is no .sql file to serve'),
  moreIgnored: info<{ more: number }>('More folders and files are not published'),
  projectWithoutDatasource: warn<{ project: string; cure: string }>('Project without a datasource'),
  moreProjectsWithoutDatasource: warn<{ more: number }>('More projects without a datasource'),
  finding: warn<{
    code: string
    file: string
    line: number
    column: number
    problem: string
    cure: string | undefined
  }>('A file may not do what it is meant to do'),
  moreFindings: warn<{ more: number }>('More findings'),
  lockStale: info<{ file: string; first: string; endpoints: number; cure: string }>(
    'Files have changed since the lock file was written; their databases are asked instead',
  ),
  lockRefused: warn<{ file: string; reason: string; cure: string }>('The lock file is not used'),
  datasourceHeader: info<{ datasources: number; cure: string }>(
    'The header X-Datasource may choose among the datasources',
  ),
  adminOpened: info<{ address: string }>('Admin pages'),
  listening: info<{ address: string }>('Listening'),
  developing: info<{ docs: string }>('Files are read anew as they change; the page for people is here'),
  filesRead: info<{ read: number; removed: number; endpoints: number; ms: number }>('Files read anew'),
  filesKept: warn<{ error: string; reason: string }>('Files cannot be read anew; those from before are still served'),
  restartNeeded: warn<{ file: string }>('The configuration has changed; restart to apply it'),
  diagnostic: warn<{ message: string }>('Configuration'),
  statementsLogged: warn('Statements are logged with their parameters, which may be personal data; not for production'),
  datasourceUnreachable: warn<{ datasource: string; url: string; reason: string; cure?: string | undefined }>(
    'Database cannot be reached; the next request tries again',
  ),
  datasourceReached: info<{ datasource: string; url: string; ms: number }>('Database can be reached again'),
  bodiesWait: warn<{ reason: string; cure: string }>('Request bodies wait unread'),
  serverDemoted: warn<{ datasource: string; server: string }>(
    'A server has refused to write; its connections end when they are free, and others are looked for',
  ),
  replicaAway: warn<{ replica: string; reason: string }>('A replica is not used; its reads go to others'),
  replicaBack: info<{ replica: string }>('A replica is used again'),
  fileMissing: warn<{ datasource: string; reason: string }>('The SQLite file does not exist'),
  fileChanged: warn<{ datasource: string; file: string; reason: string; was: string }>(
    'The open SQLite file was deleted or replaced; requests under way fail, and the next one opens the file that has its name',
  ),
  statementGivenUp: warn<{ datasource: string; line: number | undefined; reason: string; outcome: string }>(
    'A statement was given up in the middle',
  ),
  answered: unlogged<Trace>(),
  request: info<AnsweredRequest>('Request'),
  requestFailed: info<AnsweredRequest>('Request refused'),
  statementFailed: info<{
    datasource: string
    file: string
    line: number
    column: number
    set: number | undefined
    code: string | undefined
    text: string
    cure?: string | undefined
    ms: number
    requestId: string
    traceparent?: string | undefined
  }>('Statement failed'),
  answerBrokenOff: warn<{
    method: string
    path: string
    reason: string
    requestId: string
    traceparent?: string | undefined
  }>('A response broke off; its client was disconnected'),
  /** With the stack only if it happened outside of a request. */
  internalError: error<{
    method?: string
    path?: string
    stack: string
    requestId?: string
    traceparent?: string | undefined
  }>('Internal error'),
  sessionCode: info<{ datasource: string; code: string; reason: string }>(
    'Stored code may change the session, so every connection is reset after each request',
  ),
  loginKept: warn<{ datasource: string; reason: string }>(
    'A file with which the datasource logs in cannot be used; the last good one is used instead',
  ),
  sessionCodeRefused: warn<{ datasource: string; code: string; reason: string; cure: string }>(
    'Stored code may change the session, which no pooler in transaction mode keeps; calls are refused unless they cannot reach it',
  ),
  sessionNeeded: warn<{ datasource: string; files: string; more: number; cure: string }>(
    'Files need a session, which no pooler in transaction mode keeps; their calls are refused',
  ),
  poolerUnnamed: warn<{ datasource: string; sign: string; cure: string }>(
    'A pooler in transaction mode is in front of the database, and requests may be mixed up',
  ),
  arrayAsJson: debug<{ endpoint: string; parameter: string; requestId: string; traceparent?: string | undefined }>(
    'Array parameter bound as JSONB',
  ),
  valueWithoutEffect: warn<{ file: string; key: string; problem: string; cure: string }>(
    'A value of a request has no effect',
  ),
  statement: debug<{
    datasource: string
    sql: string
    parameters: string
    requestId: string
    traceparent?: string | undefined
  }>('Statement', {
    target: 'sqlx',
  }),
  workerReplaced: warn<{ pid: number; reason: string; pauseMs: number }>('A worker has ended; another one replaces it'),
}

/** What each event carries, by its name. */
export type EventFields = FieldsOf<typeof eventTable>
export type EventName = keyof EventFields
/** What every part of the service gets that has something to report. */
export type Events = EventStream<EventFields>

export const levelsMeaning = `levels such as info or info,sqlapi=debug (${severities.join(', ')})`
export const defaultLevels = 'info,sqlapi=debug'

export interface LogSettings {
  /** Levels as in `logging.level`; they match `levelsPattern`. */
  readonly level: string
  readonly format: LogFormat
}

/** A value without spaces, quotes or `=` is as it is; none is cut. */
const style = { target: 'sqlapi', quoted: /^$|[\s"=]/, maxFieldLength: Infinity }

/**
 * How the log of these events is written: each call gives the settings from then on. Without `isOwn` it is all of them
 * that are logged.
 */
export function logWriter(
  events: Events,
  destination: Destination,
  isOwn: (event: EventName) => boolean = () => true,
): (settings: LogSettings) => void {
  let closeLog = (): void => undefined
  return (settings) => {
    const log = openLog(settings, destination)
    closeLog()
    closeLog = events.subscribe({ ...log, hears: (event) => isOwn(event) && log.hears(event) })
  }
}

function openLog({ level, format }: LogSettings, destination: Destination): Subscriber<EventFields> {
  // Targets are known in any case.
  const levels = readLevels(level, (target) => target.toLowerCase())
  return openLogOf(eventTable, { levels, format, style, destination })
}

/** A stream that the log hears first. */
export function openEvents(settings: LogSettings, destination: Destination): Events {
  const events = new EventStream<EventFields>(eventTable)
  logWriter(events, destination)(settings)
  return events
}
