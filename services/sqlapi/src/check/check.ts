/** A project -> everything that is to be said about its files. */
import { type Code, codes } from '../findings/codes.ts'
import type { Finding, Remark } from '../findings/finding.ts'
import { severityOf } from '../findings/weights.ts'
import type { Endpoint } from '../model.ts'
import { judge } from '../rules/judge.ts'
import type { Project } from './project.ts'
import { SourceText } from './source-text.ts'

export interface Checked {
  readonly findings: readonly Finding[]
  /** How many files were looked at. */
  readonly files: number
  /** Why not all could be checked, in words; empty where all was. */
  readonly hindrances: readonly string[]
}

export function checkFiles(project: Project): Checked {
  const findings = [...findIgnored(project), ...findInFiles(project)]
  return { findings, files: project.endpoints.size, hindrances: [] }
}

function findIgnored({ ignored, shown, weights }: Project): Finding[] {
  return ignored.flatMap(({ path, cure }) => {
    const remark: Remark = { code: 'ignored-folder', line: 1, column: 1, message: 'not published', cure }
    const severity = severityOf(remark, weights)
    return severity === undefined ? [] : [toFinding(remark, { severity, file: shown(path), text: '' })]
  })
}

function findInFiles(project: Project): Finding[] {
  const lost = findLost(project)
  const source = new SourceText()
  return Array.from(project.endpoints.values()).flatMap((endpoint) => {
    const file = project.shown(endpoint.file)
    const remarks = [...(lost.get(endpoint) ?? []), ...judge(endpoint, project.datasourceOf(endpoint)?.dialect)]
    return remarks.flatMap((remark) => {
      const severity = severityOf(remark, project.weights, endpoint.declarations?.allow)
      const text = severity === undefined ? '' : source.line(project.pathOf(endpoint), remark.line)
      return severity === undefined ? [] : [toFinding(remark, { severity, file, text })]
    })
  })
}

/** Once for each project, at its first file. */
function findLost({ endpoints, datasourceOf }: Project): ReadonlyMap<Endpoint, readonly Remark[]> {
  const found = new Map<Endpoint, readonly Remark[]>()
  for (const [project, files] of Map.groupBy(endpoints.values(), (endpoint) => endpoint.project)) {
    const [first] = files as [Endpoint]
    if (datasourceOf(first) !== undefined) continue
    const message = `project ${JSON.stringify(project)} leads to no datasource${others(files)}`
    found.set(first, [{ code: 'datasource', line: 1, column: 1, message }])
  }
  return found
}

function others({ length }: readonly Endpoint[]): string {
  return length === 1 ? '' : `, and with it ${length - 1} more ${length === 2 ? 'file' : 'files'}`
}

function toFinding(
  { code, line, column, message, cure = cureOf(code) }: Remark,
  { severity, file, text }: Pick<Finding, 'severity' | 'file' | 'text'>,
): Finding {
  return { severity, code, file, line, column, message, text, cure }
}

function cureOf(code: Code): string {
  return codes[code].cure
}
