/** The list beside an array that does the same, in random steps. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Link, LinkedList } from '../../src/index.ts'

test('the list holds what an array holds after the same steps', () => {
  const step = fc.record({ kind: fc.constantFrom('append', 'insert', 'remove'), at: fc.nat(9) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = new LinkedList<number>()
      const links: Link<number>[] = []
      for (const [element, { kind, at }] of steps.entries()) {
        const index = links.length === 0 ? 0 : at % links.length
        if (kind === 'append') links.push(list.append(element))
        else if (kind === 'insert') links.splice(index, 0, list.insertBehind(links[index - 1], element))
        else for (const link of links.splice(index, 1)) list.remove(link)
        deepStrictEqual(
          elementsOf(list),
          links.map((link) => link.element),
        )
        strictEqual(list.size, links.length)
        strictEqual(list.last, links.at(-1))
      }
    }),
  )
})

test('a removed link lets go of its neighbours', () => {
  const list = new LinkedList<string>()
  const [first, second, third] = ['a', 'b', 'c'].map((element) => list.append(element))
  for (const link of [first, second, third]) list.remove(link as Link<string>)
  deepStrictEqual(
    [first, second, third].map((link) => [link?.before, link?.behind]),
    Array.from({ length: 3 }, () => [undefined, undefined]),
  )
  strictEqual(list.first, undefined)
})

function elementsOf(list: LinkedList<number>): number[] {
  const elements: number[] = []
  for (let link = list.first; link !== undefined; link = link.behind) elements.push(link.element)
  return elements
}
