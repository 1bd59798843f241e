/** What the tests of services use of this package. */
export { declaredFields } from './declared.ts'
