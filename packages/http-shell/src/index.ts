/** The entry point: what the services may use of this package. */
export { type Address, ListenProblem, listen } from './listen.ts'
