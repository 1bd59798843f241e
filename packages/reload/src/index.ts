/** The entry point: what services import of this package. */
export { reloadEvents, reloadOutcomes } from './events.ts'
export { keepFields, type KeptField } from './kept-fields.ts'
export { type Reloadable, Reloads } from './reloads.ts'
export type { Pace } from './watch.ts'
