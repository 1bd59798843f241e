/** The entry point: what services import of this package. */
export { type AdminListener, startAdmin } from './listener.ts'
export { type Part, Readiness } from './readiness.ts'
export { sharedWhileRunning } from './shared-while-running.ts'
