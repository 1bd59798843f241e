/** Judgements -> Markdown, and Markdown -> its place in a page. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { Compared } from '../against/compare.ts'
import { median } from './median.ts'
import { guard, type Judgement } from '../against/regression.ts'

/** Lines of a page between which a result is. */
export interface Markers {
  readonly begin: string
  readonly end: string
}

const words: Readonly<Record<Judgement, string>> = { fine: 'no', unclear: 'unclear', slower: 'YES' }

/** `old` is what this was compared with, `versions` what else the figures depend on. */
export function toReport(all: readonly Compared[], old: string, versions: string): string {
  const rows = all.map(({ title, merit, judgement, speeds, requestsPerSecond, p99, cpu, cpuToLoad, peak }) => [
    title,
    merit,
    words[judgement],
    ...[median(speeds), Math.min(...speeds), Math.max(...speeds), requestsPerSecond, p99, cpu, cpuToLoad, peak].map(
      (ratio) => cell(ratio, (value) => value.toFixed(2)),
    ),
    String(speeds.length),
  ])
  const figures = ['speed', 'lowest', 'highest', 'requests/s', 'p99', 'CPU time', 'to the load', 'peak memory', 'races']
  return [
    `${describeMachine(versions)}. Ratios of this version to ${old}: more speed is better, less p99, CPU time and memory.`,
    '',
    ...table(['scenario', 'judged by', `slower than ${guard.limit} x`, ...figures], rows, 3),
    ...(all.some(({ judgement }) => judgement === 'unclear') ? ['', unclearMeans] : []),
  ].join('\n')
}

const unclearMeans =
  '`unclear`: slower on the face of it, but chance explains it too; a quieter machine or more `--rounds` would tell.'

/** Empty for what was not measured. */
export function cell(value: number | undefined, write: (value: number) => string): string {
  return value === undefined ? '' : write(value)
}

/** The day, the machine and what runs on it. */
export function describeMachine(versions: string): string {
  const [first] = cpus()
  const machine = `${first?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const date = new Date().toISOString().slice(0, 10)
  return `${date}; ${machine}; ${process.platform} ${process.arch}; Node.js ${process.versions.node}, ${versions}`
}

/** Lines of a table. The first `texts` columns are words, the others numbers. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[], texts: number): string[] {
  const rule = heads.map((_, index) => (index < texts ? '---' : '---:'))
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

/** Where a whole run of a script writes its result. */
export function resultMarkers(script: string): Markers {
  return { begin: `<!-- results: written by \`npm run ${script} -- --write\` -->`, end: '<!-- end of results -->' }
}

/** Where the bench of a service writes the result of `--against`. */
export function againstMarkers(script: string): Markers {
  return {
    begin: `<!-- against: written by \`npm run ${script} -- --against COMMIT --write\` -->`,
    end: '<!-- end of against -->',
  }
}

/** The page with this result instead of the last one. */
export function insertResult(page: string, { begin, end }: Markers, markdown: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`README.md has lost its markers ${begin} and ${end}`)
  return `${page.slice(0, from)}${begin}\n\n${markdown}\n\n${page.slice(to)}`
}

/** Puts a result into a page, replacing the last one. */
export function writeBetween(page: URL, markers: Markers, markdown: string): void {
  writeFileSync(page, insertResult(readFileSync(page, 'utf8'), markers, markdown))
}
