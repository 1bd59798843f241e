/** The entry point for tests: what every service has to get right as a process. */
export { type EndCases, type EndSubject, testEnd, untilRefused } from './end-cases.ts'
export { type FlagCases, testFlags } from './flag-cases.ts'
export { type HealthCases, testHealth } from './health-cases.ts'
export { type LauncherCases, testLauncher } from './launcher-cases.ts'
export { checkRefused, type Refusal, type RefusedStart } from './refusals.ts'
export { type SignalCases, testSignals } from './signal-cases.ts'
export type { Held, Subject } from './subject.ts'
