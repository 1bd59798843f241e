/**
 * `wsdl explain`: what the next start would make of WSDL files, operation by operation, as text or JSON. Nothing is
 * written. DSL files written by hand, and operations of one name in two WSDL files, are the start's business and not
 * looked at.
 */
import { join } from 'node:path'
import { toPlainLine } from '@services/command-line'
import type { Circumstances } from '../boot/ingest/destination.ts'
import { type OperationReport, toReport, type WsdlReport } from '../boot/ingest/ingest.ts'
import { surveyWsdl } from '../boot/ingest/survey.ts'
import type { FoundWsdl } from './paths.ts'

export interface Explanation extends WsdlReport {
  readonly warnings: readonly string[]
}

export function explain(wsdls: readonly FoundWsdl[], circumstances: Circumstances): readonly Explanation[] {
  return wsdls.map(({ root, file }) => {
    const { problem, isOfOther, isRead, operations, missing, warnings } = surveyWsdl(root, file, circumstances)
    return {
      file: join(root, file),
      problem,
      isOfOther,
      isRead,
      operations: operations.map((operation) => toReport(operation, root)),
      missing,
      warnings,
    }
  })
}

export function toJson(explanations: readonly Explanation[]): string {
  const rows = explanations.map(({ file, problem = '', operations, missing, warnings }) => ({
    file,
    problem,
    operations: operations.map(({ name, file: from, line, outcome, reason, words, lane }) => ({
      name,
      file: from,
      line,
      outcome,
      reason,
      words,
      lane: lane === undefined ? '' : laneNames[lane],
    })),
    missing: missing.map(({ file: from, line, location, problem: why }) => ({
      file: from,
      line,
      location,
      problem: why,
    })),
    warnings,
  }))
  return `${JSON.stringify(rows, undefined, 2)}\n`
}

const laneNames = { securityServer: 'security_server', direct: 'direct' } as const
const laneWords = { securityServer: 'through the Security Server', direct: 'directly to its address' } as const

export function toText(explanations: readonly Explanation[]): string {
  return `${explanations.map(toBlock).join('\n')}${explanations.length === 0 ? '' : '\n'}${summary(explanations)}\n`
}

function toBlock({ file, problem, operations, missing, warnings }: Explanation): string {
  const rows = [
    ...operations.map(
      (operation) => [operation.outcome, operation.name, `line ${operation.line}`, wordsOf(operation, file)] as const,
    ),
    ...missing.map(
      (schema) => ['missing', schema.location, `line ${schema.line}`, `${schema.problem} (in ${schema.file})`] as const,
    ),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => Math.min(row[column]?.length ?? 0, maxWidth))))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  const head = problem === undefined ? `${file}: ${count(operations)}` : `${file}: nothing is generated`
  return [head, ...warnings, ...lines]
    .map((line, index) => `${index === 0 ? '' : '  '}${toPlainLine(line.trimEnd())}\n`)
    .join('')
}

/** Longer cells push their row aside rather than all rows. */
const maxWidth = 48

/** With the file, where the operation is in another one. */
function wordsOf({ words, lane, file }: OperationReport, wsdl: string): string {
  const outcome = lane === undefined ? words : laneWords[lane]
  return file === wsdl ? outcome : `${outcome} (in ${file})`
}

function count(operations: readonly OperationReport[]): string {
  return `${operations.filter(({ outcome }) => outcome === 'generated').length} of ${operations.length} operations generated`
}

function summary(explanations: readonly Explanation[]): string {
  const operations = explanations.flatMap((explanation) => explanation.operations)
  const skipped = Map.groupBy(
    operations.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason }) => reason,
  )
  const reasons = [...skipped]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, { length }]) => `${length} ${reason}`)
  const unread = explanations.filter(({ problem }) => problem !== undefined).length
  const isRemote = explanations.some(({ missing }) => missing.some(({ location }) => /^https?:/i.test(location)))
  const parts = [
    `${explanations.length} WSDL files, ${unread} of them without any operation to read: ${count(operations)}`,
    ...(reasons.length === 0 ? [] : [`skipped: ${reasons.join(', ')}`]),
    ...(isRemote ? ['schemas that are named by address are fetched by: xroad-proxy wsdl vendor PATH'] : []),
  ]
  return parts.join('; ').replace(', 0 of them without any operation to read', '')
}
