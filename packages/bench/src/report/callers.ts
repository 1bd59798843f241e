/** Results of the scenario `callers` -> Markdown, and its place in the page of the bench, with the chart beside it. */
import { writeFileSync } from 'node:fs'
import { type CallersResult, type CallersRun, callersScenario } from '../race/callers.ts'
import { medianOf, ratio, readable } from '../race/figures.ts'
import { toMB } from '../process/usage.ts'
import { cell, describeMachine, type Markers, table, writeBetween } from './report.ts'

/** Others whom each contender is compared with: the one of them that is fastest with as many callers. */
export interface Rivals {
  /** Head of the column. */
  readonly head: string
  readonly contenders: readonly string[]
}

/** What the figures beside a certain other contender should be. */
export interface PeerTargets {
  readonly contender: string
  /** The share of its requests per second that a single caller has to get. */
  readonly leastAlone: number
  /** The p99 of more callers than `usualCallers` is at most this many times its own. */
  readonly mostP99: number
}

export interface CallersReport extends CallersRun {
  /** What is asked. */
  readonly title: string
  /** Contender that this is about. */
  readonly service: string
  /** A column for each of which somebody was there. */
  readonly rivals: readonly Rivals[]
  readonly peer?: PeerTargets
  /** What else the figures depend on. */
  readonly versions: string
  /** Lines about who is missing and why. */
  readonly absences: readonly string[]
}

/** What more callers should not make worse. */
const usualCallers = 64
const leastOfUsual = 0.9

export function toCallersMarkdown(report: CallersReport): string {
  const { title, versions, absences, lengths } = report
  const facts = `${describeMachine(versions)}; ${title}; ${lengths.rounds} rounds of ${lengths.seconds} s (medians)`
  const about = [facts, ...absences].map((sentence) => `${sentence}.`).join(' ')
  const targets = targetRows(report)
  const judged = targets.length === 0 ? [] : [...table(['', 'target', 'measured', 'reached'], targets, 4), '']
  return [about, '', ...judged, ...callersTable(report)].join('\n')
}

function callersTable({ results, rivals }: CallersReport): string[] {
  const present = rivals.filter(({ contenders }) => results.some(({ contender }) => contenders.includes(contender)))
  const hasUsual = results.some(({ callers }) => callers === usualCallers)
  const rows = results.map((result) => [
    String(result.callers),
    result.contender,
    cell(medianOf(result, 'requestsPerSecond'), readable),
    ...present.map(({ contenders }) => toRatio(result, fastestOf(results, result.callers, contenders))),
    ...(hasUsual ? [toRatio(result, find(results, usualCallers, result.contender))] : []),
    cell(medianOf(result, 'p50Ms'), (value) => value.toFixed(2)),
    cell(medianOf(result, 'p99Ms'), (value) => value.toFixed(2)),
    cell(medianOf(result, 'cpuSecondsPer1000'), readable),
    cell(loadShare(result), (value) => (value * 100).toFixed(0)),
    cell(result.peakBytes, (bytes) => toMB(bytes).toFixed(0)),
  ])
  const ratios = [...present.map(({ head }) => head), ...(hasUsual ? [`to its own with ${usualCallers}`] : [])]
  const figures = ['p50 ms', 'p99 ms', 'CPU s per 1000 requests', 'load, % of a core', 'peak MB']
  return table(['callers', 'contender', 'requests/s', ...ratios, ...figures], rows, 2)
}

/** Of one core: from 1 on it would be the load that is measured. */
function loadShare(result: CallersResult): number | undefined {
  const rate = medianOf(result, 'requestsPerSecond')
  const cost = medianOf(result, 'loadCpuSecondsPer1000')
  return rate === undefined || cost === undefined ? undefined : (rate * cost) / 1000
}

function targetRows({ results, service, peer }: CallersReport): string[][] {
  const own = results.filter(({ contender }) => contender === service)
  const many = own.filter(({ callers }) => callers > usualCallers)
  const rows = many.flatMap((result) => {
    const measured = ratio(result, find(results, usualCallers, service), 'requests/s')
    const what = `requests/s with ${result.callers} callers, to those with ${usualCallers}`
    return measured === undefined ? [] : [atLeast(what, leastOfUsual, measured)]
  })
  if (peer === undefined) return rows
  const alone = ratio(find(results, 1, service), find(results, 1, peer.contender), 'requests/s')
  if (alone !== undefined)
    rows.push(atLeast(`requests/s of a single caller, to ${peer.contender}`, peer.leastAlone, alone))
  for (const result of many) {
    const measured = ratio(find(results, result.callers, peer.contender), result, 'p99')
    if (measured === undefined) continue
    const what = `p99 with ${result.callers} callers, to that of ${peer.contender}`
    rows.push([what, `at most ${toTimes(peer.mostP99)}`, toTimes(measured), measured <= peer.mostP99 ? 'yes' : 'no'])
  }
  return rows
}

function atLeast(what: string, limit: number, measured: number): string[] {
  return [what, `at least ${toTimes(limit)}`, toTimes(measured), measured >= limit ? 'yes' : 'no']
}

function toTimes(value: number): string {
  return `${value.toFixed(2)} x`
}

function find(results: readonly CallersResult[], count: number, title: string): CallersResult | undefined {
  return results.find(({ callers, contender }) => callers === count && contender === title)
}

function fastestOf(
  results: readonly CallersResult[],
  count: number,
  titles: readonly string[],
): CallersResult | undefined {
  const rate = (result: CallersResult): number => medianOf(result, 'requestsPerSecond') ?? 0
  const present = titles.flatMap((title) => find(results, count, title) ?? [])
  return present.toSorted((a, b) => rate(b) - rate(a))[0]
}

function toRatio(result: CallersResult, other: CallersResult | undefined): string {
  return cell(ratio(result, other, 'requests/s'), (value) => value.toFixed(2))
}

/** Where the result of this scenario is; a run of it alone may write it. */
export function callersMarkers(script: string): Markers {
  const command = `npm run ${script} -- --only ${callersScenario} --write`
  return { begin: `<!-- callers: written by \`${command}\` -->`, end: '<!-- end of callers -->' }
}

export interface CallersPage {
  readonly file: URL
  readonly script: string
  /** For those who do not see the chart. */
  readonly title: string
}

/** The chart goes beside the page. */
export function writeCallers({ file, script, title }: CallersPage, markdown: string, chart: string): void {
  writeFileSync(new URL('callers.svg', file), chart)
  writeBetween(file, callersMarkers(script), `![${title}](callers.svg)\n\n${markdown}`)
}
