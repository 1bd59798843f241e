/** Where the results of a run go: between their markers in README.md, and the chart beside it. */
import { writeFileSync } from 'node:fs'
import { resultMarkers, writeBetween } from '@services/bench'

/** As package.json calls it. */
export const script = 'bench:sqlapi'
export const readme = new URL('README.md', import.meta.url)
const chartFile = new URL('chart.svg', import.meta.url)
const picture = '![Ratios of sqlapi and others, scenario by scenario](chart.svg)'

export function writeResult(markdown: string, chart: string): void {
  writeBetween(readme, resultMarkers(script), `${picture}\n\n${markdown}`)
  writeFileSync(chartFile, chart)
}
