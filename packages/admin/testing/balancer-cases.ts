/**
 * Two processes of a service behind a real haproxy, under load: one ends in order, one is killed. A way to start them
 * comes in; tests are registered.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keepCalling, type Listening, until } from '@services/testing'
import { startBalancer, withoutHaproxy } from '@services/testing/haproxy'

export interface BalancerCases {
  /** Ids of the rules that the cases prove. */
  readonly rules: string
  /** What a GET of this path answers with status 200. */
  readonly path: string
  readonly body: string
  /** Starts a process with an admin listener and this `shutdown.delay_seconds`. */
  readonly start: (delaySeconds: number) => Promise<BalancedService>
}

export interface BalancedService extends Listening {
  readonly adminPort: number
}

/** Longer than a busy haproxy takes to ask. */
const delaySeconds = 5
const callers = 8
/** Each calls often enough to have a call in hand whenever something happens, and leaves haproxy time to ask. */
const pauseMs = 5
const enough = 500

export function testBalancer({ rules, path, body, start }: BalancerCases): void {
  /** Both, and calls that have reached them. */
  async function underLoad(settings: readonly string[]) {
    const [first, second] = await Promise.all([start(delaySeconds), start(delaySeconds)])
    const balancer = await startBalancer([first, second], settings)
    // The kernel ends the connections of a killed process first, and goes on taking others for it until its listener is
    // closed: who calls again at once fails twice.
    const load = keepCalling(balancer.port, path, { count: callers, body, pauseMs, afterWrong: first.ended })
    const more = async (): Promise<void> => {
      const before = load.soFar().right
      await until(() => load.soFar().right > before + enough, 'calls that are answered')
    }
    await more()
    const end = async (): Promise<readonly string[]> => {
      await more()
      const { wrong } = await load.stop()
      await balancer.stop()
      second.kill('SIGTERM')
      second.kill('SIGTERM')
      await second.ended
      return wrong
    }
    return { first, end }
  }

  describe('two processes behind a balancer', { skip: withoutHaproxy ?? false }, () => {
    test(`one that ends in order costs no request ${rules}`, async () => {
      const { first, end } = await underLoad([])
      first.kill('SIGTERM')
      strictEqual((await first.ended).code, 0)
      deepStrictEqual(await end(), [])
    })

    test(`one that is killed costs the requests that it had in hand, and no other ${rules}`, async () => {
      // A kept connection whose end haproxy has not noticed yet would cost a request that nobody had in hand.
      const { first, end } = await underLoad(['http-reuse never'])
      first.kill('SIGKILL')
      await first.ended
      const wrong = await end()
      // Each caller has one in hand.
      ok(wrong.length <= callers, wrong.join('\n'))
    })
  })
}
