/** Where the results of a run go: between their markers in README.md, and the charts beside it. */
import { writeFileSync } from 'node:fs'
import { type CallersReport, resultMarkers, toCallersMarkdown, writeBetween, writeCallers } from '@services/bench'
import { chartTitle, toCallersChart } from '../callers.ts'

/** As package.json calls it. */
export const script = 'bench:sqlapi'
export const readme = new URL('../README.md', import.meta.url)
const chartFile = new URL('../chart.svg', import.meta.url)
const picture = '![Ratios of sqlapi and others, scenario by scenario](chart.svg)'

export function writeResult(markdown: string, chart: string): void {
  writeBetween(readme, resultMarkers(script), `${picture}\n\n${markdown}`)
  writeFileSync(chartFile, chart)
}

export function writeCallersResult(report: CallersReport): void {
  writeCallers({ file: readme, script, title: chartTitle }, toCallersMarkdown(report), toCallersChart(report))
}
