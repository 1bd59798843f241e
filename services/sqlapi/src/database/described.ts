/** What is said of statements that no database is asked about, in the same words whatever the kind of database. */
import type { Mistake, StatementDescription } from '../description.ts'
import type { Statement } from '../model.ts'

type Unchecked = StatementDescription & { outcome: 'unchecked' }

/** The scanner has refused it, with this message. */
export function toRefused({ line, column }: Statement, message: string): StatementDescription & { outcome: 'failed' } {
  return {
    outcome: 'failed',
    mistake: 'syntax',
    code: undefined,
    message,
    detail: undefined,
    hint: undefined,
    line,
    column,
  }
}

export function unchecked(reason: string): Unchecked {
  return { outcome: 'unchecked', reason }
}

/** What it needs is made by this statement of the file. */
export function dependsOn({ line }: Statement): Unchecked {
  return unchecked(`it depends on the statement at line ${line}, which is not run`)
}

const missing: ReadonlySet<Mistake> = new Set([
  'unknown-table',
  'unknown-column',
  'unknown-function',
  'unknown-name',
  'type',
  'permission',
])

/** Whether what the database does not find may be there once an earlier statement of the file has run. */
export function mayBeMade(description: StatementDescription): boolean {
  return description.outcome === 'failed' && missing.has(description.mistake)
}
