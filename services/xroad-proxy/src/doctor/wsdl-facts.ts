/** What the next start would make of the WSDL files, as facts; a run of the same code that writes nothing. */
import type { Config } from '../boot/config/schema.ts'
import { ingestWsdls } from '../boot/ingest/ingest.ts'
import type { WsdlFinding } from './facts.ts'

export function findWsdls({ wsdlWatchDir: dir, dslPath, client, wsdl }: Config): readonly WsdlFinding[] {
  if (dir === undefined) return []
  const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
  const { report } = ingestWsdls({ dir, dslPath, client, allowHttp, hostAllowlist, write: false })
  return report.flatMap(({ file, problem, isOfOther, operations }): readonly WsdlFinding[] => {
    if (problem !== undefined) return [{ file, operation: '', outcome: 'skipped', reason: problem, isOfOther }]
    // One with a hand-written file has its endpoint, as its owner wants it.
    const others = operations.filter(({ reason }) => reason !== 'hand_written')
    return others.map(({ name, outcome, words, lane }) => ({ file, operation: name, outcome, reason: words, lane }))
  })
}
