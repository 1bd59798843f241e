/** The entry point for tests: what every service with an admin listener has to get right. */
export { testBalancer } from './balancer-cases.ts'
