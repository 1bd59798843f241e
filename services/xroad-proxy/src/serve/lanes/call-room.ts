/** How many bytes a call may hold, and for how long it may wait for them: the same in both lanes. */
import type { Endpoint, ResponseWriter } from '../../model.ts'
import type { Trace } from '../../trace.ts'
import type { Budget } from '../../upstream/budget.ts'
import { Room } from '../../upstream/room.ts'

/** What all calls of a lane have in common. */
export interface CallLimits {
  readonly maxRequestBytes: number
  readonly budget: Budget
  /** Of a call, and of each wait before it; an endpoint may have another time. */
  readonly timeoutSeconds: number
}

/** The room of one call. It is closed with the reply, and the trace says how long the call has waited for it. */
export function openRoom(
  { budget, timeoutSeconds }: CallLimits,
  { limits }: Endpoint,
  writer: ResponseWriter,
  trace: Trace,
): Room {
  const room = new Room(budget, limits.timeoutSeconds ?? timeoutSeconds)
  writer.held = room
  trace.waits = room
  return room
}
