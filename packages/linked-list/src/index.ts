/** The entry point of the package. */
export { type Link, LinkedList } from './linked-list.ts'
