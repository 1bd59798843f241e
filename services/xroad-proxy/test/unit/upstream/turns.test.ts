/** Who waits for a connection, in which order they get one and which, and that nothing is kept of those who gave up. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Turns, type Waiter } from '../../../src/upstream/turns.ts'

/** Things are numbers from 1; what was started is told as `name:thing`. */
function open(max: number) {
  let made = 0
  const turns = new Turns(max, () => (made += 1))
  const started: string[] = []
  const waiters = new Map<string, Waiter<number>>()
  return {
    turns,
    started,
    take: (names: string): void => {
      for (const name of names.split('')) {
        const waiter: Waiter<number> = {
          standing: undefined,
          // Capitals upload.
          isUpload: name < 'a',
          start: (thing: number) => void started.push(`${name}:${thing}`),
        }
        waiters.set(name, waiter)
        turns.take(waiter)
      }
    },
    leave: (name: string): void => {
      const waiter = waiters.get(name)
      if (waiter !== undefined) turns.leave(waiter)
    },
    giveBack: async (thing: number): Promise<void> => {
      turns.giveBack(thing)
      await Promise.resolve()
    },
  }
}

test('as many as there are turns start at once, the others in order when a thing comes back [D2.6]', async () => {
  const { take, giveBack, started } = open(2)
  take('abcd')
  deepStrictEqual(started, ['a:1', 'b:2'])
  await giveBack(2)
  deepStrictEqual(started, ['a:1', 'b:2', 'c:2'])
  await giveBack(1)
  await giveBack(1)
  take('e')
  deepStrictEqual(started, ['a:1', 'b:2', 'c:2', 'd:1', 'e:1'])
})

test('things are made when they are needed; the one used last goes out first [D2.6]', async () => {
  const { turns, take, giveBack, started } = open(3)
  take('ab')
  deepStrictEqual(turns.things, [1, 2])
  await giveBack(1)
  await giveBack(2)
  take('cde')
  deepStrictEqual(started.slice(2), ['c:2', 'd:1', 'e:3'])
  deepStrictEqual(turns.things, [1, 2, 3])
})

test('who gives up waiting is never started; who has started gives back nothing by giving up [D2.6]', async () => {
  const { take, leave, giveBack, started } = open(1)
  take('abc')
  leave('a')
  leave('b')
  deepStrictEqual(started, ['a:1'])
  await giveBack(1)
  deepStrictEqual(started, ['a:1', 'c:1'])
})

test('who gives up in the moment when a thing comes back is not started, and the thing is kept [D2.6]', async () => {
  const { turns, take, leave, started } = open(1)
  take('ab')
  turns.giveBack(1)
  leave('b')
  await Promise.resolve()
  take('c')
  deepStrictEqual(started, ['a:1', 'c:1'])
})

test('nobody is started in the middle of giving back, where the thing may still be in use [D2.6]', async () => {
  const { turns, take, started } = open(1)
  take('ab')
  turns.giveBack(1)
  deepStrictEqual(started, ['a:1'])
  await Promise.resolve()
  deepStrictEqual(started, ['a:1', 'b:1'])
})

test('who comes later never overtakes those who wait, also while a thing lies free for them [X31]', async () => {
  const { turns, take, started } = open(2)
  take('abcd')
  turns.giveBack(1)
  take('e')
  deepStrictEqual(started, ['a:1', 'b:2'])
  turns.giveBack(2)
  take('f')
  deepStrictEqual(started, ['a:1', 'b:2'])
  await Promise.resolve()
  deepStrictEqual(started, ['a:1', 'b:2', 'c:2', 'd:1'])
  turns.giveBack(1)
  take('g')
  await Promise.resolve()
  turns.giveBack(2)
  await Promise.resolve()
  turns.giveBack(1)
  await Promise.resolve()
  deepStrictEqual(started.slice(4), ['e:1', 'f:2', 'g:1'])
})

test('who gives up after being started takes nobody else out of the line [X31]', async () => {
  const { take, leave, giveBack, started } = open(1)
  take('abcd')
  await giveBack(1)
  leave('b')
  leave('b')
  await giveBack(1)
  await giveBack(1)
  deepStrictEqual(started, ['a:1', 'b:1', 'c:1', 'd:1'])
})

test('who comes later does not overtake one who waits alone either [X31]', async () => {
  const { turns, take, started } = open(1)
  take('ab')
  turns.giveBack(1)
  take('c')
  deepStrictEqual(started, ['a:1'])
  await Promise.resolve()
  deepStrictEqual(started, ['a:1', 'b:1'])
})

test('one who gives the thing back while starting lets the next one in [D2.6]', async () => {
  const turns = new Turns(1, () => 1)
  let started = 0
  const start = (thing: number): void => {
    started += 1
    turns.giveBack(thing)
  }
  const others = Array.from({ length: 4 }, () => ({ standing: undefined, start }))
  for (const waiter of others) turns.take(waiter)
  await Promise.resolve()
  strictEqual(started, 4)
  deepStrictEqual(turns.things, [1])
})

test('a pool that is retired keeps nothing that is free, and lends as before [O3.2]', async () => {
  const { turns, take, leave, giveBack, started } = open(2)
  const discarded: number[] = []
  take('abcd')
  await giveBack(1)
  turns.retire((thing) => void discarded.push(thing))
  deepStrictEqual([started, discarded], [['a:1', 'b:2', 'c:1'], []])
  await giveBack(1)
  await giveBack(2)
  deepStrictEqual([started.at(-1), discarded, turns.things], ['d:1', [2], [1]])
  take('ef')
  deepStrictEqual(started.slice(4), ['e:3'])
  leave('f')
  await giveBack(3)
  await giveBack(1)
  deepStrictEqual([discarded, turns.things], [[2, 3, 1], []])
})

test('what is free when a pool is retired goes at once, and a waiter that leaves too late leaves nothing behind [O3.2]', async () => {
  const { turns, take, leave, giveBack, started } = open(1)
  const discarded: number[] = []
  take('a')
  await giveBack(1)
  turns.retire((thing) => void discarded.push(thing))
  deepStrictEqual([discarded, turns.things], [[1], []])
  take('bc')
  const back = giveBack(2)
  leave('c')
  await back
  await Promise.resolve()
  deepStrictEqual([started, discarded, turns.things], [['a:1', 'b:2'], [1, 2], []])
})

test('uploads have at most half of the turns; others pass those that wait, and who has waited longest is next [G3]', async () => {
  const { turns, take, leave, giveBack, started } = open(4)
  take('ABCDab')
  deepStrictEqual(started, ['A:1', 'B:2', 'a:3', 'b:4'])
  take('cE')
  deepStrictEqual(turns.load, { busy: 4, idle: 0, waiting: 4 })
  await giveBack(3)
  deepStrictEqual(started.slice(4), ['c:3'])
  // The upload of A has arrived: as soon as a thing is free, C has its turn, before d, who came later.
  take('d')
  turns.endUpload()
  await giveBack(4)
  await giveBack(3)
  deepStrictEqual(started.slice(5), ['C:4', 'd:3'])
  turns.endUpload()
  leave('D')
  await giveBack(2)
  deepStrictEqual(started.slice(7), ['E:2'])
})

test('a turn that uploads may not have is free for others at once [G3]', async () => {
  const { turns, take, giveBack, started } = open(4)
  take('ABC')
  deepStrictEqual(turns.load, { busy: 2, idle: 0, waiting: 1 })
  take('ab')
  await giveBack(3)
  take('c')
  deepStrictEqual(started, ['A:1', 'B:2', 'a:3', 'b:4', 'c:3'])
  await giveBack(3)
  await giveBack(4)
  turns.endUpload()
  take('d')
  await Promise.resolve()
  deepStrictEqual(started.slice(5), ['C:4', 'd:3'])
})
