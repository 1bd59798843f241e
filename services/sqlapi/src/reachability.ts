/**
 * Whether a database can be reached, as far as this process knows. Hears of each connection that was opened, and of
 * each failure that leaves nobody with one; the log has one line when the database is lost and one when it is back,
 * however many requests there are between.
 */
import { Failure, type Reason } from './errors.ts'
import type { Events } from './events.ts'
import type { ReachListener } from './metering.ts'

export class Reachability implements ReachListener {
  readonly #events: Events
  readonly #datasource: string
  readonly #url: string
  /** By the clock of `performance`. */
  #lostAt: number | undefined

  /** `url` is for the log, without a password; `lostForMs` is known of a database whose loss the log has already. */
  constructor(events: Events, datasource: string, url: string, lostForMs?: number) {
    this.#events = events
    this.#datasource = datasource
    this.#url = url
    if (lostForMs !== undefined) this.#lostAt = performance.now() - lostForMs
  }

  opened(): void {
    if (this.#lostAt === undefined) return
    const ms = Math.round(performance.now() - this.#lostAt)
    this.#lostAt = undefined
    this.#events.emit('datasourceReached', { datasource: this.#datasource, url: this.#url, ms })
  }

  unreachable(error: unknown): void {
    const told = error instanceof Failure ? toldElsewhere[error.reason] : undefined
    if (this.#lostAt !== undefined || told === 'as something else') return
    this.#lostAt = performance.now()
    if (told === 'as lost') return
    this.#events.emit('datasourceUnreachable', { datasource: this.#datasource, url: this.#url, ...explainLoss(error) })
  }
}

/** For operators: why a database cannot be reached, and what to do if the reason does not say it. */
export function explainLoss(error: unknown): { readonly reason: string; readonly cure: string | undefined } {
  const { message, cause } = error as Error
  const { code = '' } = (cause ?? {}) as { readonly code?: string }
  const reason = cause instanceof Error ? cause.message : message
  return { reason, cure: cures[code] ?? curesOfMessages.find(([pattern]) => pattern.test(reason))?.[1] }
}

/** Code of the system, or of PostgreSQL -> what to do, where the reason does not say it. */
const cures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; correct host or port in the url, or start the server',
  ENOTFOUND: 'no name server knows the host; correct it in the url',
  EAI_AGAIN: 'the name server does not answer; look at the network of this machine',
  ETIMEDOUT: 'correct host or port in the url if PostgreSQL does not listen there, or have the firewall let them pass',
  EHOSTUNREACH: 'correct the host in the url, or look at the network of this machine',
  '28P01': 'correct the user in the url or username, or the password in what password_env or password_file names',
  '3D000': 'correct the name of the database at the end of the url, or create it',
}

/** Messages whose code says too little, or that have none -> what to do. */
const curesOfMessages: readonly (readonly [message: RegExp, cure: string])[] = [
  [/^role ".*" does not exist$/s, 'correct the user in the url or username, or create the role'],
  [/^no pg_hba\.conf entry for /, 'add a line for this host, user and database to pg_hba.conf of the server'],
  [
    /does not support SSL connections/,
    'let the server offer TLS, or write sslmode=disable into the url if it needs none',
  ],
  [/\bfile is not a database$/, 'correct the path in the url: the file is of another kind, or encrypted'],
]

/** Reasons of SQLite that have lines of their own: `fileChanged` and `statementGivenUp`. */
const toldElsewhere: Readonly<Partial<Record<Reason, 'as lost' | 'as something else'>>> = {
  database_file_deleted: 'as lost',
  workers_exhausted: 'as something else',
}
