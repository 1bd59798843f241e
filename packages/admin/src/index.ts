/** The entry point: what services import of this package. */
export { type AdminListener, type AdminPages, startAdmin } from './listener.ts'
export { type Part, type PartState, Readiness, type ReadinessReport } from './readiness.ts'
export { sharedWhileRunning } from './shared-while-running.ts'
