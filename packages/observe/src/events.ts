/**
 * How a service declares its events: one table with a row for each event, made with the functions below. A row says how
 * important the event is, which words stand for it in the log, and, to the compiler, which fields it carries.
 *
 *     export const table = { listening: info<{ address: string }>('Listening') }
 *     export type EventFields = FieldsOf<typeof table>
 *
 * Who hears of an event is not decided here: that is stream.ts.
 */
import type { ProcessWarning } from './warnings.ts'

export const levels = ['error', 'warn', 'info', 'debug', 'trace'] as const

export type Level = (typeof levels)[number]

export interface EventRow<Fields extends object> {
  readonly level: Level
  /** The text of its log line. A field called `message` takes its place. */
  readonly message: string
  /** The part of the service that reports it, for level directives. Without it the service as a whole. */
  readonly target?: string
  /** No level silences it: a process that ends by itself says why. */
  readonly always?: true
  /** The log has no line for it. */
  readonly unlogged?: true
  /** For the compiler only; no row has it. */
  readonly fields?: Fields
}

/** Event name -> row. */
export type EventTable = Readonly<Record<string, EventRow<object>>>

/** The fields of each event of a table, by name. */
export type FieldsOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends EventRow<infer Fields> ? Fields : never
}

type More = Pick<EventRow<object>, 'target' | 'always'>

export const error = rowOf('error')
export const warn = rowOf('warn')
export const info = rowOf('info')
export const debug = rowOf('debug')
export const trace = rowOf('trace')

/**
 * What happens with every request: for those who measure and trace, and costly to write down. The log does not hear of
 * it.
 */
export function unlogged<Fields extends object>(): EventRow<Fields> {
  return { level: 'trace', message: '', unlogged: true }
}

function rowOf(level: Level) {
  return <Fields extends object = object>(message: string, more: More = {}): EventRow<Fields> => {
    return { level, message, ...more }
  }
}

/** Events of this package: rows for the table of a service. */
export const observeEvents = {
  processWarning: warn<ProcessWarning>('Warning of Node.js or of a library'),
  linesDropped: warn<{ count: number }>('Lines were dropped, because nobody read the log'),
}
