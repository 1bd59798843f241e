/** The entry point: what services import of this package. */
export { type Lifecycle, type LifecycleLog, live, type Running } from './lifecycle.ts'
export { handleSignals, type SignalAction, signalActions, type SignalHandlers } from './signals.ts'
