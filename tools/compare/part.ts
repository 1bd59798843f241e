/** A set of inputs that both sides get. */
import type { Recording } from './recording.ts'
import type { Side } from './sides.ts'

export interface Part {
  readonly name: string
  /** Why it cannot run here. */
  readonly skipped?: () => string | undefined
  /** Runs once for each side, at the same time for both. */
  readonly run: (side: Side, recording: Recording) => Promise<void>
  /** The folder, below that of the side, that `run` has written, and what each version says of it. */
  readonly back?: { readonly folder: string; readonly read: (side: Side, recording: Recording) => Promise<void> }
}
