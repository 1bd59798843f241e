/** The entry point for tests: what every service has to get right as a process. */
export { testEnd, untilRefused } from './end-cases.ts'
export { testFlags } from './flag-cases.ts'
export { testHealth } from './health-cases.ts'
export { testLauncher } from './launcher-cases.ts'
export { checkRefused, type RefusalCase } from './refusals.ts'
export { testSignals } from './signal-cases.ts'
