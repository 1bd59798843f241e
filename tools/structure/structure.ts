/**
 * `npm run structure`: counts the house and prints it beside its goals: lines and bytes, floors and rooms, files of one
 * GET and one SOAP call, documents, and the English of comments, messages and manuals.
 *
 * --check  ends with 1 if floors, circles or English are worse than `ceilings.json` says, and covers no calls
 * --write  writes what is measured to `ceilings.json`
 * --list   names the small files with one user, the full folders, the circles and the files of both calls
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Ceilings, findWorse, measured } from './ceilings.ts'
import { countFiles, readManuals } from './counts.ts'
import { judge, type Text } from './english.ts'
import { readProduct, type SourceFile } from './product.ts'
import { printCalls, printCounts, printEnglish, printHouses, printLists } from './print.ts'
import { shapeOf } from './shape.ts'

const root = resolve(import.meta.dirname, '../..')
const file = join(import.meta.dirname, 'ceilings.json')
const { values } = parseArgs({
  options: { check: { type: 'boolean' }, write: { type: 'boolean' }, list: { type: 'boolean' } },
})

const sources = readProduct(root)
const houses = shapeOf(sources)
const texts = readTexts(sources)
const now = measured(houses, texts)

if (values.write === true) {
  writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`)
} else if (values.check === true) {
  const worse = findWorse(now, JSON.parse(readFileSync(file, 'utf8')) as Ceilings, texts)
  for (const sentence of worse) process.stdout.write(`${sentence}\n`)
  if (worse.length > 0) {
    process.stdout.write('Mend these, or give the reason in the change that raises tools/structure/ceilings.json.\n')
    process.exitCode = 1
  }
} else {
  const { coverCalls } = await import('./calls.ts')
  const calls = await coverCalls()
  const parts = [
    printHouses(houses),
    printCalls(calls),
    printCounts(countFiles(root), houses),
    printEnglish(sources, readManuals(root)),
    ...(values.list === true ? [printLists(houses, calls)] : []),
  ]
  process.stdout.write(`${parts.join('\n\n')}\n`)
}

function readTexts(sources: readonly SourceFile[]): Map<string, Text> {
  const rooms = Map.groupBy(sources, ({ room }) => room)
  const houses = Map.groupBy(sources, ({ house }) => house)
  return new Map([
    ...[...rooms].map(
      ([room, files]) => [`comments of ${room}`, judge(files.flatMap(({ comments }) => comments))] as const,
    ),
    ...[...houses].map(
      ([house, files]) => [`messages of ${house}`, judge(files.flatMap(({ messages }) => messages))] as const,
    ),
    ...[...readManuals(root)].map(([house, pages]) => [`manuals of ${house}`, judge(pages)] as const),
  ])
}
