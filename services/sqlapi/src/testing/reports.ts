/** Outcomes -> text for people, or JUnit XML for build servers. Pure. */
import type { Outcome } from './run.ts'

export interface TestReport {
  /** In the order of files and cases. */
  readonly outcomes: readonly Outcome[]
  /** Endpoints that no case calls. */
  readonly uncalled: readonly string[]
  /** On what the cases ran, in words. */
  readonly where: string
  readonly ms: number
}

export const reports = { text: toText, junit: toJUnit } as const satisfies Record<
  string,
  (report: TestReport) => string
>

function toText({ outcomes, uncalled, where, ms }: TestReport): string {
  const blocks = Array.from(
    Map.groupBy(outcomes, ({ file }) => file),
    ([file, own]) => {
      return [file, ...own.flatMap(toLines), ''].join('\n')
    },
  )
  const failed = outcomes.filter(({ problems }) => problems.length > 0).length
  const summary = `${count(outcomes.length, 'case')}, ${failed} failed, in ${seconds(ms)} s, on ${where}`
  return `${[...blocks, ...tellUncalled(uncalled), summary].join('\n')}\n`
}

function toLines({ given: { name, line, request }, problems, ms }: Outcome): string[] {
  if (problems.length === 0) return [`  ok    ${name} (${seconds(ms)} s)`]
  const { method, path, query } = request
  return [
    `  FAIL  ${name} (line ${line})`,
    `        ${method} ${path}${query}`,
    ...problems.map((each) => `        ${each}`),
  ]
}

function tellUncalled(uncalled: readonly string[]): string[] {
  return uncalled.length === 0 ? [] : ['Without a case:', ...uncalled.map((endpoint) => `  ${endpoint}`), '']
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}

function toJUnit({ outcomes, uncalled, where, ms }: TestReport): string {
  const failures = outcomes.filter(({ problems }) => problems.length > 0).length
  const suites = Array.from(
    Map.groupBy(outcomes, ({ file }) => file),
    ([file, own]) => toSuite(file, own),
  )
  const said = [`on ${where}`, ...tellUncalled(uncalled)].join('\n')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${outcomes.length}" failures="${failures}" time="${seconds(ms)}">`,
    ...suites,
    `  <system-out>${escapeXml(said)}</system-out>`,
    '</testsuites>',
    '',
  ].join('\n')
}

function toSuite(file: string, outcomes: readonly Outcome[]): string {
  const failures = outcomes.filter(({ problems }) => problems.length > 0).length
  const head = `  <testsuite name="${escapeXml(file)}" tests="${outcomes.length}" failures="${failures}">`
  return [head, ...outcomes.map(toTestCase), '  </testsuite>'].join('\n')
}

function toTestCase({ file, given: { name, line }, problems, ms }: Outcome): string {
  const head = `    <testcase classname="${escapeXml(file)}" name="${escapeXml(name)}" file="${escapeXml(file)}" line="${line}" time="${seconds(ms)}"`
  if (problems.length === 0) return `${head}/>`
  const [message = ''] = problems
  return `${head}>\n      <failure message="${escapeXml(message)}">${escapeXml(problems.join('\n'))}</failure>\n    </testcase>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** What XML cannot hold at all becomes a replacement character. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => entities[character] as string)
}
