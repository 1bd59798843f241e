/** The entry point: what tests import of this package. */
export { checkGrowth } from './growth.ts'
export { repeat, type Repeated, type TestEnd } from './repeat.ts'
