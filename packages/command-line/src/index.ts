/** The entry point: what services import of this package. */
export { lifecycleEvents } from './events.ts'
export { type ExitCode, exitCodes } from './exit-codes.ts'
export { readCommandLine } from './flags.ts'
export { askHealth, type HealthQuestion } from './health.ts'
export { disablePretenuring } from './heap.ts'
export { type Lifecycle, type LifecycleEvents, live, type Running } from './lifecycle.ts'
export { handleSignals, type SignalAction, signalActions, type SignalHandlers } from './signals.ts'
export type { CommandOf, Program, Told } from './program.ts'
