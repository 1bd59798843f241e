/** Results -> Markdown, and its place in README.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { type BootResult, bootTarget } from './boot.ts'
import type { Lengths, Result } from './race.ts'
import type { Scenario } from './scenarios.ts'

export interface ScenarioResult {
  readonly scenario: Scenario
  readonly results: readonly Result[]
}

export interface Circumstances extends Lengths {
  readonly postgresVersion: string
}

const readme = new URL('README.md', import.meta.url)
const begin = '<!-- results: written by `npm run bench:sqlapi -- --write` -->'
const end = '<!-- end of results -->'

export function toMarkdown(
  races: readonly ScenarioResult[],
  boots: readonly BootResult[],
  circumstances: Circumstances,
): string {
  return [
    describe(circumstances),
    races.length === 0 ? '' : raceTable(races),
    boots.length === 0 ? '' : bootTable(boots),
    targetTable(races, boots),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

export function writeReadme(markdown: string): void {
  const text = readFileSync(readme, 'utf8')
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error('README.md has lost its markers')
  writeFileSync(readme, `${text.slice(0, from)}${begin}\n\n${markdown}\n\n${text.slice(to)}`)
}

function describe({ rounds, seconds, postgresVersion }: Circumstances): string {
  const [first] = cpus()
  const machine = `${first?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const versions = `Node.js ${process.versions.node}, PostgreSQL ${postgresVersion}`
  const date = new Date().toISOString().slice(0, 10)
  return `${date}; ${machine}; ${process.platform} ${process.arch}; ${versions}; ${rounds} rounds of ${seconds} s (medians).`
}

function raceTable(races: readonly ScenarioResult[]): string {
  const rows = races.flatMap(({ scenario, results }) =>
    results.map((result) => [
      scenario.title,
      result.contender,
      Math.round(result.requestsPerSecond).toString(),
      result.ratio.toFixed(2),
      result.p50Ms.toFixed(2),
      result.p99Ms.toFixed(2),
      result.cpuSecondsPer1000.toFixed(3),
      result.peakMiB.toFixed(0),
    ]),
  )
  const heads = ['contender', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU s per 1000 requests', 'peak MiB']
  return table(['scenario', ...heads], rows, 2)
}

function bootTable(boots: readonly BootResult[]): string {
  const rows = boots.map(({ files, bytes, seconds, fastestSeconds, slowestSeconds, cpuSeconds, peakMiB }) => [
    files.toString(),
    Math.ceil(bytes / 1024).toString(),
    seconds.toFixed(2),
    fastestSeconds.toFixed(2),
    slowestSeconds.toFixed(2),
    cpuSeconds.toFixed(2),
    peakMiB.toFixed(0),
  ])
  return table(['boot: files', 'KiB', 'median s', 'fastest s', 'slowest s', 'CPU s', 'peak MiB'], rows, 0)
}

function targetTable(races: readonly ScenarioResult[], boots: readonly BootResult[]): string {
  const rows = races.flatMap(({ scenario: { title, target }, results: [sqlapi, other] }) => {
    if (target === undefined || sqlapi === undefined || other === undefined) return []
    const rates = `${Math.round(sqlapi.requestsPerSecond)}/s to ${Math.round(other.requestsPerSecond)}/s`
    return [[title, target.text, `${sqlapi.ratio.toFixed(2)} x (${rates})`, verdict(sqlapi.ratio >= target.ratio)]]
  })
  const boot = boots.find(({ files }) => files === bootTarget.files)
  if (boot !== undefined) {
    const reached = verdict(boot.seconds < bootTarget.seconds)
    rows.push([`boot of ${boot.files} files`, `< ${bootTarget.seconds} s`, `${boot.seconds.toFixed(2)} s`, reached])
  }
  return rows.length === 0 ? '' : table(['', 'target', 'measured', 'reached'], rows, 3)
}

function verdict(isReached: boolean): string {
  return isReached ? 'yes' : 'no'
}

/** The first `texts` columns are words, the others numbers. */
function table(heads: readonly string[], rows: readonly (readonly string[])[], texts: number): string {
  const rule = heads.map((_, index) => (index < texts ? '---' : '---:'))
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
