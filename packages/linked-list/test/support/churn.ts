/** Elements that pass through a queue of 64; the test beside it counts what the collector promotes. */
import { type Link, LinkedList } from '../../src/index.ts'

const waiting = 64
const elements = 1_000_000

interface Queue {
  push(element: object): void
  shift(): void
}

const queues: Readonly<Record<string, () => Queue>> = {
  list: () => {
    const list = new LinkedList<object>()
    return { push: (element) => void list.append(element), shift: () => list.remove(list.first as Link<object>) }
  },
  map: () => {
    const map = new Map<number, object>()
    let pushed = 0
    let shifted = 0
    return { push: (element) => void map.set(pushed++, element), shift: () => void map.delete(shifted++) }
  },
}

const queue = (queues[process.argv[2] as string] as () => Queue)()
for (let i = 0; i < waiting; i++) queue.push(makeElement(i))
// These are old by now.
globalThis.gc?.({ type: 'minor' })
globalThis.gc?.({ type: 'minor' })
for (let i = waiting; i < elements; i++) {
  queue.push(makeElement(i))
  queue.shift()
}

function makeElement(i: number): object {
  return { i, fields: Array<number>(36).fill(i) }
}
