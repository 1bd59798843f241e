/** Those who wait: database/pool/queue.ts in virtual time. Who is given which connection is for the simulation. */
import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Queue, type Waiter } from '../../../src/database/pool/queue.ts'
import { VirtualClock } from '../../support/pool/simulation-clock.ts'

interface NamedWaiter extends Waiter {
  readonly name: string
}

/** Waits of two seconds; `rejected` are the names with the milliseconds at which their time was up. */
function makeQueue() {
  const clock = new VirtualClock()
  const queue = new Queue<NamedWaiter>(clock, 2, () => new Error('late'))
  const rejected: string[] = []
  const waiter = (name: string, arrived: number): NamedWaiter => ({
    name,
    arrived,
    line: undefined,
    position: undefined,
    refuse: () => rejected.push(`${name} ${clock.now()}`),
  })
  const goTo = (ms: number): void => {
    clock.after(ms - clock.now(), () => undefined)
    while (clock.now() < ms && clock.step(ms));
  }
  return { queue, waiter, rejected, goTo, clock }
}

test('one who comes back is told in time that nothing has become free, whoever waits already [S25]', () => {
  const { queue, waiter, rejected, goTo, clock } = makeQueue()
  goTo(1000)
  queue.push(waiter('late', 1000))
  goTo(1200)
  // It had a connection and lost it, and has waited since long ago.
  queue.push(waiter('back', 100))
  queue.push(waiter('between', 500))
  while (clock.step());
  deepStrictEqual(rejected, ['back 2100', 'between 2500', 'late 3000'])
})

test('one who comes back too late is told at once [S25]', () => {
  const { queue, waiter, rejected, goTo, clock } = makeQueue()
  goTo(5000)
  queue.push(waiter('now', 5000))
  queue.push(waiter('back', 10))
  while (clock.step());
  deepStrictEqual(rejected, ['back 5001', 'now 7000'])
})

test('one who leaves takes nobody else along [S25]', () => {
  const { queue, waiter, rejected, goTo, clock } = makeQueue()
  const first = waiter('first', 0)
  queue.push(first)
  goTo(500)
  queue.push(waiter('second', 500))
  queue.remove(first)
  while (clock.step());
  deepStrictEqual(rejected, ['second 2500'])
})
