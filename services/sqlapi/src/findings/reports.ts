/** Findings -> the text of a report, in one of the formats that the command line offers. Pure. */
import { toAnnotation } from '@services/command-line'
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
    const told = inOneLine(`${code}: ${message} (${cure})`)
    return toAnnotation({ level: levels[severity], file, line, column, message: told })
  })
  return lines.join('')
}
