/** Findings -> the text of a report, in one of the formats that the command line offers. Pure. */
import type { Severity } from './codes.ts'
import type { Report } from './finding.ts'
import { inOneLine } from './plain.ts'
import { toText } from './text-report.ts'

export const reports = {
  text: toText,
  json: toJson,
  github: toWorkflowCommands,
} as const satisfies Record<string, (report: Report) => string>

export type ReportFormat = keyof typeof reports

export const reportFormats = Object.keys(reports) as [ReportFormat, ...ReportFormat[]]

/** An array, one finding a line, so that `grep` and `diff` are of use too. */
function toJson({ findings }: Report): string {
  const lines = findings.map((finding) => `  ${JSON.stringify(finding)}`)
  return lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`
}

const levels = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<Severity, string>

/** Workflow commands of GitHub Actions, which become annotations of a change. */
function toWorkflowCommands({ findings }: Report): string {
  const lines = findings.map(({ severity, code, file, line, column, message, cure }) => {
    const told = escapeData(inOneLine(`${code}: ${message} (${cure})`))
    return `::${levels[severity]} file=${escapeProperty(file)},line=${line},col=${column}::${told}\n`
  })
  return lines.join('')
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
