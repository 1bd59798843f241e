/** The entry point for tests: what every service on this shell has to get right. */
export { randomFrom, randomPipeline } from './fuzz.ts'
export { converse, pipelines, type Subject } from './pipelines.ts'
