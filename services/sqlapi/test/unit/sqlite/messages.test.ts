/**
 * Jobs as a SQLite worker gets them are those that the main thread has sent: all combinations of their fields, in their
 * order.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { type Job, type JobList, readJobs, writeJob } from '../../../src/database/sqlite/worker-messages.ts'

const transactions: readonly Job['transaction'][] = ['none', 'shared', 'deferred', 'immediate']
const sets: readonly Job['sets'][] = [
  [[{ statement: 7, values: [9007199254740993n, 'õun', null, 1.5, ''] }]],
  [
    [{ statement: 0, values: [] }],
    [],
    [
      { statement: 1, values: [0] },
      { statement: 2, values: ['x', null] },
    ],
  ],
]

test('a worker gets the jobs that were sent, in their order', () => {
  const sent: Job[] = []
  for (const transaction of transactions) {
    for (let bits = 0; bits < 32; bits++) {
      const [touchesSession, batch, mayRunOn, isRead, isLong] = [1, 2, 4, 8, 16].map((bit) => (bits & bit) !== 0)
      const fields = { touchesSession, batch, mayRunOn, isRead } as Pick<
        Job,
        'touchesSession' | 'batch' | 'mayRunOn' | 'isRead'
      >
      sent.push({
        claim: sent.length,
        transaction,
        format: 'json',
        ...fields,
        sets: sets[isLong ? 1 : 0] as Job['sets'],
      })
    }
  }
  const list: JobList = []
  for (const { claim, ...job } of sent) writeJob(list, claim, job)
  const received: Job[] = []
  readJobs(structuredClone(list), received)
  deepStrictEqual(received, sent)
})
