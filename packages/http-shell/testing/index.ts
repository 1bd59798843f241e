/** The entry point for tests: what every service on this shell has to get right. */
export { checkRequestLimits, resetTunnels } from './connections.ts'
export { converse, type Subject, withLines } from './pipelines.ts'
export { compareReaders } from './readers.ts'
export { randomRequest } from './requests.ts'
export { testPipelines } from './tests.ts'
