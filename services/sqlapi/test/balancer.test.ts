/** Two processes behind a real haproxy, under load: one ends in order, one is killed. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { keepCalling, until } from '@services/testing'
import { startBalancer, withoutHaproxy } from '@services/testing/haproxy'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import { startWithAdmin, type WithAdmin } from './support/admin.ts'

const files = { 'pg/GET/one.sql': 'SELECT 1 AS one' }
const callers = { count: 8, body: '[{"one":1}]' }
/** Longer than a busy haproxy takes to ask. */
const delaySeconds = 5

describe('behind a balancer', { skip: withoutHaproxy ?? false }, () => {
  let postgres: ThrowawayPostgres
  before(async () => {
    postgres = await startThrowawayPostgres()
  })
  after(async () => postgres.remove())

  async function startTwo(): Promise<readonly [WithAdmin, WithAdmin]> {
    const config = {
      datasources: [{ name: 'pg', url: postgres.url }],
      shutdown: { delay_seconds: delaySeconds },
    }
    return Promise.all([startWithAdmin({ files, config }), startWithAdmin({ files, config })])
  }

  test('one that ends in order costs no request [O5.2]', async () => {
    const [first, second] = await startTwo()
    const balancer = await startBalancer([first, second])
    const load = keepCalling(balancer.port, '/pg/one', callers)
    await until(() => load.soFar().right > 500, 'load on both')
    first.kill('SIGTERM')
    strictEqual((await first.ended).code, 0)
    const before = load.soFar().right
    await until(() => load.soFar().right > before + 500, 'load on the other one')
    const { wrong } = await load.stop()
    deepStrictEqual(wrong, [])
    await balancer.stop()
    second.kill('SIGTERM')
    second.kill('SIGTERM')
    await second.ended
  })

  test('one that is killed costs the requests that it had in hand, and no other [O5.2]', async () => {
    const [first, second] = await startTwo()
    // A kept connection whose end haproxy has not noticed yet would cost a request that nobody had in hand.
    const balancer = await startBalancer([first, second], ['http-reuse never'])
    const load = keepCalling(balancer.port, '/pg/one', callers)
    await until(() => load.soFar().right > 500, 'load on both')
    first.kill('SIGKILL')
    await first.ended
    const before = load.soFar().right
    await until(() => load.soFar().right > before + 500, 'load on the other one')
    const { wrong } = await load.stop()
    ok(wrong.length <= callers.count, wrong.join('\n'))
    await balancer.stop()
    second.kill('SIGTERM')
    second.kill('SIGTERM')
    await second.ended
  })
})
