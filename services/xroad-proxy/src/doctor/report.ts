/**
 * Findings -> the text of the report, for people, for programs, or as annotations of a change in GitHub Actions. Pure.
 */
import { relative, resolve, sep } from 'node:path'
import { type Annotation, toAnnotation, toPlainLine } from '@services/command-line'
import { severities } from './checks.ts'
import type { ConfigFacts } from './facts/facts.ts'
import type { Finding, Severity } from './finding.ts'

export function toJson(findings: readonly Finding[]): string {
  return `${JSON.stringify(findings.map(toPlain), undefined, 2)}\n`
}

export function toText(findings: readonly Finding[]): string {
  const counts = severities.map((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return `${count} ${severity}`
  })
  return `${findings.map((finding) => `${toBlock(toPlain(finding))}\n`).join('\n')}\n${counts.join(', ')}\n`
}

function toBlock({ severity, code, field, headline, rationale, recovery }: Finding): string {
  const lines = [
    `${severity.padEnd(severityWidth)} ${code}${field === '' ? '' : `  ${field}`}`,
    `      ${headline}`,
    `      Why: ${rationale}`,
    ...(recovery === '' ? [] : [`      Do:  ${recovery.trimEnd()}`]),
  ]
  return lines.join('\n')
}

const severityWidth = 5

/** File names, certificates and answers of others may hold what a terminal would obey. */
function toPlain({ severity, code, field, headline, rationale, recovery }: Finding): Finding {
  return {
    severity,
    code,
    field: toPlainLine(field),
    headline: toPlainLine(headline),
    rationale: toPlainLine(rationale),
    recovery: recovery.replaceAll(/[^\P{C}\n]/gu, '\uFFFD'),
  }
}

const levels = {
  FATAL: 'error',
  BREAK: 'error',
  WEAK: 'warning',
  INFO: 'notice',
} as const satisfies Record<Severity, Annotation['level']>

export interface Places {
  readonly config: Pick<ConfigFacts, 'file' | 'lineOf'>
  readonly cwd: string
}

/**
 * Each is at the line that it is about: that of the configuration for a field, that of another file where the
 * message begins with one.
 */
export function toAnnotations(findings: readonly Finding[], places: Places): string {
  return findings.map((finding) => toAnnotation(annotate(finding, places))).join('')
}

function annotate(finding: Finding, places: Places): Annotation {
  const { severity, code, headline, recovery } = finding
  const [cure = ''] = recovery.split('\n')
  // Nothing has to be done about an observation.
  const advice = severity === 'INFO' || cure === '' ? '' : ` (${cure})`
  return { level: levels[severity], ...placeOf(finding, places), message: toPlainLine(`${code}: ${headline}${advice}`) }
}

/** `file.yml:3: ` or `file.wsdl:3:14: ` somewhere in a message. */
const placeInText = /(?:^|: | )([^\s:"]+\.(?:ya?ml|wsdl|xsd)):(\d+)(?::\d+)?: /
const fileInField = /^(.+\.(?:ya?ml|wsdl|xsd))(?:: |$)/

function placeOf({ field, headline }: Finding, { config, cwd }: Places): Pick<Annotation, 'file' | 'line'> {
  const [, named, line] = placeInText.exec(headline) ?? []
  if (named !== undefined) return at(named, Number(line), cwd)
  const [, file] = fileInField.exec(field) ?? []
  if (file !== undefined) return at(file, 1, cwd)
  return config.file === undefined ? {} : at(config.file, config.lineOf(field), cwd)
}

/** Nothing for a file that is not part of the change. */
function at(file: string, line: number, cwd: string): Pick<Annotation, 'file' | 'line'> {
  const path = relative(cwd, resolve(cwd, file))
  return path.startsWith('..') || path === '' ? {} : { file: path.split(sep).join('/'), line }
}
