/** Who waits for a connection, in which order they get one, and that nothing is kept of those who gave up. */
import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../src/serve/turns.ts'

function start(count: number, names: string) {
  const turns = new Turns(count)
  const started: string[] = []
  const giveUp = new Map(names.split('').map((name) => [name, turns.take(() => void started.push(name))]))
  return { turns, started, giveUp: (name: string) => giveUp.get(name)?.() }
}

test('[D2.6] as many as there are turns start at once, the others in order when a turn comes back', () => {
  const { turns, started } = start(2, 'abcd')
  deepStrictEqual(started, ['a', 'b'])
  turns.giveBack()
  deepStrictEqual(started, ['a', 'b', 'c'])
  turns.giveBack()
  turns.giveBack()
  turns.take(() => void started.push('e'))
  deepStrictEqual(started, ['a', 'b', 'c', 'd', 'e'])
})

test('[D2.6] a turn that nobody waits for is kept, and no more of them than there are', () => {
  const { turns, started } = start(1, 'a')
  turns.giveBack()
  for (const name of 'bc') turns.take(() => void started.push(name))
  deepStrictEqual(started, ['a', 'b'])
})

test('[D2.6] who gives up waiting is never started; who has started gives back nothing by giving up', () => {
  const { turns, started, giveUp } = start(1, 'abc')
  giveUp('a')
  giveUp('b')
  deepStrictEqual(started, ['a'])
  turns.giveBack()
  deepStrictEqual(started, ['a', 'c'])
})

test('[D2.6] one who gives the turn back while starting lets the next one in', () => {
  const turns = new Turns(1)
  const started: string[] = []
  turns.take(() => void started.push('a'))
  const begin = (name: string): void => {
    started.push(name)
    turns.giveBack()
  }
  for (const name of 'bcd') turns.take(() => begin(name))
  turns.giveBack()
  turns.take(() => begin('e'))
  deepStrictEqual(started, ['a', 'b', 'c', 'd', 'e'])
})
