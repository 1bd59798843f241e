/** A setting of V8 for the whole process, for the programs that serve requests. */
import { setFlagsFromString } from 'node:v8'

/**
 * V8 makes what often survives in the old generation at once. For requests that is wrong: one such object keeps a whole
 * request until the next major collection. It does so in some processes and not in others, which then are slower and
 * larger.
 *
 * For a service that has started: whatever modules of its own Node.js loads afterwards, it compiles from their sources.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
