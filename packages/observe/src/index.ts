/** The entry point: what services import of this package. */
export {
  debug,
  error,
  type EventRow,
  type EventTable,
  type FieldsOf,
  info,
  type Level,
  observeEvents,
  trace,
  unlogged,
  warn,
} from './events.ts'
export { levelsPattern, readLevels, severities } from './levels.ts'
export { escapeUnseen, type LineStyle, type LogFormat, logFormats } from './line.ts'
export { type LogOptions, openLog } from './log.ts'
export { cutText, goneStatus, roundMs } from './request-fields.ts'
export { type RequestLevel, type RequestLines, RequestLog, type RequestLogSettings } from './request-log.ts'
export { stackOf } from './stack.ts'
export { type Destination, openStdout } from './stdout.ts'
export { EventStream, type Subscriber, whenDrained } from './stream.ts'
export { hearWarnings, type ProcessWarning } from './warnings.ts'
