/** Results -> Markdown. */
import { describeMachine, type Lengths, medianOf, ratio, table as tableLines } from '@services/bench'
import { nameOf, peakOf, rateOf, type Results } from './results.ts'
import { judge } from './targets.ts'
import { type Explained, folderVariable } from '../boot/wsdl.ts'

/** As package.json calls it. */
export const script = 'bench:xroad-proxy'
/** What else the figures depend on. */
export const versions = `OpenSSL ${process.versions.openssl}`
export const readme = new URL('../README.md', import.meta.url)

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

function targetTable(results: Results): string {
  return table(['', 'target', 'measured', 'reached'], judge(results), 3)
}

/** Nothing of no rows. */
function table(heads: readonly string[], rows: readonly (readonly string[])[], texts: number): string {
  return rows.length === 0 ? '' : tableLines(heads, rows, texts).join('\n')
}
