/** Results -> Markdown. */
import { describeMachine, type Lengths, medianOf, ratio, readable, table, toMiB } from '@services/bench'
import type { BootResult } from '../boot/boot.ts'
import type { MillionResult } from '../million.ts'
import { contenderTitles } from '../scenarios/scenario.ts'
import { judge, type RaceResult, type Results } from './targets.ts'

export interface Circumstances extends Lengths {
  readonly postgresVersion: string
  /** Lines about who is missing and why. */
  readonly absences: readonly string[]
}

export function toMarkdown(results: Results, circumstances: Circumstances): string {
  const { races, million, boots } = results
  const sections = [
    [describe(circumstances)],
    targetTable(results),
    races.length === 0 ? [] : raceTable(races),
    million.length === 0 ? [] : millionTable(million),
    boots.length === 0 ? [] : bootTable(boots),
  ]
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n')
}

function describe({ rounds, seconds, postgresVersion, absences }: Circumstances): string {
  const facts = `${describeMachine(`PostgreSQL ${postgresVersion}`)}; ${rounds} rounds of ${seconds} s (medians)`
  return [facts, ...absences].map((sentence) => `${sentence}.`).join(' ')
}

function targetTable(results: Results): string[] {
  const rows = judge(results).map(({ what, target, measured, isReached }) => [
    what,
    target,
    measured,
    isReached ? 'yes' : 'no',
  ])
  return rows.length === 0 ? [] : table(['', 'target', 'measured', 'reached'], rows, 4)
}

function raceTable(races: readonly RaceResult[]): string[] {
  const rows = races.flatMap(({ scenario, results }) => {
    const referee = results.find(({ contender }) => contender === contenderTitles[scenario.reference])
    return results.map((result) => [
      scenario.title,
      result.contender,
      figure(medianOf(result, 'requestsPerSecond')),
      number(ratio(result, referee, scenario.merit), 2),
      number(medianOf(result, 'p50Ms'), 2),
      number(medianOf(result, 'p99Ms'), 2),
      number(medianOf(result, 'aloneP99Ms'), 2),
      figure(medianOf(result, 'cpuSecondsPer1000')),
      number(result.peakBytes === undefined ? undefined : toMiB(result.peakBytes), 0),
    ])
  })
  const times = ['p50 ms', 'p99 ms', 'p99 ms alone']
  return table(
    ['scenario', 'contender', 'requests/s', 'ratio', ...times, 'CPU s per 1000 requests', 'peak MiB'],
    rows,
    2,
  )
}

function millionTable(million: readonly MillionResult[]): string[] {
  const rows = million.map(({ contender, rows, bytes, seconds, firstByteSeconds, peakMiB }) => [
    `${rows} rows, ${Math.round(bytes / 1e6)} MB`,
    contender,
    number(seconds, 2),
    number(firstByteSeconds, 2),
    number(peakMiB, 0),
  ])
  return table(['one answer', 'contender', 's', 's until it begins', 'peak MiB'], rows, 2)
}

function bootTable(boots: readonly BootResult[]): string[] {
  const rows = boots.map(({ files, bytes, seconds, fastestSeconds, slowestSeconds, cpuSeconds, peakMiB }) => [
    files.toString(),
    Math.ceil(bytes / 1024).toString(),
    number(seconds, 2),
    number(fastestSeconds, 2),
    number(slowestSeconds, 2),
    number(cpuSeconds, 2),
    number(peakMiB, 0),
  ])
  return table(['boot: files', 'KiB', 'median s', 'fastest s', 'slowest s', 'CPU s', 'peak MiB'], rows, 0)
}

function figure(value: number | undefined): string {
  return value === undefined ? '' : readable(value)
}

function number(value: number | undefined, digits: number): string {
  return value === undefined ? '' : value.toFixed(digits)
}
