/** The entry point for tests: what every service with an admin listener has to get right. */
export { type BalancedService, type BalancerCases, testBalancer } from './balancer-cases.ts'
