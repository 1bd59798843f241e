/** Tells the operator, at start, what is wrong with the files as far as that shows without a database. */
import type { Events } from '../events.ts'
import { severityOf, type Weights } from '../findings/weights.ts'
import type { Dialect, Endpoint } from '../model.ts'
import { judge } from '../rules/judge.ts'

export interface Judged {
  readonly endpoints: Iterable<Endpoint>
  /** Of the datasource that the project leads to; nothing where it leads to none. */
  readonly dialectOf: (project: string) => Dialect | undefined
  readonly weights: Weights
}

/** How many lines are written; one more line then says how many are left out. */
const maxLines = 100

/** One WARN for each finding that is more than an info. */
export function tellJudgements({ endpoints, dialectOf, weights }: Judged, events: Events): void {
  let count = 0
  for (const endpoint of endpoints) {
    const remarks = judge(endpoint, dialectOf(endpoint.project))
    for (const remark of remarks.toSorted((a, b) => a.line - b.line || a.column - b.column)) {
      const severity = severityOf(remark, weights, endpoint.declarations?.allow)
      if (severity === undefined || severity === 'info' || ++count > maxLines) continue
      const { code, line, column, message, cure } = remark
      events.emit('finding', { code, file: endpoint.file, line, column, problem: message, cure })
    }
  }
  if (count > maxLines) events.emit('moreFindings', { more: count - maxLines })
}
