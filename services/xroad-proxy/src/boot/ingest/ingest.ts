/**
 * The WSDL directory -> DSL files below `dsl_path`, once at each start and before those are read. Every problem is a
 * WARN, none stops the start. survey.ts decides what one WSDL gives, output.ts what may be written; this file is their
 * order.
 */
import { join } from 'node:path'
import { finish, type Steps } from '../../steps.ts'
import type { PendingFiles } from '../dsl/endpoints.ts'
import { tellMade } from '../dsl/missing-directory.ts'
import type { Operation, Wsdl } from '../../wsdl/operations/operations.ts'
import { describeSkip, skipReasons } from '../../wsdl/operations/reasons.ts'
import type { RequestElement } from '../../wsdl/request/request.ts'
import { listWsdls, type ListedWsdl } from './folder.ts'
import { settleImports } from './imports.ts'
import { removeLeftovers } from './leftovers.ts'
import { SurveyMemory } from './survey-memory.ts'
import type { Circumstances } from './destination.ts'
import { DslOutput, type Outcome, outputReasons } from './output.ts'
import { type GeneratedOperation, type SurveyedWsdl, surveyWsdlInSteps } from './survey.ts'

export interface IngestOptions extends Circumstances {
  /** `wsdl_watch_dir` */
  readonly dir: string
  readonly dslPath: string
  /** False: everything is reported and nothing changed. */
  readonly write: boolean
  /** Whether somebody has named the DSL directory, which should be there then. */
  readonly isDslPathGiven?: boolean
}

export interface Ingested {
  /** One WARN each. */
  readonly warnings: readonly string[]
  /** Those of them that the report does not say as well. */
  readonly remarks: readonly string[]
  /** What a run that writes would have changed; nothing after one that has. */
  readonly pending: PendingFiles
  /** Folders that could not be read, below the directory; `/` alone stands for all of it. */
  readonly unread: readonly string[]
  readonly report: readonly WsdlReport[]
  /** DSL file, as the loaded endpoints name it -> what it was made from. */
  readonly generated: ReadonlyMap<string, GeneratedFrom>
  /** The same for files that were written by hand and replace a generated one. */
  readonly replaced: ReadonlyMap<string, GeneratedFrom>
  /** One for each WSDL: the same as long as nothing that it is made of has changed. */
  readonly keys: readonly string[]
}

/** Read from its WSDL where that is not at hand, except for the first three. */
export interface GeneratedFrom {
  /** Name of the operation. */
  readonly name: string
  /** The WSDL, relative to the directory. */
  readonly source: string
  /** The same as long as nothing that the WSDL is made of has changed; undefined where that is not known. */
  readonly key: string | undefined
  readonly wsdl: Wsdl
  readonly operation: Operation
  readonly request: RequestElement
  /** What its request could hold and cannot be sent. */
  readonly notes: readonly string[]
  /** Reads the WSDL ahead, in steps. */
  prepare(): Steps<void>
}

/** What was found out about a WSDL, and what became of its operations. */
export interface WsdlReport extends Pick<SurveyedWsdl, 'problem' | 'line' | 'isOfOther' | 'isRead' | 'missing'> {
  /** With the directory. */
  readonly file: string
  readonly operations: readonly OperationReport[]
}

export interface OperationReport {
  readonly name: string
  /** The WSDL that it is in, with the directory: the one of the report, or one that this imports. */
  readonly file: string
  readonly line: number
  readonly outcome: 'generated' | 'skipped'
  /** A code of `skipReasons` or `outputReasons`; empty for what was generated. */
  readonly reason: string
  /** The reason in words that follow the name; empty for what was generated. */
  readonly words: string
  /** How the endpoint calls; undefined without one. */
  readonly lane: GeneratedOperation['lane'] | undefined
  /** Why X-Road refuses the call, though there is an endpoint. */
  readonly mismatch: string | undefined
}

export function ingestWsdls(options: IngestOptions): Ingested {
  return finish(ingestWsdlsInSteps(options))
}

export function* ingestWsdlsInSteps(options: IngestOptions): Steps<Ingested> {
  const { dir, dslPath, write, isDslPathGiven = false } = options
  if (write) removeLeftovers(dslPath)
  const { wsdls, unread, warnings: found } = listWsdls(dir)
  // A directory that is not there says nothing about what was generated from it.
  if (unread.includes('/')) return { ...nothing, warnings: found, remarks: found, unread }
  const made = write && wsdls.length > 0 ? tellMade(dslPath, isDslPathGiven) : []
  const warnings = [...found, ...made]
  const remarks = [...found]
  const output = new DslOutput({ dslPath, write })
  const generated = new Map<string, GeneratedFrom>()
  const replaced = new Map<string, GeneratedFrom>()
  const kept = new Set<string>()
  const memory = write ? new SurveyMemory(dir, dslPath, options) : undefined
  const all: SurveyedWsdl[] = []
  for (const { file } of wsdls) all.push(yield* memory?.survey(file) ?? surveyWsdlInSteps(dir, file, options))
  const surveys = new Map(settleImports(dir, all).map((survey) => [survey.file, survey]))
  const report: WsdlReport[] = []
  for (const place of wsdls) {
    const surveyed = surveys.get(place.file)
    if (surveyed === undefined) continue
    if (!surveyed.isRead) kept.add(place.file)
    const { operations, warnings: refusals } = yield* putAll(surveyed, place, {
      dir,
      output,
      generated,
      replaced,
      key: memory?.keys.get(place.file),
    })
    warnings.push(...surveyed.warnings, ...refusals)
    remarks.push(...surveyed.warnings.filter((warning) => !surveyed.repeated.includes(warning)))
    const { problem, line, isOfOther, isRead, missing } = surveyed
    report.push({ file: join(dir, place.file), problem, line, isOfOther, isRead, missing, operations })
  }
  memory?.tidy()
  const isGone = (wsdl: string): boolean => !kept.has(wsdl) && !unread.some((folder) => wsdl.startsWith(folder))
  const removed = yield* output.removeRest(isGone)
  return {
    warnings: [...warnings, ...removed],
    remarks: [...remarks, ...removed],
    pending: output.pending,
    unread,
    report,
    generated,
    replaced,
    keys: [...(memory?.keys.values() ?? [])],
  }
}

const nothing = { pending: new Map(), report: [], generated: new Map(), replaced: new Map(), keys: [] } as const

/** What became of an operation, for a table. */
export function toReport(operation: SurveyedWsdl['operations'][number], dir: string): OperationReport {
  const { name, line } = operation
  const place = { name, file: join(dir, operation.file), line }
  if (operation.kind === 'generated') {
    const { lane, mismatch } = operation
    return { ...place, outcome: 'generated', reason: '', words: '', lane, mismatch }
  }
  const { reason, detail } = operation
  return toRefusal(place, reason, `${skipReasons[reason]}${detail === '' ? '' : `: ${detail}`}`)
}

interface IngestRun {
  readonly dir: string
  readonly output: DslOutput
  readonly generated: Map<string, GeneratedFrom>
  readonly replaced: Map<string, GeneratedFrom>
  readonly key: string | undefined
}

function* putAll(
  { operations }: SurveyedWsdl,
  { file, owner, subsystem }: ListedWsdl,
  { dir, output, generated, replaced, key }: IngestRun,
): Steps<{ operations: readonly OperationReport[]; warnings: readonly string[] }> {
  const warnings: string[] = []
  const unwritten = new Map<string, number>()
  const put = (operation: SurveyedWsdl['operations'][number]): OperationReport => {
    if (operation.kind === 'skipped') {
      warnings.push(`${join(dir, operation.file)}:${operation.line}: ${describeSkip(operation)}; it gets no endpoint`)
      return toReport(operation, dir)
    }
    const service = subsystem === undefined ? operation.name : `${subsystem}-${operation.name}`
    const outcome = output.put(owner, service, join(dir, file), {
      digest: operation.digest,
      read: () => operation.open().dsl.text,
    })
    const from = toSource(operation, file, key)
    if (outcome.kind === 'written') {
      generated.set(outcome.path, from)
      return toReport(operation, dir)
    }
    const { reason, detail } = outcome
    if (reason === 'hand_written') replaced.set(detail, from)
    // A directory that nobody may write to is one thing to say, not one for each operation.
    if (reason === 'not_written') unwritten.set(detail, (unwritten.get(detail) ?? 0) + 1)
    else
      warnings.push(
        `${join(dir, operation.file)}:${operation.line}: operation ${operation.name} ${wordsOf(outcome)}; nothing is generated`,
      )
    return toRefusal(toReport(operation, dir), reason, wordsOf(outcome))
  }
  const reports: OperationReport[] = []
  for (const operation of operations) {
    yield
    reports.push(put(operation))
  }
  for (const [code, count] of unwritten) {
    warnings.push(`${join(dir, file)}: ${count} DSL files cannot be written (${code}); those that are there are used`)
  }
  return { operations: reports, warnings }
}

function toSource(operation: GeneratedOperation, source: string, key: string | undefined): GeneratedFrom {
  return {
    name: operation.name,
    source,
    key,
    prepare: () => operation.prepare(),
    get wsdl() {
      return operation.open().wsdl
    },
    get operation() {
      return operation.open().operation
    },
    get request() {
      return operation.open().dsl.request
    },
    get notes() {
      return operation.open().dsl.notes
    },
  }
}

function wordsOf({ reason, detail }: Extract<Outcome, { kind: 'refused' }>): string {
  return `${outputReasons[reason]}: ${detail}`
}

function toRefusal(
  { name, file, line }: Pick<OperationReport, 'name' | 'file' | 'line'>,
  reason: string,
  words: string,
): OperationReport {
  return { name, file, line, outcome: 'skipped', reason, words, lane: undefined, mismatch: undefined }
}
