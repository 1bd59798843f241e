/** The entry point: what tests import of this package. */
export { checkGrowth } from './growth.ts'
