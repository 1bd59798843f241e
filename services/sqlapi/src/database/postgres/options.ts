/** What a PostgreSQL datasource is opened with: plain values, and who hears what happens. */
import type { ResultShapes } from '../../model.ts'
import type { DatabaseOptions } from '../options.ts'
import type { CurrentPassword } from './login.ts'
import type { StatementListeners } from './work/statement-runner.ts'
import type { RiskyCode } from './stored-code/session-code.ts'

export interface PostgresOptions extends DatabaseOptions, StatementListeners {
  /** Where it is read from a file. */
  readonly password?: CurrentPassword | undefined
  /** Called where certificates cannot be used, and those that could be used last are. */
  readonly onLoginKept?: ((reason: string) => void) | undefined
  /** For each address of a server; a share of `acquireTimeoutSeconds` unless it is given. */
  readonly connectTimeoutSeconds?: number | undefined
  readonly keepaliveSeconds?: number | undefined
  readonly silenceTimeoutSeconds?: number | undefined
  /** How some values are written; as specified where it is left out. */
  readonly results?: ResultShapes | undefined
  /** Of each session: a name or an offset; UTC where it is left out. */
  readonly timeZone?: string | undefined
  /** Called for each piece of stored code that costs every request a reset, once. */
  readonly onSessionCode?: ((found: RiskyCode) => void) | undefined
  /** Nothing is to be written there, so a refusal to write says nothing of its server. */
  readonly isReplica?: boolean | undefined
  /** Called where a server has refused to write, so that connections are opened again; at most once a second. */
  readonly onDemotion?: ((report: { readonly server: string }) => void) | undefined
  /** `transaction`: a pooler in between gives each transaction another connection. */
  readonly pooler?: 'none' | 'transaction' | undefined
  /** Statements of sampled requests carry their place in the trace as a comment. */
  readonly sqlComment?: boolean | undefined
  /** Called once where such a pooler shows that `pooler` does not name, with the sign. */
  readonly onPooler?: ((sign: string) => void) | undefined
}
