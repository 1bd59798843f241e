import { ok, rejects, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../src/index.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what is repeated ends with the test, even if nobody ends it', async () => {
  const endings: (() => void)[] = []
  let rounds = 0
  const work = repeat({ after: (done) => void endings.push(done) }, 2, async () => {
    rounds++
    await turn()
  })
  for (let i = 0; i < 10; i++) await turn()
  ok(rounds > 4)
  for (const ending of endings) ending()
  await work.end()
  const told = rounds
  await turn()
  strictEqual(rounds, told)
})

test('an error of the work is told at the end', async (t) => {
  const work = repeat(t, 1, () => Promise.reject(new Error('broken')))
  await turn()
  await rejects(work.end(), /broken/)
})
