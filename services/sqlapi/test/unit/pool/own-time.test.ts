/**
 * What this process takes of the time of answers: database/pool/own-time.ts, turn by turn of an event loop that is
 * played here.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../../src/database/pool/clock.ts'
import { OwnTime } from '../../../src/database/pool/own-time.ts'

/** A loop of which each turn waits for so long, and then works for so long; marks are made when it begins to work. */
function playLoop(lookMs = Infinity) {
  let [now, idle] = [0, 0]
  let afterTurn: (() => void)[] = []
  let timer: { at: number; callback: () => void } | undefined
  const looks: number[] = []
  const clock: Clock = {
    now: () => now,
    idle: () => idle,
    afterTurn: (callback) => void afterTurn.push(callback),
    after: (ms, callback) => {
      const own = { at: now + ms, callback }
      timer = own
      return () => {
        if (timer === own) timer = undefined
      }
    },
  }
  const own = new OwnTime(clock, () => {
    looks.push(now)
    return lookMs
  })
  const turn = (idleMs: number, workMs: number): number => {
    const due = timer
    if (due !== undefined && due.at <= now) {
      timer = undefined
      due.callback()
    }
    now += idleMs
    idle += idleMs
    own.mark(now)
    const unseen = own.unseenMs(now)
    now += workMs
    for (const callback of afterTurn.splice(0)) callback()
    afterTurn = []
    return unseen
  }
  return { own, turn, looks, now: () => now }
}

test('a process that waits sees each answer at once [S25]', () => {
  const { turn } = playLoop()
  deepStrictEqual([turn(3, 1), turn(20, 1), turn(0.5, 1)], [0, 0, 0])
})

test('a process that is busy sees an answer two turns after the question at most, and no time before that is taken off [S25]', () => {
  const { turn } = playLoop()
  for (let count = 0; count < 10; count++) turn(0, 12)
  strictEqual(turn(0, 12), 24)
  strictEqual(turn(0, 30), 24)
  strictEqual(turn(0, 1), 42)
})

test('after a stall the answer may have been there since the process last waited [S25]', () => {
  const { turn } = playLoop()
  turn(5, 1)
  turn(5, 300)
  strictEqual(turn(0, 1), 300)
  // That it waited for this one is known.
  strictEqual(turn(7, 1), 0)
})

test('work that stands in front of the answer in the same turn is taken off as well [S25]', () => {
  const { own, turn, now } = playLoop()
  turn(5, 1)
  turn(5, 0)
  own.mark(now())
  strictEqual(own.unseenMs(now() + 200), 200)
})

test('a process is busy when less than a fifth of its time is left over, judged by the last 50 ms or so', () => {
  const { own, turn, looks } = playLoop(5)
  own.expect(5)
  const work = (idleMs: number, workMs: number, turns: number): boolean => {
    for (let count = 0; count < turns; count++) turn(idleMs, workMs)
    return own.isBusy
  }
  strictEqual(own.isBusy, false)
  strictEqual(work(4, 1, 50), false)
  strictEqual(work(1.5, 3.5, 50), false)
  strictEqual(work(0.5, 4.5, 50), true)
  strictEqual(work(5, 0, 1), true)
  strictEqual(work(5, 0, 5), false)
  strictEqual(work(0, 40, 1), false)
  strictEqual(work(0, 40, 3), true)
  strictEqual(looks.length > 100, true)
})

test('looks come as often as they are wanted, and not at all when nobody wants them', () => {
  const { own, turn, looks } = playLoop(Infinity)
  own.expect(25)
  own.expect(5)
  own.expect(25)
  for (let count = 0; count < 20; count++) turn(1, 0)
  deepStrictEqual(looks, [5])
  own.expect(5)
  own.end()
  for (let count = 0; count < 20; count++) turn(1, 0)
  deepStrictEqual(looks, [5])
})
