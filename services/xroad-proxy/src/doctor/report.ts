/** Findings -> the text of the report, for people or for programs. Pure. */
import { severities } from './checks.ts'
import type { Finding } from './finding.ts'

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
    field: inOneLine(field),
    headline: inOneLine(headline),
    rationale: inOneLine(rationale),
    recovery: recovery.replaceAll(/[^\P{C}\n]/gu, '\uFFFD'),
  }
}

function inOneLine(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, '\uFFFD')
}
