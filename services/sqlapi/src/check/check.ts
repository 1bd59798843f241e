/**
 * A project -> everything to say about its files: what shows by their words, and what their databases say.
 * The heart of the command, and of a start that refuses wrong files.
 */
import type { Datasource } from '../boot/config/config.ts'
import { cureOfProject } from '../boot/project-names.ts'
import type { OfflineDescription, StatementDescription } from '../description.ts'
import { codes } from '../findings/codes.ts'
import { compareFindings, type Finding, type Remark } from '../findings/finding.ts'
import { severityOf } from '../findings/weights.ts'
import type { AllowedFinding, Dialect, Endpoint, Script } from '../model.ts'
import { judge } from '../rules/judge.ts'
import { type Asked, askAbout, type AskOptions, parseFiles } from './databases.ts'
import { remarksOnDeclarations } from './declared.ts'
import { remarksOf } from './described.ts'
import { slowPlans } from './plans.ts'
import type { Project } from './project.ts'
import type { ProjectLock } from './project-lock.ts'
import { SourceText } from './source-text.ts'

export interface Checked {
  /** In the order in which they should be read. */
  readonly findings: readonly Finding[]
  /** How many files were looked at. */
  readonly files: number
  /** Why not all could be checked, in words; empty where all was. */
  readonly hindrances: readonly string[]
  /** What the databases have said of each statement; files without a datasource are not in it. */
  readonly descriptions: ReadonlyMap<Endpoint, readonly StatementDescription[]>
}

export interface CheckOptions {
  /** Whether to look at plans too. */
  readonly explain?: boolean
  /** Told now and then how many files have been checked. */
  readonly onProgress?: (files: number) => void
  /** Whether to do without databases. */
  readonly offline?: boolean
  readonly lock?: ProjectLock
}

export async function checkFiles(project: Project, options: CheckOptions = {}): Promise<Checked> {
  const { explain = false, onProgress, offline = false, lock } = options
  let done = 0
  const onAsked = (files: number): void => onProgress?.((done += files))
  const groups = Map.groupBy(project.endpoints.values(), project.datasourceOf)
  const asked = await (offline
    ? parseAll(groups)
    : askAll(groups, { explain, isRough: lock?.wantsTypes !== true, onAsked }))
  const lost = findLost(project)
  const source = new SourceText()
  const findings = [...findRefused(project), ...findIgnored(project), ...findInLock(project, lock, source)]
  for (const [datasource, endpoints] of groups) {
    for (const endpoint of endpoints) {
      const dialect = datasource?.dialect
      const said = datasource && asked.get(datasource)
      const remarks = [
        ...(lost.get(endpoint) ?? []),
        ...remarksOn(endpoint, dialect, said),
        ...(lock?.remarksOn(endpoint, dialect, said?.descriptions.get(endpoint)) ?? []),
      ]
      findings.push(...toFindings(endpoint, remarks, project, source))
    }
  }
  return {
    findings: findings.toSorted(compareFindings),
    files: project.endpoints.size + new Set(project.refusals.flatMap(({ files }) => files)).size,
    hindrances: Array.from(asked.values()).flatMap(({ hindrance }) => hindrance ?? []),
    descriptions: new Map(Array.from(asked.values()).flatMap(({ descriptions }) => Array.from(descriptions))),
  }
}

/** All databases at the same time. */
async function askAll(
  groups: ReadonlyMap<Datasource | undefined, readonly Endpoint[]>,
  options: AskOptions,
): Promise<ReadonlyMap<Datasource, Asked>> {
  const asked = Array.from(groups).flatMap(([datasource, endpoints]) => {
    if (datasource === undefined) return []
    return askAbout(datasource, endpoints, options).then((said): [Datasource, Asked] => [datasource, said])
  })
  return new Map(await Promise.all(asked))
}

/** Without databases: what parsers say. */
async function parseAll(
  groups: ReadonlyMap<Datasource | undefined, readonly Endpoint[]>,
): Promise<ReadonlyMap<Datasource, Asked>> {
  const all = new Map<Datasource, Asked>()
  for (const [datasource, endpoints] of groups) {
    if (datasource === undefined) continue
    const parsed = await parseFiles(datasource, endpoints)
    all.set(datasource, { descriptions: new Map(), parsed, scans: new Map(), names: undefined, hindrance: undefined })
  }
  return all
}

function remarksOn(endpoint: Endpoint, dialect: Dialect | undefined, asked: Asked | undefined): Remark[] {
  const judged = judge(endpoint, dialect)
  judged.push(...remarksOnDeclarations(endpoint, asked?.descriptions.get(endpoint)))
  const descriptions = asked?.descriptions.get(endpoint) ?? asked?.parsed?.get(endpoint)
  if (dialect === undefined || descriptions === undefined) return judged
  const script = endpoint.scripts[dialect] as Script
  const said = remarksOf({ script, dialect, descriptions, names: asked?.names })
  // What no database reads was taken for something unknown by its first word.
  const unread = script.statements.filter((_, index) => isUnread(descriptions[index]))
  const isEcho = ({ code, line, column }: Remark): boolean =>
    code === 'session-change' && unread.some((statement) => statement.line === line && statement.column === column)
  const slow = script.statements.flatMap((statement) =>
    slowPlans(statement, dialect, asked?.scans.get(statement) ?? []),
  )
  return [...judged.filter((remark) => !isEcho(remark)), ...said, ...slow]
}

function isUnread(description: StatementDescription | OfflineDescription | undefined): boolean {
  return description?.outcome === 'failed' && description.mistake === 'syntax'
}

/** What to report about them, with what a reader wants to see. */
function toFindings(endpoint: Endpoint, remarks: readonly Remark[], project: Project, source: SourceText): Finding[] {
  const file = project.shown(endpoint.file)
  const { allow } = endpoint.declarations ?? {}
  return remarks.flatMap((remark) =>
    toFinding(remark, { file, text: source.line(project.pathOf(endpoint), remark.line) }, project, allow),
  )
}

/** At the lock file; what is wrong with its entries is at their `.sql` files. */
function findInLock(project: Project, lock: ProjectLock | undefined, source: SourceText): Finding[] {
  const { lockFile, shown } = project
  return (lock?.remarks() ?? []).flatMap((remark) =>
    toFinding(remark, { file: shown(lockFile), text: source.line(lockFile, remark.line) }, project),
  )
}

/** At each of the files that a refusal is about. */
function findRefused(project: Project): Finding[] {
  const { refusals, shown } = project
  return refusals.flatMap(({ files, problem, cure }) =>
    files.flatMap((file) => {
      const others = files.filter((each) => each !== file).map((each) => shown(each))
      const message = others.length === 0 ? problem : `this file and ${others.join(' and ')} ${problem}`
      return toFinding({ code: 'file', line: 1, column: 1, message, cure }, { file: shown(file), text: '' }, project)
    }),
  )
}

function findIgnored(project: Project): Finding[] {
  const { ignored, shown } = project
  return ignored.flatMap(({ path, cure }) => {
    const remark: Remark = { code: 'ignored-folder', line: 1, column: 1, message: 'not published', cure }
    return toFinding(remark, { file: shown(path), text: '' }, project)
  })
}

/** Once for each project, at the first file that does not allow it. */
function findLost({ endpoints, datasources, datasourceOf }: Project): ReadonlyMap<Endpoint, readonly Remark[]> {
  const found = new Map<Endpoint, readonly Remark[]>()
  for (const [project, files] of Map.groupBy(endpoints.values(), (endpoint) => endpoint.project)) {
    const first = files.find(
      ({ declarations }) => declarations?.allow.some(({ code }) => code === 'datasource') !== true,
    )
    if (first === undefined || datasourceOf(first) !== undefined) continue
    const message = `project ${JSON.stringify(project)} leads to no datasource${others(files)}`
    const cure = cureOfProject(project, datasources)
    found.set(first, [{ code: 'datasource', line: 1, column: 1, message, cure }])
  }
  return found
}

function others({ length }: readonly Endpoint[]): string {
  return length === 1 ? '' : `, and with it ${length - 1} more ${length === 2 ? 'file' : 'files'}`
}

/** Nothing where the project, or the file by its `allow`, does not want to hear it. */
function toFinding(
  remark: Remark,
  { file, text }: Pick<Finding, 'file' | 'text'>,
  { weights }: Pick<Project, 'weights'>,
  allow?: readonly AllowedFinding[],
): Finding[] {
  const { code, line, column, message, cure = codes[code].cure } = remark
  const severity = severityOf(remark, weights, allow)
  return severity === undefined ? [] : [{ severity, code, file, line, column, message, text, cure }]
}
