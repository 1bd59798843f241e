/** What the next start would make of the WSDL files, as facts; a run of the same code that writes nothing. */
import type { Config } from '../boot/config/schema.ts'
import { ingestWsdls } from '../boot/ingest/ingest.ts'

export interface WsdlFinding {
  readonly file: string
  readonly operation: string
  readonly outcome: 'generated' | 'skipped'
  /** In words; empty for what was generated. */
  readonly reason: string
  /** The whole WSDL is skipped, because its sidecar names another member or subsystem. */
  readonly isOfOther?: boolean
  /** How the endpoint will call; undefined without one. */
  readonly lane?: 'securityServer' | 'direct' | undefined
  /** Why X-Road will refuse the call: what its service code and its element are. */
  readonly mismatch?: string | undefined
}

export function findWsdls({ wsdlWatchDir: dir, dslPath, client, clients, wsdl }: Config): readonly WsdlFinding[] {
  if (dir === undefined) return []
  const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
  const { report } = ingestWsdls({ dir, dslPath, client, clients, allowHttp, hostAllowlist, write: false })
  return report.flatMap(({ file, problem, isOfOther, operations }): readonly WsdlFinding[] => {
    if (problem !== undefined) return [{ file, operation: '', outcome: 'skipped', reason: problem, isOfOther }]
    // One with a hand-written file has its endpoint, as its owner wants it.
    const others = operations.filter(({ reason }) => reason !== 'hand_written')
    return others.map(({ name, outcome, words, lane, mismatch }) => {
      return { file, operation: name, outcome, reason: words, lane, mismatch }
    })
  })
}
