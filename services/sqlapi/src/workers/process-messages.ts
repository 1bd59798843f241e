/**
 * The messages between the first process and its workers. A worker gets its assignment and, at the end, `end`; what it
 * is to serve instead of that comes in two steps.
 */
import type { StartupFailureName } from '../errors.ts'
import type { Snapshot } from '@services/metrics'
import type { EventFields, EventName } from '../events.ts'
import type { Assignment } from './assignments.ts'

/** Finish what is in flight, then exit. */
export const end = 'end'

/** The end has been asked for: go on, and let connections end with their answers. */
export const announceEnd = 'announceEnd'

/** Say what you have counted. */
export const measure = 'measure'

/** Be ready to serve something else; `rollout` is the number of the attempt. Then take it, or drop it. */
export type Change =
  | { readonly change: 'prepare'; readonly rollout: number; readonly assignment: Assignment }
  | { readonly change: 'take' | 'drop'; readonly rollout: number }

export type Order = typeof end | typeof announceEnd | typeof measure | Change

/** Events of the service as a whole: every worker notices them, the log tells each once (told-once.ts). */
const toldOnce = [
  'datasourceUnreachable',
  'datasourceReached',
  'replicaAway',
  'replicaBack',
  'fileChanged',
  'fileMissing',
  'sessionCode',
  'loginKept',
  'sessionCodeRefused',
  'sessionNeeded',
  'poolerUnnamed',
] as const

export type OnceEvent = (typeof toldOnce)[number]

/** Events that a worker does not log itself. */
export const shared: readonly EventName[] = ['listening', ...toldOnce]

type ReportOf<Name extends EventName> = {
  readonly [Each in Name]: { readonly event: Each; readonly fields: EventFields[Each] }
}[Name]

export type OnceReport<Name extends OnceEvent = OnceEvent> = ReportOf<Name>

/** What a worker reports. */
export type Report =
  | ReportOf<'listening'>
  | OnceReport
  /** To `prepare`. */
  | { readonly event: 'prepared'; readonly fields: { readonly rollout: number } }
  | {
      readonly event: 'unprepared'
      readonly fields: { readonly rollout: number; readonly name: StartupFailureName; readonly message: string }
    }
  | { readonly event: 'measured'; readonly fields: Snapshot }
  /** Milliseconds since each datasource last answered a call; only those that did since the last report. */
  | { readonly event: 'succeeded'; readonly fields: Readonly<Record<string, number>> }
  | { readonly event: 'failure'; readonly fields: { readonly name: StartupFailureName; readonly message: string } }
