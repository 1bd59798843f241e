/** The messages between the first process and its workers. A worker gets its assignment and, at the end, `end`. */
import type { StartupFailureName } from '../errors.ts'
import type { Snapshot } from '@services/metrics'
import type { EventFields } from '../events.ts'

/** Finish what is in flight, then exit. */
export const end = 'end'

/** The end has been asked for: go on, and let connections end with their answers. */
export const announceEnd = 'announceEnd'

/** Say what you have counted. */
export const measure = 'measure'

export type Order = typeof end | typeof announceEnd | typeof measure

/** Events of the service as a whole: every worker notices them, the first process logs them once. */
export const shared = [
  'listening',
  'datasourceUnreachable',
  'replicaAway',
  'replicaBack',
  'fileChanged',
  'sessionCode',
] as const

export type SharedEvent = (typeof shared)[number]

/** What a worker reports. */
export type Report =
  | { readonly [Name in SharedEvent]: { readonly event: Name; readonly fields: EventFields[Name] } }[SharedEvent]
  | { readonly event: 'measured'; readonly fields: Snapshot }
  /** Milliseconds since each datasource last answered a call; only those that did since the last report. */
  | { readonly event: 'succeeded'; readonly fields: Readonly<Record<string, number>> }
  | { readonly event: 'failure'; readonly fields: { readonly name: StartupFailureName; readonly message: string } }
