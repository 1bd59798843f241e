/** Puts the results of a run between their markers in README.md, and the chart beside it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { againstMarkers, insertResult } from '@services/bench'

const readme = new URL('README.md', import.meta.url)
const chartFile = new URL('chart.svg', import.meta.url)
const picture = '![Ratios of sqlapi and others, scenario by scenario](chart.svg)'

export const resultMarkers = {
  begin: '<!-- results: written by `npm run bench:sqlapi -- --write` -->',
  end: '<!-- end of results -->',
}
export const comparisonMarkers = againstMarkers('bench:sqlapi')

export function writeResult(markdown: string, chart: string): void {
  const page = readFileSync(readme, 'utf8')
  writeFileSync(readme, insertResult(page, resultMarkers, `${picture}\n\n${markdown}`))
  writeFileSync(chartFile, chart)
}

/** What came of `--against`. */
export function writeComparison(markdown: string): void {
  writeFileSync(readme, insertResult(readFileSync(readme, 'utf8'), comparisonMarkers, markdown))
}
