/** The entry point: what services import of this package. */
export { type Destination, openStdout } from './stdout.ts'
