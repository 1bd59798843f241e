/** Whether a replica may take reads, by what the servers say of themselves. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import {
  judgeReplica,
  nextOf,
  type Position,
  readPosition,
  replicaName,
} from '../../../src/database/postgres/replica-state.ts'

const first: Position = { isStandby: false, startedAt: '1', at: 1000n, received: 0n, isStreaming: false }
const standby: Position = { isStandby: true, startedAt: '2', at: 1000n, received: 1000n, isStreaming: true }

const judged: readonly (readonly [
  what: string,
  replica: Partial<Position>,
  lag: number,
  reason: string | undefined,
])[] = [
  ['that has everything', {}, 0, undefined],
  ['as far behind as it may be', { at: 900n }, 100, undefined],
  ['a byte further behind', { at: 899n }, 101, 'is 101 bytes behind (max_replica_lag_bytes 100)'],
  [
    'that has received less than was written',
    { at: 700n, received: 700n },
    300,
    'is 300 bytes behind (max_replica_lag_bytes 100)',
  ],
  ['that was asked later than the first', { at: 1200n, received: 1200n }, 0, undefined],
  [
    'that has received more than it has replayed',
    { at: 1000n, received: 1500n },
    500,
    'is 500 bytes behind (max_replica_lag_bytes 100)',
  ],
  ['that gets nothing any more', { isStreaming: false }, 0, 'is cut off from its primary'],
  ['that has become a primary', { isStandby: false }, 0, 'is not a standby'],
  ['that is the first server', { isStandby: false, startedAt: '1' }, 0, undefined],
]
for (const [what, replica, lagBytes, reason] of judged) {
  test(`a replica ${what}: ${reason ?? 'used'} [O4.2]`, () => {
    deepStrictEqual(judgeReplica({ ...standby, ...replica }, first, 100), { lagBytes, reason })
  })
}

test('while the first server cannot be asked, what a replica has received counts [O4.2]', () => {
  strictEqual(judgeReplica(standby, undefined, 0).reason, undefined)
  strictEqual(judgeReplica({ ...standby, at: 999n }, undefined, 0).lagBytes, 1)
  strictEqual(judgeReplica({ ...standby, isStandby: false }, undefined, 0).reason, 'is not a standby')
})

test('no byte is lost of places beyond 2^53 [O4.2]', () => {
  const far = readPosition(['true', '2', '18446744073709551614', '18446744073709551615', 'true'])
  strictEqual(judgeReplica(far, undefined, 0).lagBytes, 1)
  deepStrictEqual(far, {
    isStandby: true,
    startedAt: '2',
    at: 2n ** 64n - 2n,
    received: 2n ** 64n - 1n,
    isStreaming: true,
  })
  deepStrictEqual(readPosition(undefined), {
    isStandby: false,
    startedAt: '',
    at: 0n,
    received: 0n,
    isStreaming: false,
  })
})

test('what a standby cannot run goes to the first for good, what it could not do now once, an answer nowhere [O4.2]', () => {
  const all = ['25006', '0A000', '55000', '40001', '40P01', '42P01', '3F000', '22012', '57014', '23505', undefined].map(
    nextOf,
  )
  const [always, once] = ['always', 'once']
  deepStrictEqual(all, [always, always, always, once, once, once, once, undefined, undefined, undefined, undefined])
})

test('a replica is called as in the configuration [O4.2]', () => strictEqual(replicaName('crm', 1), 'crm.replicas[1]'))
