/** Puts the result of a run between its markers in README.md, and the chart beside it. */
import { readFileSync, writeFileSync } from 'node:fs'

const readme = new URL('README.md', import.meta.url)
const chartFile = new URL('chart.svg', import.meta.url)
const begin = '<!-- results: written by `npm run bench:sqlapi -- --write` -->'
const end = '<!-- end of results -->'
const picture = '![Ratios of sqlapi and others, scenario by scenario](chart.svg)'

export function writeReadme(markdown: string, chart: string): void {
  writeFileSync(readme, insertResult(readFileSync(readme, 'utf8'), markdown))
  writeFileSync(chartFile, chart)
}

/** The text with this result in the place of the last one. */
export function insertResult(text: string, markdown: string): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error('README.md has lost its markers')
  return `${text.slice(0, from)}${begin}\n\n${picture}\n\n${markdown}\n\n${text.slice(to)}`
}
