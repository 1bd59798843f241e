/** The command that counts the house: its numbers for a house that a person can count, and its refusals. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { findWorse, measured } from './structure/ceilings.ts'
import { judge, type Pattern } from './structure/english.ts'
import { draw } from './structure/floors.ts'
import { readProduct } from './structure/product.ts'
import { shapeOf } from './structure/shape.ts'

const root = mkdtempSync(join(tmpdir(), 'structure-'))
after(() => rmSync(root, { recursive: true }))

const files = {
  'services/tea/package.json': '{ "name": "tea" }',
  'services/tea/src/main.ts': "import { serve } from './serve/serve.ts'\nserve('Cannot serve tea without water')\n",
  'services/tea/src/serve/serve.ts':
    "import { cup } from '../cups/cup.ts'\n/** Where there is none. */\nexport const serve = (text: string) => cup(text)\n",
  'services/tea/src/cups/cup.ts': "// Told by\n// somebody.\nexport { log as cup } from '@services/log'\n",
  'services/tea/src/cups/cup.d.ts': 'export {}\n',
  'services/tea/test/cup.test.ts': '// Where tests are.\n',
  'packages/log/package.json': '{ "name": "@services/log", "exports": { ".": "./src/log.ts" } }',
  'packages/log/src/log.ts': `export const log = (text: string) => text\n${'//\n'.repeat(40)}`,
}
for (const [file, text] of Object.entries(files)) {
  mkdirSync(join(root, dirname(file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

test('houses are counted as a person would count them', () => {
  const sources = readProduct(root)
  const [log, tea] = shapeOf(sources)
  deepStrictEqual(
    [log?.house, log?.files, log?.lines, log?.crumbs],
    ['packages/log', 1, 41, []],
    'a package, which has one user but more than 40 lines',
  )
  deepStrictEqual([tea?.files, tea?.lines, tea?.rooms, tea?.drawing.height], [3, 8, 3, 3], 'a service')
  deepStrictEqual(tea?.crumbs, ['services/tea/src/cups/cup.ts', 'services/tea/src/serve/serve.ts'])
  deepStrictEqual(
    sources.flatMap(({ messages }) => messages),
    ['Cannot serve tea without water'],
  )
  deepStrictEqual(
    sources.flatMap(({ comments }) => comments).filter((comment) => comment.trim() !== ''),
    ['Told by somebody.', 'Where there is none.'],
  )
})

test('rooms stand above what they import, and circles share a floor', () => {
  const rooms = (edges: Record<string, string[]>): Map<string, Set<string>> =>
    new Map(Object.entries(edges).map(([room, others]) => [room, new Set(others)]))
  const { floors, height, circles } = draw(
    rooms({ roof: ['left', 'ground'], left: ['right'], right: ['left', 'ground'], ground: [] }),
  )
  deepStrictEqual(Object.fromEntries(floors), { ground: 1, left: 2, right: 2, roof: 3 })
  strictEqual(height, 3)
  deepStrictEqual(circles, [['left', 'right']])
})

const sentences: [text: string, found: Pattern[]][] = [
  ['Undefined where there is none.', ['where']],
  ['Where nothing may be lost.', ['where', 'opening']],
  ['Says where it is, from where it came, and shows where to look.', []],
  ['If nobody listens, whoever asks waits.', ['doer', 'doer']],
  ['The prompt behind the verb.', ['behind']],
  ['The caller is told.', ['tell']],
  ['That of its owner.', ['opening']],
  ['Counters of an ended process: reports what has no owner.', []],
]

for (const [text, expected] of sentences) {
  test(`English of: ${text}`, () => {
    const found = Object.entries(judge([text]).found).flatMap(([name, count]) => Array<string>(count).fill(name))
    deepStrictEqual(found, expected)
  })
}

test('a house with a floor or a circle more, or with more of a wrong word, is worse', () => {
  const house = (height: number, circles: string[][]) => {
    const [, tea] = shapeOf(readProduct(root))
    ok(tea !== undefined)
    return { ...tea, drawing: { floors: new Map<string, number>(), height, circles } }
  }
  const comments = (...texts: string[]) => new Map([['comments of tea', judge(texts)]])
  const before = comments('Undefined where there is none.', 'Ends.')
  const ceilings = measured([house(8, [])], before)
  deepStrictEqual(findWorse(ceilings, ceilings, before), [])
  const later = comments('Undefined where there is none.', 'Null where that is void.')
  const worse = findWorse(measured([house(9, [['a', 'b']])], later), ceilings, later)
  strictEqual(worse.length, 3)
  match(worse[0] ?? '', /services\/tea has 9 floors; its ceiling is 8/)
  match(worse[1] ?? '', /services\/tea has 1 circles; its ceiling is 0/)
  match(worse[2] ?? '', /comments of tea: \*where\* for \*if\*, 2 times; its ceiling is 1/)
})
