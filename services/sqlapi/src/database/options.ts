/** What a datasource of any kind is opened with: plain values, and who hears what happens. Each kind adds its own. */
import type { DatasourceMeter, ReachListener } from '../metering.ts'
import type { FailureListener } from './statement-failure.ts'

export interface DatabaseOptions {
  readonly name: string
  /** Connection URL with the credentials. */
  readonly url: string
  /** As configured, for all processes together; shown in messages. */
  readonly maxConnections: number
  /** Most connections of this process. */
  readonly poolSize: number
  readonly acquireTimeoutSeconds: number
  /** Longest time that a statement may run; 0 for no limit. */
  readonly statementTimeoutSeconds: number
  /** Undefined when nothing is measured. */
  readonly meter?: DatasourceMeter | undefined
  readonly reach?: ReachListener | undefined
  /** Called when the database has refused a statement or given it up. */
  readonly onStatementFailure?: FailureListener
}
