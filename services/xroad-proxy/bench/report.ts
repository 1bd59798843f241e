/** Results -> Markdown, and its place in README.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { againstMarkers, describeMachine, insertResult, type Markers, table as tableLines } from '@services/bench'
import { type BootResult, bootTarget } from './boot.ts'
import type { Lengths, Result } from './race.ts'
import type { Scenario } from './scenarios.ts'
import { type Explained, folderVariable, type WsdlResult, wsdlTarget } from './wsdl.ts'
import { type XmlResult, xmlTarget } from './xml.ts'

export interface ScenarioResult {
  readonly scenario: Scenario
  readonly results: readonly Result[]
}

/** Whatever of it was measured. */
export interface Results {
  readonly races: readonly ScenarioResult[]
  readonly xml: XmlResult | undefined
  readonly boots: readonly BootResult[]
  readonly wsdl: WsdlResult | undefined
}

const memoryTargetMB = 160
const readme = new URL('README.md', import.meta.url)

export const resultMarkers = {
  begin: '<!-- results: written by `npm run bench:xroad-proxy -- --write` -->',
  end: '<!-- end of results -->',
}
export const comparisonMarkers = againstMarkers('bench:xroad-proxy')

export function toMarkdown(results: Results, lengths: Lengths): string {
  const parts = [
    describe(lengths),
    raceTable(results),
    xmlTable(results),
    bootTable(results),
    wsdlTable(results),
    explainTable(results),
    targetTable(results),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

export function writeReadme(markdown: string, markers: Markers = resultMarkers): void {
  writeFileSync(readme, insertResult(readFileSync(readme, 'utf8'), markers, markdown))
}

function describe({ rounds, seconds }: Lengths): string {
  return `${describeMachine(`OpenSSL ${process.versions.openssl}`)}; ${rounds} rounds of ${seconds} s (medians).`
}

function raceTable({ races }: Results): string {
  const rows = races.flatMap(({ scenario, results }) =>
    results.map((result) => [
      scenario.title,
      nameOf(result.contender),
      Math.round(result.requestsPerSecond).toString(),
      result.ratio.toFixed(2),
      result.p50Ms.toFixed(2),
      result.p99Ms.toFixed(2),
      result.cpuSecondsPer1000.toFixed(3),
      result.peakMB.toFixed(0),
    ]),
  )
  const heads = ['contender', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU s per 1000 requests', 'peak MB']
  return table(['scenario', ...heads], rows, 2)
}

function nameOf(contender: string): string {
  if (contender === 'package') return 'xroad-proxy'
  return contender === 'sources' ? 'xroad-proxy from its sources' : contender
}

function xmlTable({ xml }: Results): string {
  if (xml === undefined) return ''
  const { bytes, events, translateMBps, parserMBps, ratio } = xml
  const document = `XML to JSON, ${(bytes / 1e6).toFixed(1)} MB, ${events} events`
  const rows = [
    [document, 'xroad-proxy', translateMBps.toFixed(0), ratio.toFixed(2)],
    [document, 'saxes alone', parserMBps.toFixed(0), '1.00'],
  ]
  return table(['document', 'reader', 'MB/s', 'ratio'], rows, 2)
}

function bootTable({ boots }: Results): string {
  const rows = boots.map((boot) => [
    nameOf(boot.contender),
    boot.files.toString(),
    Math.ceil(boot.bytes / 1000).toString(),
    boot.seconds.toFixed(2),
    boot.fastestSeconds.toFixed(2),
    boot.slowestSeconds.toFixed(2),
    boot.cpuSeconds.toFixed(2),
    boot.peakMB.toFixed(0),
  ])
  return table(['boot', 'DSL files', 'KB', 'median s', 'fastest s', 'slowest s', 'CPU s', 'peak MB'], rows, 1)
}

const sourceNames = { generated: 'generated', real: 'real registers' } as const

function wsdlTable({ wsdl }: Results): string {
  const rows = (wsdl?.boots ?? []).map(({ source, contender, files, bytes, endpoints, first, second }) => [
    sourceNames[source],
    nameOf(contender),
    ...[files, Math.ceil(bytes / 1000), endpoints].map(String),
    ...[first, second].flatMap(({ seconds, peakMB }) => [seconds.toFixed(2), peakMB.toFixed(0)]),
  ])
  const heads = ['first s', 'first peak MB', 'second s', 'second peak MB']
  return table(['boot with WSDL files', 'contender', 'WSDL files', 'KB', 'endpoints', ...heads], rows, 2)
}

function explainTable({ wsdl }: Results): string {
  if (wsdl === undefined) return ''
  const { explained } = wsdl
  if (explained === undefined) return `WSDL files of real registers: skipped, ${folderVariable} names no folder.`
  const sum = (pick: (each: Explained) => number): string =>
    explained.reduce((total, each) => total + pick(each), 0).toString()
  const rows = explained.map(({ file, problem, operations, generated, skipped }) => [
    file,
    operations.toString(),
    generated.toString(),
    problem || skipped.map(([reason, count]) => `${count} ${reason}`).join(', '),
  ])
  const total = ['all', sum((each) => each.operations), sum((each) => each.generated), '']
  return table(['WSDL', 'operations', 'generated', 'skipped'], [...rows, total], 1)
}

function targetTable({ races, xml, boots, wsdl }: Results): string {
  const rows = races.flatMap(({ scenario: { title, target }, results }) => {
    const [first, base] = [results[0], results.at(-1)]
    if (target === undefined || first === undefined || base === undefined) return []
    const rates = `${Math.round(first.requestsPerSecond)}/s to ${Math.round(base.requestsPerSecond)}/s`
    return [[title, target.text, `${first.ratio.toFixed(2)} x (${rates})`, verdict(first.ratio >= target.ratio)]]
  })
  if (xml !== undefined) {
    const { translateMBps } = xml
    const measured = `${translateMBps.toFixed(0)} MB/s`
    rows.push(['XML to JSON', `>= ${xmlTarget} MB/s`, measured, verdict(translateMBps >= xmlTarget)])
  }
  for (const { contender, files, seconds } of boots) {
    if (files !== bootTarget.files) continue
    const name = `boot of ${files} DSL files, ${nameOf(contender)}`
    rows.push([name, `< ${bootTarget.seconds} s`, `${seconds.toFixed(2)} s`, verdict(seconds < bootTarget.seconds)])
  }
  for (const { source, contender, files, endpoints, first, second } of wsdl?.boots ?? []) {
    // Of generated files only the second start has a target.
    const starts = source === 'real' ? [first, second] : [second]
    const name = `${source === 'real' ? `first boot with ${files} real WSDLs` : 'second boot with WSDLs'}, ${endpoints} endpoints`
    const seconds = starts[0]?.seconds ?? Number.NaN
    const peakMB = Math.max(first.peakMB, second.peakMB)
    const isReached = seconds < wsdlTarget.seconds && peakMB < wsdlTarget.peakMB
    const wanted = `< ${wsdlTarget.seconds} s, < ${wsdlTarget.peakMB} MB`
    const measured = `${seconds.toFixed(2)} s, ${peakMB.toFixed(0)} MB`
    rows.push([`${name}, ${nameOf(contender)}`, wanted, measured, verdict(isReached)])
  }
  for (const contender of ['package', 'sources']) {
    const peaks = races.flatMap(({ results }) => results.filter((result) => result.contender === contender))
    if (peaks.length === 0) continue
    const peak = Math.max(...peaks.map(({ peakMB }) => peakMB))
    const name = `most memory under load, ${nameOf(contender)}`
    rows.push([name, `< ${memoryTargetMB} MB`, `${peak.toFixed(0)} MB`, verdict(peak < memoryTargetMB)])
  }
  return table(['', 'target', 'measured', 'reached'], rows, 3)
}

function verdict(isReached: boolean): string {
  return isReached ? 'yes' : 'no'
}

/** Nothing of no rows. */
function table(heads: readonly string[], rows: readonly (readonly string[])[], texts: number): string {
  return rows.length === 0 ? '' : tableLines(heads, rows, texts).join('\n')
}
