/** Scenarios of fast calls among slow ones, on PostgreSQL: what counts is how long the fast ones take. */
import { oneTitle } from './answers.ts'
import { keys, oneRow } from './postgres.ts'
import type { Request, Scenario } from './scenario.ts'

const hold: Request = { method: 'GET', path: '/bench/hold', input: {}, expected: '[{"done":true}]', isSlow: true }

export const slowScenarios: readonly Scenario[] = [
  {
    name: 'slow-callers',
    title: '5 callers of 1 s statements beside 64 fast ones',
    project: 'bench',
    connections: 64,
    requests: oneRow('GET', 'bench'),
    beside: { connections: 5, requests: [hold] },
    contenders: ['sqlapi', 'floor', 'toolbox'],
    reference: 'floor',
    merit: 'p99',
  },
  {
    name: 'slow-calls',
    title: '1 % of 500 calls/s takes 1 s, same statement',
    project: 'bench',
    // A closed loop would do nothing but wait: soon every connection would have met a slow call.
    ratePerSecond: 500,
    connections: 64,
    requests: keys.slice(0, 100).map((id, index) => waiting(id, index === 50 ? 1 : 0)),
    contenders: ['sqlapi', 'floor', 'toolbox'],
    reference: 'floor',
    merit: 'p99',
  },
]

function waiting(id: number, seconds: number): Request {
  return {
    method: 'POST',
    path: '/bench/wait',
    input: { id, seconds },
    expected: oneTitle(id),
    ...(seconds > 0 ? { isSlow: true } : {}),
  }
}
