/** What the next start would make of the WSDL files, as facts; a run of the same code that writes nothing. */
import type { Config } from '../../boot/config/schema.ts'
import type { PendingFiles } from '../../boot/dsl/endpoints.ts'
import { type Ingested, ingestWsdls, type WsdlReport } from '../../boot/ingest/ingest.ts'

export interface WsdlFacts {
  readonly findings: readonly WsdlFinding[]
  /** What is odd about the directory, and about WSDLs and sidecars as a whole; each begins with its file. */
  readonly remarks: readonly string[]
  /** DSL files as the start will make them. */
  readonly pending: PendingFiles
  /** What DSL files stand for, by which their answers have types. */
  readonly sources: Pick<Ingested, 'generated' | 'replaced'>
}

export interface WsdlFinding {
  readonly file: string
  /** Undefined for a file without one: a link, or a sidecar that names its own. */
  readonly line?: number | undefined
  /** Empty for the WSDL as a whole. */
  readonly operation: string
  readonly outcome: 'generated' | 'skipped'
  /** In words; empty for what was generated. */
  readonly reason: string
  /** The whole WSDL is skipped, because its sidecar names another member or subsystem. */
  readonly isOfOther?: boolean
  /** Why X-Road will refuse the call: what its service code and its element are. */
  readonly mismatch?: string | undefined
}

export const noWsdls: WsdlFacts = {
  findings: [],
  remarks: [],
  pending: new Map(),
  sources: { generated: new Map(), replaced: new Map() },
}

export function findWsdls({ wsdlWatchDir: dir, dslPath, client, clients, wsdl }: Config): WsdlFacts {
  if (dir === undefined) return noWsdls
  const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
  const ingested = ingestWsdls({ dir, dslPath, client, clients, allowHttp, hostAllowlist, write: false })
  const { report, remarks, pending } = ingested
  return { findings: report.flatMap(toFindings), remarks, pending, sources: ingested }
}

function toFindings({ file, line, problem, isOfOther, operations }: WsdlReport): readonly WsdlFinding[] {
  if (problem !== undefined) return [{ file, line, operation: '', outcome: 'skipped', reason: problem, isOfOther }]
  // One with a hand-written file has its endpoint, as its owner wants it.
  const others = operations.filter(({ reason }) => reason !== 'hand_written')
  return others.map(({ name, file: place, line: at, outcome, words, mismatch }) => {
    return { file: place, line: at, operation: name, outcome, reason: words, mismatch }
  })
}
