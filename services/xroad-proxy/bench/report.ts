/** Results -> Markdown. */
import { describeMachine, type Lengths, medianOf, ratio, type Result, table as tableLines, toMB } from '@services/bench'
import { type BootResult, bootTarget } from './boot.ts'
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
const leastOfHaproxy = 0.45
/** As package.json calls it. */
export const script = 'bench:xroad-proxy'
/** What else the figures depend on. */
export const versions = `OpenSSL ${process.versions.openssl}`
export const readme = new URL('README.md', import.meta.url)

/** @param absences lines about who is missing and why */
export function toMarkdown(results: Results, lengths: Lengths, absences: readonly string[]): string {
  const parts = [
    describe(lengths, absences),
    raceTable(results),
    xmlTable(results),
    bootTable(results),
    wsdlTable(results),
    explainTable(results),
    targetTable(results),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function describe({ rounds, seconds }: Lengths, absences: readonly string[]): string {
  const facts = `${describeMachine(versions)}; ${rounds} rounds of ${seconds} s (medians)`
  return [facts, ...absences].map((sentence) => `${sentence}.`).join(' ')
}

function raceTable({ races }: Results): string {
  const rows = races.flatMap(({ scenario, results }) =>
    results.map((result) => [
      scenario.title,
      nameOf(result.contender),
      rateOf(result).toFixed(0),
      number(ratio(result, results.at(-1), 'requests/s'), 2),
      number(medianOf(result, 'p50Ms'), 2),
      number(medianOf(result, 'p99Ms'), 2),
      number(medianOf(result, 'cpuSecondsPer1000'), 3),
      peakOf(result).toFixed(0),
    ]),
  )
  const heads = ['contender', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU s per 1000 requests', 'peak MB']
  return table(['scenario', ...heads], rows, 2)
}

function number(value: number | undefined, digits: number): string {
  return value === undefined ? '' : value.toFixed(digits)
}

function rateOf(result: Result): number {
  return medianOf(result, 'requestsPerSecond') ?? Number.NaN
}

function peakOf({ peakBytes = Number.NaN }: Result): number {
  return toMB(peakBytes)
}

/** As contenders are called in tables. */
export function nameOf(contender: string): string {
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
    const reached = ratio(first, base, 'requests/s')
    if (target === undefined || first === undefined || base === undefined || reached === undefined) return []
    const rates = `${rateOf(first).toFixed(0)}/s to ${rateOf(base).toFixed(0)}/s`
    return [[title, target.text, `${reached.toFixed(2)} x (${rates})`, verdict(reached >= target.ratio)]]
  })
  for (const { scenario, results } of races.filter(({ scenario }) => scenario.name === 'rest-get')) {
    const reached = ratio(
      results[0],
      results.find(({ contender }) => contender === 'haproxy'),
      'requests/s',
    )
    if (reached === undefined) continue
    const wanted = `>= ${leastOfHaproxy} x haproxy with one thread`
    rows.push([scenario.title, wanted, `${reached.toFixed(2)} x`, verdict(reached >= leastOfHaproxy)])
  }
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
    const peak = Math.max(...peaks.map(peakOf))
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
