/** The messages between the first process and its workers. A worker gets its assignment and, at the end, `end`. */
import type { StartupFailureName } from '../errors.ts'
import type { EventFields } from '../events.ts'

/** Finish what is in flight, then exit. */
export const end = 'end'

/** Events of the service as a whole: every worker notices them, the first process logs them once. */
export const shared = ['listening', 'datasourceUnreachable', 'fileChanged', 'sessionCode'] as const

export type SharedEvent = (typeof shared)[number]

/** What a worker reports. */
export type Report =
  | { readonly [Name in SharedEvent]: { readonly event: Name; readonly fields: EventFields[Name] } }[SharedEvent]
  | { readonly event: 'failure'; readonly fields: { readonly name: StartupFailureName; readonly message: string } }
