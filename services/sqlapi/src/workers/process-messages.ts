/** What the first process and its workers say to each other. To a worker: its assignment, and one day `end`. */
import type { StartupFailureName } from '../errors.ts'
import type { EventFields } from '../events.ts'

/** Finish what is in flight, then exit. */
export const end = 'end'

/** Events of the service as a whole: each worker meets them, the first process logs them once. */
export const shared = ['listening', 'datasourceUnreachable', 'fileChanged', 'sessionCode'] as const

export type SharedEvent = (typeof shared)[number]

/** What a worker tells. */
export type Report =
  | { readonly [Name in SharedEvent]: { readonly event: Name; readonly fields: EventFields[Name] } }[SharedEvent]
  | { readonly event: 'failure'; readonly fields: { readonly name: StartupFailureName; readonly message: string } }
