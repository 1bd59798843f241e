/** What was counted -> tables for people, each number beside its goal. */
import type { Calls } from './calls.ts'
import type { Counts } from './counts.ts'
import { judge, patternNames, patterns, rateOf } from './english.ts'
import type { SourceFile } from './product.ts'
import { type House, sum } from './shape.ts'

const linesGoal: Readonly<Record<string, number>> = {
  'services/sqlapi': 12_000,
  'services/xroad-proxy': 16_000,
  kit: 7_000,
}
const engineGoal = 9_000
const productGoal = { lines: 65_000, bytes: 2_600_000 }
/** Small houses have large rooms. */
const smallHouse = 3_000

type Row = readonly (string | number)[]

export function printHouses(houses: readonly House[]): string {
  const rows = houses.map(({ house, files, lines, bytes, rooms, drawing, largest, crumbs, crowded }): Row => {
    const goal = house.startsWith('engines/') ? engineGoal : linesGoal[house]
    const share = lines < smallHouse ? '' : `${Math.round(largest.share * 100)} %`
    return [
      house,
      files,
      lines,
      goal ?? '',
      Math.round(bytes / 1000),
      rooms,
      drawing.height,
      drawing.circles.length,
      share,
      crumbs.length,
      crowded.length,
    ]
  })
  const total = (pick: (house: House) => number): number => sum(houses.map(pick))
  return table(
    [
      'house',
      'files',
      'lines',
      'goal',
      'KB',
      'rooms',
      'floors (7)',
      'circles (0)',
      'largest (33 %)',
      'crumbs (0)',
      'full folders (0)',
    ],
    [
      ...rows,
      [
        'product',
        total(({ files }) => files),
        total(({ lines }) => lines),
        productGoal.lines,
        `${Math.round(total(({ bytes }) => bytes) / 1000)} (${productGoal.bytes / 1000})`,
        total(({ rooms }) => rooms),
        Math.max(...houses.map(({ drawing }) => drawing.height)),
        total(({ drawing }) => drawing.circles.length),
        '',
        total(({ crumbs }) => crumbs.length),
        total(({ crowded }) => crowded.length),
      ],
    ],
  )
}

export function printCalls({ get, soap }: Calls): string {
  return table(
    ['files', 'loaded', 'run', 'goal'],
    [
      ['of one GET', get.loaded.length, get.ran.length, 30],
      ['of one SOAP call', soap.loaded.length, soap.ran.length, 30],
    ],
  )
}

export function printCounts(counts: Counts, houses: readonly House[]): string {
  const lines = sum(houses.map(({ lines }) => lines))
  return table(
    ['around the product', 'now', 'goal'],
    [
      ['test lines for each product line', (counts.testLines / lines).toFixed(2), 1.15],
      ['instruments, code lines', counts.instrumentLines, 8_000],
      ['Markdown, KB', Math.round(counts.markdownBytes / 1000), 500],
      ['decisions', counts.decisions, 45],
      ['npm scripts', counts.scripts, 16],
    ],
  )
}

export function printEnglish(sources: readonly SourceFile[], manuals: ReadonlyMap<string, readonly string[]>): string {
  const kinds = [
    sources.flatMap(({ comments }) => comments),
    sources.flatMap(({ messages }) => messages),
    [...manuals.values()].flat(),
  ]
  const judged = kinds.map(judge)
  return table(
    ['English', 'comments', 'messages', 'manuals', 'goal'],
    [
      ['texts', ...judged.map(({ texts }) => texts), ''],
      ['words', ...judged.map(({ words }) => words), ''],
      ...patternNames.map((name): Row => {
        const title = `${patterns[name].says}, ${name === 'opening' ? '% of texts' : 'per 1 000 words'}`
        const rates = judged.map((text) => rateOf(text, name).toFixed(2))
        return [title].concat(rates, String(patterns[name].goal))
      }),
    ],
  )
}

export function printLists(houses: readonly House[], { get, soap }: Calls): string {
  const list = (title: string, entries: readonly string[]): string =>
    [`${title}:`, ...entries.map((entry) => `  ${entry}`)].join('\n')
  return [
    list(
      'Files under 40 lines with one user',
      houses.flatMap(({ crumbs }) => crumbs),
    ),
    list(
      'Folders with more than 15 files',
      houses.flatMap(({ crowded }) => crowded),
    ),
    list(
      'Circles',
      houses.flatMap(({ drawing }) => drawing.circles.map((circle) => circle.join(' '))),
    ),
    list('Files that one GET runs', get.ran),
    list('Files that one SOAP call runs', soap.ran),
  ].join('\n\n')
}

function table(head: readonly string[], rows: readonly Row[]): string {
  const all = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  '),
    )
    .join('\n')
}
